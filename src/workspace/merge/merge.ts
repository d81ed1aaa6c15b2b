// Merges a worktree as one commit: squash → rebase → advance the base → clean up.
// Idempotent: until the base moves all work is in the worktree; then the trailer identifies it. Callers serialize per
// repository.
import type { DiffStat } from '../../engine/index.js';
import { diffStat } from '../checkpoint/diff.js';
import { lockedBy } from '../checkpoint/move-checkout.js';
import { type Checkout, type Head, readHead, tellPaths, unfinishedIn } from '../git/checkout.js';
import { askGit, git } from '../git/git.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';
import { findWorktree, openBeside, readRebased, type Worktree } from '../git/worktree-list.js';
import { inspectRoot } from '../inspection/inspect.js';
import { readConflicts, readEarlierHeads } from '../worktree/rebase-record.js';
import { squash } from '../worktree/squash.js';
import {
  deleteKnownBranch,
  findCommit,
  isWorktreeOf,
  removeWorktree,
  type WorktreeWanted,
} from '../worktree/worktree.js';
import { advanceBase } from './advance-base.js';
import { listUnresolved } from './conflict-files.js';
import { type Delivered, findDelivered, noteEmptyMerge } from './delivered.js';
import { continueRebase, rebase, undoCutRebase } from './rebase.js';

export interface MergeWanted extends WorktreeWanted {
  readonly message: string;
  /** Identifies the commit for a retry. */
  readonly trailer: string;
  readonly coAuthors?: readonly string[];
}

export type MergeResult =
  | {
      readonly kind: 'merged';
      /** Null: no changes. */
      readonly commit: string | null;
      readonly stat: DiffStat | null;
      readonly note: string | null;
    }
  /** To resolve in the worktree. */
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | Blocked;

/** The base may move meanwhile (race). */
const roundsMax = 20;

export async function mergeWorktree(wanted: MergeWanted): Promise<MergeResult> {
  const { root, branch, trailer } = wanted;
  const state = await inspectRoot(root);
  if (state.kind !== 'ok') return blocked(state.message, state.hint);
  if (state.branch === branch)
    return blocked(`${branch} is checked out in ${root} itself`, 'Check out the base branch there.');
  const main = state.checkout;
  const made = await findDelivered(main, trailer);
  if (made !== null) return finish(wanted, main, made);
  const work = await findWork(wanted, main);
  if ('kind' in work) return work;
  for (let round = 1; round <= roundsMax; round++) {
    const base = await readHead(main);
    if (base.branch !== state.branch) {
      return blocked(
        `another branch was checked out in ${root} during the merge`,
        'Try again with the base checked out.',
      );
    }
    const brought = await bringOnto(work, wanted, base);
    if (brought.kind === 'again') continue;
    if (brought.kind !== 'ready') return brought;
    if (brought.commit === null) {
      await noteEmptyMerge(main, trailer);
      return finish(wanted, main, { commit: null, stat: null });
    }
    const refused = await advanceBase(main, base, brought.commit);
    if (refused === 'stale') continue;
    if (refused !== null) return refused;
    return finish(wanted, main, { commit: brought.commit, stat: await diffStat(root, base.sha, brought.commit) });
  }
  return blocked(`${state.branch} keeps changing in ${root}`, 'Try again when it no longer changes.');
}

async function findWork(wanted: MergeWanted, main: Checkout): Promise<Checkout | Blocked> {
  const { root, path, branch } = wanted;
  const there = await findWorktree(root, path, main);
  if (there?.state !== 'whole' || there.isMain) {
    const isKept = (await findCommit(root, `refs/heads/${branch}`)) !== null;
    const hint = isKept ? `Its commits are on ${branch}.` : `The branch ${branch} was deleted too.`;
    return blocked(`the worktree ${path} no longer exists`, `${hint} Start that story again.`);
  }
  const checkout = await openBeside(main, path);
  const locked = lockedBy(checkout, path);
  if (locked !== null) return locked;
  await undoCutRebase(checkout, branch);
  return checkout;
}

type Brought =
  | { readonly kind: 'ready'; readonly commit: string | null }
  | { readonly kind: 'again' }
  | Exclude<MergeResult, { readonly kind: 'merged' }>;

async function bringOnto(work: Checkout, wanted: MergeWanted, base: Head): Promise<Brought> {
  const begun = unfinishedIn(work.gitDir);
  if (begun !== null) {
    if ((await readRebased(work.gitDir)) !== wanted.branch) {
      return blocked(`${begun.what} is unfinished in ${wanted.path}`, begun.way);
    }
    return next(work, await continueRebase(work));
  }
  const unresolved = await listUnresolved(work);
  if (unresolved.length > 0) return { kind: 'conflict', files: tellPaths(work, unresolved) };
  const head = await readHead(work);
  if (head.branch !== wanted.branch) {
    const why = `${head.branch ?? 'no branch'} is checked out in ${wanted.path}, not ${wanted.branch}`;
    return blocked(why, `Move the work to ${wanted.branch}, check that branch out there, then try again.`);
  }
  const shared = await askGit(work.top, ['merge-base', head.sha, base.sha]);
  const fork = shared.out.trim();
  if (shared.exit !== 0) return blocked(`${wanted.branch} and ${base.branch} share no commit`, 'Merge it by hand.');
  const isFinal = fork === base.sha;
  const made = await squash(work, head.sha, { branch: wanted.branch, fork, message: messageOf(wanted), isFinal });
  if (made === null || isFinal) return { kind: 'ready', commit: made?.commit ?? null };
  return next(work, await rebase(work, { branch: wanted.branch, ...made }, fork, base.sha));
}

function next(work: Checkout, result: Awaited<ReturnType<typeof rebase>>): Brought {
  if (result.kind === 'rebased') return { kind: 'again' };
  return result.kind === 'blocked' ? result : { kind: 'conflict', files: tellPaths(work, result.paths) };
}

function messageOf({ message, trailer, coAuthors = [] }: MergeWanted): string {
  return `${message.trimEnd()}\n\n${[...coAuthors, trailer].join('\n')}\n`;
}

async function finish(wanted: MergeWanted, main: Checkout, made: Delivered): Promise<MergeResult> {
  const { root, path, branch } = wanted;
  const there = await findWorktree(root, path, main);
  const isOurs = there !== undefined && !there.isMain && isWorktreeOf(there, branch);
  if (isOurs && made.commit === null) await settleEmpty(wanted, main, there);
  const why = isOurs ? await removeWorktree(root, there) : null;
  if (why !== null) {
    return { kind: 'merged', ...made, note: `Bosun could not remove the worktree ${path}; remove it by hand: ${why}` };
  }
  const tip = await findCommit(root, `refs/heads/${branch}`);
  if (tip === null) return { kind: 'merged', ...made, note: null };
  const isIn = (await askGit(root, ['merge-base', '--is-ancestor', tip, 'HEAD'])).exit === 0;
  if (isIn) await deleteKnownBranch(root, branch);
  const note = isIn ? null : `${branch} is kept: it has commits that the checked-out branch does not have.`;
  return { kind: 'merged', ...made, note };
}

/**
 * Makes the branch deletable. After a conflict resolved to nothing it returns to its earlier head, which keeps that
 * work.
 */
async function settleEmpty({ root, path, branch }: MergeWanted, main: Checkout, there: Worktree): Promise<void> {
  if (there.state !== 'whole') return;
  const { gitDir } = await openBeside(main, path);
  const hadConflict = (await readConflicts(gitDir)) !== null;
  const before = hadConflict ? (await readEarlierHeads(gitDir)).at(-1) : undefined;
  const args = ['update-ref', '-m', 'bosun: nothing to merge', `refs/heads/${branch}`, before ?? 'HEAD'];
  await git(root, args, { config: unattended });
}
