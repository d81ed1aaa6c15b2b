// A stopped rebase may be Bosun's, and a branch that Bosun rewrote can return to its earlier head.

import type { Checkpoint } from '../checkpoint/checkpoint.js';
import { type Checkout, type Head, unfinishedIn } from '../git/checkout.js';
import { askGit, git, gitLine, toBytes } from '../git/git.js';
import { readRebased } from '../git/worktree-list.js';
import { readConflicts, readEarlierHeads } from '../worktree/rebase-record.js';

export interface RollbackState {
  /** Of the rebased branch, if the rollback ends the rebase. */
  readonly head: Head;
  readonly isOwnRebase: boolean;
  /** Branch to check out: the checkpoint predates the rebase. */
  readonly leaves: string | null;
  readonly isAmidConflict: boolean;
}

export async function findStand(checkout: Checkout, to: Checkpoint, head: Head): Promise<RollbackState> {
  const plain: RollbackState = { head, isOwnRebase: false, leaves: null, isAmidConflict: false };
  const conflicts = await readConflicts(checkout.gitDir);
  if (conflicts === null) return plain;
  const isAmidConflict = to.branch === null && (head.branch === null || head.branch === conflicts.branch);
  if (unfinishedIn(checkout.gitDir) === null) return { ...plain, isAmidConflict };
  const rebased = await readRebased(checkout.gitDir);
  if (rebased === null) return plain;
  if (to.branch !== rebased) return { head, isOwnRebase: true, leaves: null, isAmidConflict };
  const sha = await gitLine(checkout.top, ['rev-parse', '--verify', `refs/heads/${rebased}^{commit}`]);
  return { head: { sha, branch: rebased }, isOwnRebase: true, leaves: rebased, isAmidConflict };
}

/** Its earlier head contained the commit. */
export async function isRewritten(checkout: Checkout, sha: string): Promise<boolean> {
  for (const earlier of await readEarlierHeads(checkout.gitDir)) {
    if ((await askGit(checkout.top, ['merge-base', '--is-ancestor', sha, earlier])).exit === 0) return true;
  }
  return false;
}

/** Git then shows the conflicts again. */
export async function restoreConflicts(checkout: Checkout): Promise<void> {
  const entries = (await readConflicts(checkout.gitDir))?.entries ?? [];
  const paths = new Set(entries.map((entry) => entry.slice(entry.indexOf('\t') + 1)));
  const removed = [...paths].map((path) => `0 ${'0'.repeat(40)}\t${path}`);
  const input = toBytes([...removed, ...entries]);
  await git(checkout.top, ['update-index', '-z', '--index-info'], { input });
}
