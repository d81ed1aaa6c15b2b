// Moves HEAD and the index after a remote agent committed.

import { putChanges, withScratchIndex, writeStaged, writeTree } from '../changes/scratch-index.js';
import { listChanges } from '../checkpoint/move-checkout.js';
import { setIndex } from '../checkpoint/restore.js';
import { type Checkout, type Head, readHead } from '../git/checkout.js';
import { askGit, git, gitLine } from '../git/git.js';
import { type Blocked, blocked } from '../git/unattended.js';
import { otherCheckoutOf } from '../git/worktree-list.js';
import { findCommit } from '../worktree/worktree.js';
import { oddBundle, type Packed } from './bundle-note.js';
import { isBranchName } from './lay-out-bundle.js';

export type Move =
  | { readonly kind: 'stays' }
  /** `branch` null: keep the current one. */
  | { readonly kind: 'moves'; readonly head: Head; readonly to: string; readonly branch: string | null };

export async function planMove(checkout: Checkout, from: Packed, to: Packed): Promise<Move | Blocked> {
  const head = await readHead(checkout);
  const other = to.note.branch === from.note.branch ? null : to.note.branch;
  // Without new commits the files may go onto commits made meanwhile.
  if (to.parent === from.parent && other === null) {
    const isSame = head.branch === from.note.branch && (await isAncestor(checkout, from.parent, head.sha));
    return isSame ? { kind: 'stays' } : elsewhere(checkout, head, from, to);
  }
  // Another worktree has the branch, so the worker may only build on the sent commit.
  const hasLeft = from.note.branch !== null && to.note.branch === null;
  if (hasLeft && !(await isAncestor(checkout, from.parent, to.parent))) {
    const why = `its agent left the branch ${from.note.branch} and ended at ${tellHead(null, to.parent)}, which does not descend from it`;
    return blocked(why, `Nothing was changed. To see its work: ${await wayTo(checkout, to.commit)}`);
  }
  const isAt = head.sha === from.parent || head.sha === to.parent;
  const isOn = head.branch === from.note.branch || (other !== null && head.branch === other);
  if (!isAt || !isOn) return elsewhere(checkout, head, from, to);
  if (other === null || head.branch === other) {
    return head.sha === to.parent ? { kind: 'stays' } : { kind: 'moves', head, to: to.parent, branch: null };
  }
  return goOver(checkout, head, to, other);
}

async function goOver(checkout: Checkout, head: Head, { commit, parent }: Packed, branch: string) {
  if (!(await isBranchName(checkout.top, branch))) return oddBundle(commit, 'its branch name is not valid');
  const tip = await findCommit(checkout.top, `refs/heads/${branch}`);
  // Two checkouts of one branch would undo each other's commits.
  const place = await otherCheckoutOf(checkout.top, branch);
  if (place === null && (tip === null || tip === parent)) return { kind: 'moves', head, to: parent, branch } as const;
  const there = place === null ? `is a different branch in ${checkout.root}` : `is checked out in ${place}`;
  const why = `its agent switched to the branch ${branch}, which ${there}`;
  return blocked(why, `To see its work: ${await wayTo(checkout, commit)}`);
}

async function elsewhere(checkout: Checkout, head: Head, from: Packed, to: Packed): Promise<Blocked> {
  const [now, then] = [tellHead(head.branch, head.sha), tellHead(from.note.branch, from.parent)];
  const why = `${checkout.root} is now at ${now}, but was at ${then} when its work was sent to the worker`;
  return blocked(why, `Nothing was changed. To see the returned work: ${await wayTo(checkout, to.commit)}`);
}

function tellHead(branch: string | null, sha: string): string {
  return `${sha.slice(0, 10)} (${branch ?? 'no branch'})`;
}

async function wayTo({ top }: Checkout, commit: string): Promise<string> {
  const args = ['for-each-ref', '--count=1', `--points-at=${commit}`, '--format=%(refname)', 'refs/bosun/'];
  const ref = await gitLine(top, args);
  return `git -C ${JSON.stringify(top)} log ${ref === '' ? commit : ref}`;
}

async function isAncestor({ top }: Checkout, older: string, newer: string): Promise<boolean> {
  return older === newer || (await askGit(top, ['merge-base', '--is-ancestor', older, newer])).exit === 0;
}

// The old value makes git refuse if HEAD moved (race).
export async function moveHead(
  { top }: Checkout,
  { head, to, branch }: Extract<Move, { kind: 'moves' }>,
): Promise<void> {
  const why = ['-m', 'bosun: what came back from another machine'];
  if (branch === null) {
    await git(top, ['update-ref', ...why, 'HEAD', to, head.sha]);
    return;
  }
  if ((await findCommit(top, `refs/heads/${branch}`)) === null) {
    await git(top, ['update-ref', ...why, `refs/heads/${branch}`, to, '0'.repeat(to.length)]);
  }
  await git(top, ['symbolic-ref', ...why, 'HEAD', `refs/heads/${branch}`]);
}

/** Keeps what a person had staged. */
export async function moveIndex(checkout: Checkout, from: string, to: string): Promise<void> {
  const changes = await listChanges(checkout, from, to);
  const staged = await withScratchIndex(checkout, async (scratch) => {
    if ((await writeStaged(scratch)) === null) return to;
    await putChanges(scratch, changes);
    return writeTree(scratch);
  });
  await setIndex(checkout, staged);
}
