// Puts a worktree's commits on the run's base branch and keeps a person's changes; rebases if the base moved.

import type { DiffStat } from '../../engine/index.js';
import { diffStat } from '../checkpoint/diff.js';
import { findCheckout, readHead, tellPaths, unfinishedIn } from '../git/checkout.js';
import { askGit, git } from '../git/git.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';
import { listWorktrees, openCheckout, realPath } from '../git/worktree-list.js';
import type { RunBranch } from '../run-branch/run-branch.js';
import { noteBranch, readBranchNote } from '../run-branch/run-branch-note.js';
import { noteBegun } from '../worktree/rebase-record.js';
import { findCommit } from '../worktree/worktree.js';
import { advanceBase } from './advance-base.js';
import { rebase, undoCutRebase } from './rebase.js';

export interface LandWanted extends RunBranch {
  readonly root: string;
  readonly path: string;
  readonly key: string;
}

export type Landed =
  | {
      readonly kind: 'landed';
      readonly count: number;
      readonly commit: string;
      readonly from: string;
      readonly stat: DiffStat;
    }
  | Refused;

/** `conflicts`: files that both sides changed. */
type Refused = Blocked & { readonly conflicts?: readonly string[] };

const roundsMax = 20;

export async function landBranch(wanted: LandWanted): Promise<Landed> {
  const { root, name, base } = wanted;
  for (let round = 1; round <= roundsMax; round++) {
    const tip = await findCommit(root, `refs/heads/${name}`);
    if (tip === null) return (await landedBefore(wanted)) ?? gone(name);
    const onto = await findCommit(root, `refs/heads/${base}`);
    if (onto === null)
      return blocked(`the branch ${base} no longer exists`, `Create it again, or use ${name} as it is.`);
    const shared = await askGit(root, ['merge-base', tip, onto]);
    const fork = shared.out.trim();
    if (shared.exit !== 0) return blocked(`${name} and ${base} no longer share a commit`, 'Merge it by hand.');
    if (fork === tip) return landed(wanted, tip);
    if (fork !== onto) {
      const refused = await putOnTop(wanted, fork, onto);
      if (refused !== null) return refused;
      continue;
    }
    await noteLanding(wanted, { from: onto, to: tip });
    const refused = await moveOn(wanted, onto, tip);
    if (refused !== null && refused !== 'stale') return refused;
  }
  return blocked(`${base} keeps changing in ${root}`, 'Try again when it no longer changes.');
}

/** A retry reports the first try's result. */
async function landed({ root, key }: LandWanted, tip: string): Promise<Landed> {
  const note = await readBranchNote(root, key);
  const from = note?.landed?.from ?? tip;
  const count = Number.parseInt(await git(root, ['rev-list', '--count', `${from}..${tip}`, '--']), 10);
  return { kind: 'landed', count, commit: tip, from, stat: await diffStat(root, from, tip) };
}

/** A retry after the branch was merged and deleted. */
async function landedBefore(wanted: LandWanted): Promise<Landed | null> {
  const { root, key, base } = wanted;
  const to = (await readBranchNote(root, key))?.landed?.to;
  if (to === undefined) return null;
  const isInBase = await askGit(root, ['merge-base', '--is-ancestor', to, `refs/heads/${base}`]);
  return isInBase.exit === 0 ? landed(wanted, to) : null;
}

function gone(name: string): Blocked {
  return blocked(`the branch ${name} is gone`, 'git reflog shows its last commit.');
}

async function noteLanding(
  { root, key }: LandWanted,
  landed: { readonly from: string; readonly to: string },
): Promise<void> {
  const note = await readBranchNote(root, key);
  if (note !== null) await noteBranch(root, { ...note, landed });
}

async function putOnTop({ root, path, name, base }: LandWanted, fork: string, onto: string): Promise<Refused | null> {
  const work = await openCheckout(root, path);
  await undoCutRebase(work, name);
  const begun = unfinishedIn(work.gitDir);
  if (begun !== null) return blocked(`${begun.what} is unfinished in ${path}`, begun.way);
  const head = await readHead(work);
  if (head.branch !== name)
    return blocked(`${head.branch ?? 'no branch'} is checked out in ${path}`, `git switch ${name}`);
  const result = await rebase(work, { branch: name, commit: head.sha, isIndexSet: false }, fork, onto);
  if (result.kind === 'rebased') return null;
  if (result.kind === 'blocked') return result;
  // Aborts, which leaves the branch as it was.
  await noteBegun(work.gitDir);
  await undoCutRebase(work, name);
  const conflicts = tellPaths(work, result.paths);
  const refused = blocked(
    `${base} has new commits that conflict with the work: ${conflicts.slice(0, 10).join(', ')}`,
    `The work is on the branch ${name}. Rebase it in ${path} and retry, or finish without it and merge it later.`,
  );
  return { ...refused, conflicts };
}

async function moveOn({ root, base }: LandWanted, from: string, to: string): Promise<Blocked | 'stale' | null> {
  const main = await findCheckout(root);
  const top = await realPath(main.top);
  for (const { path, branch } of await listWorktrees(root)) {
    if (branch !== base || (await realPath(path)) === top) continue;
    return blocked(`${base} is checked out in ${path}`, 'Check out another branch there, then retry.');
  }
  const head = await readHead(main);
  if (head.branch === base) return head.sha === from ? advanceBase(main, head, to) : 'stale';
  const begun = await askGit(root, ['update-ref', '-m', 'bosun: merge', `refs/heads/${base}`, to, from], {
    config: unattended,
  });
  return begun.exit === 0 ? null : 'stale';
}
