// Git in a person's own checkout. Nothing here locks: two of these must not run in one checkout at a time.

export { isAmid } from './amid.js';
export { foreignChanges } from './changes.js';
export { projectPrefix, readBranch } from './checkout.js';
export { type Checkpoint, checkpoint, checkpointSchema } from './checkpoint.js';
export { type CommitResult, commitAll } from './commit.js';
export { commitsSince, type Diff, diffCommits, diffFrom, diffSince, diffStat, lastCommit } from './diff.js';
export { type EvidenceMarks, markEvidence, writtenAfter, writtenSince } from './evidence-marks.js';
export { examineRepository, listRemotes, type Trouble } from './examine.js';
export { isFit, noteFit } from './fit.js';
export { type PackedCheckout, packFreight } from './freight.js';
export { openClone } from './freight-clone.js';
export type { FreightPlace } from './freight-files.js';
export { type LayOut, layOut } from './freight-layout.js';
export {
  dropFreight,
  type FreightRef,
  fetchFreight,
  forgetFreight,
  listFreight,
  pushFreight,
  remoteAddress,
} from './freight-remote.js';
export { type Taken, takeFreight } from './freight-take.js';
export { hideFromGit, isTracked } from './hidden-files.js';
export { inspectRoot, type RootState } from './inspect.js';
export { type Landed, landBranch } from './land.js';
export { findLargeCommitted, findLargeWork } from './large-work.js';
export { linkShared, unlinkable } from './links.js';
export { type MergeResult, mergeWorktree } from './merge.js';
export { excludeOwnFiles } from './own-files.js';
export { pruneWorktrees } from './prune-worktrees.js';
export { comparePage, type Requested, requestPull } from './pull-request.js';
export { type Pushed, pushBranch } from './push.js';
export { withoutCredentials } from './redact.js';
export { type RollbackResult, rollback } from './rollback.js';
export { checkOutBranch, type Fork, findForkOf, type Left, leaveBranch, planBranch } from './run-branch.js';
export { type BranchNote, readBranchNote } from './run-branch-note.js';
export { startRepository } from './start-repository.js';
export { findStash, type RestoreResult, restoreStash, type StashResult, stashForeign } from './stash.js';
export { dirtySubmodules } from './submodules.js';
export { readEvidence, readSurvey } from './survey.js';
export { type DropResult, dropWorktree, findCommit, hasBranch, type OpenResult, openWorktree } from './worktree.js';
export { findWorktree, listWorktrees, type Worktree } from './worktree-list.js';
