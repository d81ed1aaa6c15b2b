// Saves what it removes, then restores a checkpoint. Crash safety: check everything → patch → files → HEAD → index; a
// second rollback completes the first and keeps its patch.
import { existsSync } from 'node:fs';
import { tellLarge } from '../changes/large-files.js';
import { withScratchIndex } from '../changes/scratch-index.js';
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import { changedLarge, diffTrees, hasTree } from '../checkpoint/diff.js';
import { savePatch } from '../checkpoint/patch-file.js';
import { type Conflict, conflict, moveFiles, presentAgainst, setIndex, tryMove } from '../checkpoint/restore.js';
import { type Checkout, findCheckout, type Head, readHead, tryOpen, unfinishedIn } from '../git/checkout.js';
import { askGit, git, gitError } from '../git/git.js';
import { excludeOwnFilesOf } from '../git/own-files.js';
import { forgetRebase } from '../merge/rebase.js';
import { findStand, isRewritten, type RollbackState, restoreConflicts } from './rollback-state.js';

export type RollbackResult =
  | {
      readonly kind: 'done';
      readonly files: readonly string[];
      /** A patch for `git apply` at the checkout's top; null: no changes. */
      readonly savedTo: string | null;
      /** Large files changed since: checkpoints lack them. */
      readonly notKept: readonly string[];
    }
  | Conflict;

export async function rollback(
  root: string,
  to: Checkpoint,
  options: { readonly saveTo: string },
): Promise<RollbackResult> {
  const quick = await tryOpen(root, to.tree);
  const checkout = quick?.checkout ?? (await findCheckout(root));
  await excludeOwnFilesOf(checkout);
  const stand = await findStand(checkout, to, quick?.head ?? (await readHead(checkout)));
  const refusal = await findRefusal(checkout, stand, to, quick !== null);
  if (refusal !== null) return refusal;
  return withScratchIndex(checkout, async (scratch) => {
    // By tree, which finds large files committed since.
    const { present, large } = await presentAgainst(scratch, to.tree);
    const { changed, gone } = changedLarge(to, large);
    const notKept = [...tellLarge(checkout, changed), ...tellLarge(checkout, gone).map((one) => `${one}, gone`)];
    const blocked = await tryMove(scratch, present, to.tree);
    if (blocked !== null) return blocked;
    const { files } = await diffTrees(checkout, to.tree, present);
    const savedTo = files.length === 0 ? null : await savePatch(checkout, to, present, options.saveTo);
    const raced = await moveFiles(scratch, present, to.tree);
    if (raced !== null) return raced;
    await moveHead(checkout, stand, to);
    await restoreStaged(checkout, to);
    if (stand.isAmidConflict) await restoreConflicts(checkout);
    return { kind: 'done', files, savedTo, notKept };
  });
}

async function findRefusal(
  checkout: Checkout,
  stand: RollbackState,
  to: Checkpoint,
  isThere: boolean,
): Promise<Conflict | null> {
  const { head } = stand;
  const begun = stand.isOwnRebase ? null : unfinishedIn(checkout.gitDir);
  if (begun !== null) return conflict(`${begun.what} is unfinished in ${checkout.root}`, begun.way);
  if (existsSync(`${checkout.indexPath}.lock`)) {
    const hint = `If no git process is running there, delete the stale lock ${checkout.indexPath}.lock.`;
    return conflict(`another git process is working in ${checkout.root}`, hint);
  }
  if (head.branch !== to.branch && !stand.isAmidConflict) {
    const was = to.branch ?? to.head;
    return conflict(
      `${head.branch ?? 'no branch'} is checked out now, but was ${was}`,
      `Go back to it: git switch ${was}.`,
    );
  }
  if (!isThere && !(await hasTree(checkout, to.tree))) {
    return conflict('git gc deleted the checkpoint', `Its commit may still exist: git diff ${to.head}.`);
  }
  return head.sha === to.head ? null : findHeadRefusal(checkout, head, to);
}

async function findHeadRefusal(checkout: Checkout, head: Head, to: Checkpoint): Promise<Conflict | null> {
  if (await isRewritten(checkout, to.head)) return null;
  const args = ['merge-base', '--is-ancestor', to.head, head.sha];
  const ancestor = await askGit(checkout.top, args);
  if (ancestor.exit > 1) throw gitError(checkout.top, args, ancestor);
  if (ancestor.exit === 1) {
    const hint = `Compare by hand: git log --oneline ${to.head}...${head.sha}.`;
    return conflict(`history was rewritten: ${short(head.sha)} does not descend from ${short(to.head)}`, hint);
  }
  const range = ['rev-list', '--count', head.sha, `^${to.head}`];
  const made = Number.parseInt(await git(checkout.top, range), 10);
  const unpublished = Number.parseInt(await git(checkout.top, [...range, '--not', '--remotes']), 10);
  if (unpublished === made) return null;
  const hint = `Undo them with new commits: git revert ${short(to.head)}..HEAD.`;
  return conflict(`${made - unpublished} of the ${made} commits since then are on a remote branch`, hint);
}

// The old value makes git refuse if the branch moved (race).
async function moveHead(checkout: Checkout, { head, leaves }: RollbackState, to: Checkpoint): Promise<void> {
  if (leaves !== null) {
    await git(checkout.top, ['symbolic-ref', '-m', 'bosun: rollback', 'HEAD', `refs/heads/${leaves}`]);
  }
  if (head.sha !== to.head) {
    await git(checkout.top, ['update-ref', '-m', 'bosun: rollback', 'HEAD', to.head, head.sha]);
  }
  if (leaves !== null) await forgetRebase(checkout.gitDir);
}

export async function restoreStaged(checkout: Checkout, to: Checkpoint): Promise<void> {
  const staged = to.staged ?? to.head;
  const isThere = staged === to.tree || (await hasTree(checkout, staged));
  await setIndex(checkout, isThere ? staged : to.head);
}

function short(sha: string): string {
  return sha.slice(0, 10);
}
