// Saves what it removes, then restores a checkpoint.
// Crash safety: check everything → patch → files → HEAD → index; a second rollback completes the first and keeps its
// patch.
import { existsSync } from 'node:fs';
import { tellLarge } from '../changes/large-files.js';
import { glance, type QuickStatus } from '../changes/quick-status.js';
import { resetScratch, type ScratchIndex, withScratchIndex } from '../changes/scratch-index.js';
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import { changedLarge, hasTree } from '../checkpoint/diff.js';
import { draftPatch, type PatchDraft } from '../checkpoint/patch-file.js';
import {
  type Conflict,
  conflict,
  deletedIn,
  moveFiles,
  presentAgainst,
  refreshIndex,
  setIndex,
  tryMove,
} from '../checkpoint/restore.js';
import {
  type Checkout,
  findCheckout,
  type Head,
  type OpenedHead,
  readHead,
  tellPaths,
  tryOpen,
  unfinishedIn,
} from '../git/checkout.js';
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
  const head = quick?.head ?? (await readHead(checkout));
  const stand = await findStand(checkout, to, head);
  const refusal = await findRefusal(checkout, stand, to, quick !== null);
  if (refusal !== null) return refusal;
  return withScratchIndex(checkout, async (scratch) => {
    const found = await scanAgainst(scratch, to, quick?.head ?? null);
    const { changed, gone } = changedLarge(to, found.large);
    const notKept = [...tellLarge(checkout, changed), ...tellLarge(checkout, gone).map((one) => `${one}, gone`)];
    const { tree: present, changes } = await presentAgainst(scratch, to.tree, found);
    const files = tellPaths(
      checkout,
      changes.map(({ path }) => path),
    );
    const removed = { from: to, present, head: head.sha };
    const drafted = files.length === 0 ? null : draftPatch(checkout, removed, options.saveTo);
    const draft = await unlessRefused(tryMove(scratch, present, to.tree, deletedIn(changes)), drafted);
    if (draft !== null && 'kind' in draft) return draft;
    const savedTo = draft === null ? null : await draft.keep();
    const raced = await moveFiles(scratch, present, to.tree, deletedIn(changes));
    if (raced !== null) return raced;
    await moveHead(checkout, stand, to);
    if (found.isIndexHead && to.staged === to.tree) await refreshIndex(checkout);
    else await restoreStaged(checkout, to);
    if (stand.isAmidConflict) await restoreConflicts(checkout);
    return { kind: 'done', files, savedTo, notKept };
  });
}

/** Both at once; a refused rollback leaves no patch. */
async function unlessRefused(
  trial: Promise<Conflict | null>,
  drafted: Promise<PatchDraft> | null,
): Promise<PatchDraft | Conflict | null> {
  const [tried, made] = await Promise.allSettled([trial, drafted]);
  const isRefused = tried.status === 'rejected' || tried.value !== null;
  if (isRefused && made.status === 'fulfilled') await made.value?.drop();
  if (tried.status === 'rejected') throw tried.reason;
  if (tried.value !== null) return tried.value;
  if (made.status === 'rejected') throw made.reason;
  return made.value;
}

/** By the checkpoint's tree, to find large files committed since. `isIndexHead`: the person's index holds it too. */
async function scanAgainst(
  scratch: ScratchIndex,
  { tree }: Checkpoint,
  head: OpenedHead['head'] | null,
): Promise<QuickStatus> {
  const found = head?.tree === tree ? await glance(scratch, head.sha) : null;
  if (found?.isIndexHead === true) return found;
  await resetScratch(scratch, tree);
  return { ...(await glance(scratch, null)), isIndexHead: false };
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
