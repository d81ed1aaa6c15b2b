// Git in a person's own checkout. Nothing here locks: two of these must not run in one checkout at a time.

export { foreignChanges } from './changes.js';

export { type Checkpoint, checkpoint, checkpointSchema } from './checkpoint.js';
export { type CommitResult, commitAll } from './commit.js';
export { commitsSince, type Diff, diffSince, diffStat, lastCommit } from './diff.js';
export { inspectRoot, type RootState } from './inspect.js';
export { type MergeResult, mergeWorktree } from './merge.js';
export { excludeOwnFiles } from './own-files.js';
export { type RollbackResult, rollback } from './rollback.js';
export { findStash, type RestoreResult, restoreStash, type StashResult, stashForeign } from './stash.js';
export { readEvidence, readSurvey } from './survey.js';
export { type DropResult, dropWorktree, hasBranch, type OpenResult, openWorktree } from './worktree.js';
export { findWorktree, listWorktrees, type Worktree } from './worktree-list.js';
