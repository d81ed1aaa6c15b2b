// Nothing here locks: callers serialize operations on one checkout.

export type { BundlePlace } from './bundle/bundle-files.js';
export {
  type BundleRef,
  dropBundles,
  fetchBundle,
  forgetBundles,
  listBundles,
  pushBundle,
  remoteAddress,
} from './bundle/bundle-remote.js';
export { type LayOut, layOut } from './bundle/lay-out-bundle.js';
export { type PackedCheckout, packBundle } from './bundle/pack-bundle.js';
export { type TakenBundle, takeBundle } from './bundle/take-bundle.js';
export { openClone } from './bundle/worker-clone.js';
export { findLargeCommitted, findLargeWork } from './changes/large-work.js';
export { type Checkpoint, checkpoint, checkpointSchema } from './checkpoint/checkpoint.js';
export { type CommitResult, commitAll } from './checkpoint/commit.js';
export { type Diff, diffCommits, diffFrom, diffSince, diffStat, lastCommit } from './checkpoint/diff.js';
export { foreignChanges, inspectChanges } from './checkpoint/foreign-changes.js';
export { type Checkout, findCheckout, hasCommit, projectPrefix, readBranch, readHeadOf } from './git/checkout.js';
export { withoutCredentials } from './git/git.js';
export { isAmid } from './git/operation-in-progress.js';
export { excludeOwnFiles, excludeOwnFilesOf, hideFromGit, isTracked } from './git/own-files.js';
export { useGitStarter } from './git/process/git-starter.js';
export { type Pushed, pushBranch } from './git/push.js';
export { listRemotes } from './git/remote.js';
export { startRepository } from './git/start-repository.js';
export { findWorktree, listWorktrees, type Worktree } from './git/worktree-list.js';
export { type CommitLine, recentCommits } from './inspection/commits.js';
export { type EvidenceMarks, markEvidence, writtenAfter, writtenSince } from './inspection/evidence-marks.js';
export { dirtySubmodules, examineRepository, type RepositoryProblem } from './inspection/examine.js';
export { inspectRoot, type RootState } from './inspection/inspect.js';
export { readEvidence, readSurvey } from './inspection/survey.js';
export { textsIn } from './inspection/tree-texts.js';
export { type Landed, landBranch } from './merge/land.js';
export { type MergeResult, mergeWorktree } from './merge/merge.js';
export {
  branchLeftovers,
  discardLeftovers,
  findLeftovers,
  type LeftRange,
  sortLeftovers,
  type WorkSpan,
} from './rollback/leftovers.js';
export { type RollbackResult, rollback } from './rollback/rollback.js';
export { findStash, type RestoreResult, restoreStash, type StashResult, stashForeign } from './rollback/stash.js';
export { branchNameFrom } from './run-branch/branch-name.js';
export { comparePage, type Requested, requestPull } from './run-branch/pull-request.js';
export { checkOutBranch, type Fork, findForkOf, type Left, leaveBranch, planBranch } from './run-branch/run-branch.js';
export { type BranchNote, readBranchNote } from './run-branch/run-branch-note.js';
export { isFit, noteFit } from './worktree/setup-marker.js';
export { linkShared, unlinkable } from './worktree/shared-links.js';
export {
  type DropResult,
  dropWorktree,
  findCommit,
  hasBranch,
  type OpenResult,
  openWorktree,
  pruneWorktrees,
} from './worktree/worktree.js';
