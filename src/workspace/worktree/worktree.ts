// Opening and removing are idempotent, for retries after a crash. Removes only what git lists as that worktree.

import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findCheckout } from '../git/checkout.js';
import { askGit, type GitAnswer, git, gitLine, lastLines, toText } from '../git/git.js';
import { excludeOwnFiles } from '../git/own-files.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';
import { findWorktree, listWorktrees, openCheckout, type Worktree } from '../git/worktree-list.js';
import { inspectRoot, type RootState } from '../inspection/inspect.js';
import { commitUnfinished } from './squash.js';

export interface WorktreeWanted {
  readonly root: string;
  readonly path: string;
  readonly branch: string;
}

export type OpenResult =
  | {
      readonly kind: 'opened';
      readonly base: string;
      readonly branch: string;
      readonly root: string;
      readonly isContinued: boolean;
      readonly note: string | null;
    }
  | Blocked;

export type DropResult = { readonly kind: 'dropped'; readonly branch: 'kept' | 'deleted' | 'missing' } | Blocked;

const addMs = 600_000;

export async function openWorktree(wanted: WorktreeWanted & { readonly base?: string | null }): Promise<OpenResult> {
  const { root, path, branch } = wanted;
  const state = await inspectRoot(root);
  if (state.kind !== 'ok' && neverFit.has(state.kind)) return blocked(state.message, state.hint);
  await excludeOwnFiles(root);
  const there = await findWorktree(root, path);
  if (there?.state === 'whole' && !there.isMain && there.branch === branch) return reopen(wanted);
  if (state.kind !== 'ok') return blocked(state.message, state.hint);
  const refusal = (await findOtherUse(wanted, there)) ?? (await findLeftOver(path, there));
  if (refusal !== null) return refusal;
  const base = await findCommit(root, wanted.base ?? state.head);
  if (base === null) return blocked(`there is no commit ${wanted.base} in ${root}`, 'Use an existing branch.');
  const isThere = (await findCommit(root, `refs/heads/${branch}`)) !== null;
  if (isThere && (await findShared(root, base, branch)) === null) return unrelated(wanted);
  if (there !== undefined) await removeWorktree(root, there);
  const added = await addWorktree(wanted, isThere ? null : base);
  if (added.exit !== 0) return notAdded(wanted, added);
  return describe(wanted, base);
}

// These block even an existing worktree, the others only a new one.
const neverFit: ReadonlySet<RootState['kind']> = new Set(['gone', 'not_a_folder', 'not_git', 'bare']);

async function reopen(wanted: WorktreeWanted & { readonly base?: string | null }): Promise<OpenResult> {
  const { indexPath } = await findCheckout(wanted.path);
  if (existsSync(`${indexPath}.lock`)) {
    const hint = `If no git process is running there, delete the stale lock ${indexPath}.lock.`;
    return blocked(`another git process is working in ${wanted.path}`, hint);
  }
  return describe(wanted, wanted.base ?? 'HEAD');
}

async function describe(wanted: WorktreeWanted, from: string): Promise<OpenResult> {
  const { root, path, branch } = wanted;
  const base = await findShared(root, from, branch);
  if (base === null) return unrelated(wanted);
  const folder = resolve(path, (await findCheckout(root)).prefix);
  // Git skips folders whose content it ignores.
  await mkdir(folder, { recursive: true });
  return {
    kind: 'opened',
    base,
    branch,
    root: folder,
    isContinued: base !== (await findCommit(root, `refs/heads/${branch}`)),
    note: await tellSubmodules(path),
  };
}

async function findShared(root: string, from: string, branch: string): Promise<string | null> {
  const shared = await askGit(root, ['merge-base', from, `refs/heads/${branch}`]);
  return shared.exit === 0 ? shared.out.trim() : null;
}

function unrelated({ root, branch }: WorktreeWanted): Blocked {
  return blocked(`${branch} shares no commit with the branch checked out in ${root}`, `Rename or delete ${branch}.`);
}

async function findOtherUse(wanted: WorktreeWanted, there: Worktree | undefined): Promise<Blocked | null> {
  const { root, path, branch } = wanted;
  const format = await askGit(root, ['check-ref-format', `refs/heads/${branch}`]);
  if (format.exit !== 0 || branch.startsWith('-'))
    return blocked(`"${branch}" is not a valid branch name`, 'Rename it.');
  if (there?.isMain) return blocked(`${path} is the main checkout`, 'Use a separate folder for the worktree.');
  if (there?.state === 'whole') {
    const holds = there.branch === null ? 'no branch' : there.branch;
    return blocked(`${path} is a worktree with ${holds} checked out, not ${branch}`, removal(root, path));
  }
  const user = (await listWorktrees(root)).find((one) => one.branch === branch && one.path !== there?.path);
  if (user === undefined) return null;
  const hint = user.state === 'gone' ? `git -C ${quote(root)} worktree prune` : 'Check out another branch there.';
  return blocked(`${branch} is checked out in ${user.path}`, hint);
}

async function findLeftOver(path: string, there: Worktree | undefined): Promise<Blocked | null> {
  if (there?.state === 'unfinished') return null;
  // Not a folder, hence in the way.
  const names = existsSync(path) ? await readdir(path).catch(() => ['']) : [];
  if (names.length === 0) return null;
  return blocked(
    `${path} already exists and is not a worktree of this repository`,
    `Move ${path} away, then try again.`,
  );
}

async function addWorktree({ root, path, branch }: WorktreeWanted, base: string | null): Promise<GitAnswer> {
  const how = base === null ? [path, branch] : ['--no-track', '-b', branch, path, base];
  return askGit(root, ['worktree', 'add', '--quiet', ...how], { config: unattended, timeoutMs: addMs });
}

function notAdded(wanted: WorktreeWanted, answer: GitAnswer): Blocked {
  const why = `Cannot create the worktree ${wanted.path} for ${wanted.branch}: ${lastLines(answer.err, 4)}`;
  return blocked(why, 'Fix what git reports, then try again.');
}

/**
 * Commits unfinished work first. A branch with commits that the main checkout lacks always stays; others only with
 * `keepBranch`.
 */
export async function dropWorktree(wanted: WorktreeWanted & { readonly keepBranch: boolean }): Promise<DropResult> {
  const { root, path, branch } = wanted;
  const there = await findWorktree(root, path);
  if (there?.isMain) return blocked(`${path} is the main checkout`, 'Bosun never removes it.');
  if (there !== undefined && isWorktreeOf(there, branch)) {
    if (there.state === 'whole') await commitUnfinished(await openCheckout(root, path), branch);
    await removeWorktree(root, there);
  } else if (there !== undefined) {
    return blocked(`${path} is not the worktree of ${branch}`, `To list them: git -C ${quote(root)} worktree list`);
  }
  return { kind: 'dropped', branch: await dropBranch(wanted) };
}

// Git may not report the branch of an unfinished or gone one.
export function isWorktreeOf(there: Worktree, branch: string): boolean {
  if (there.state === 'foreign') return false;
  return there.branch === branch || (there.branch === null && there.state !== 'whole');
}

async function dropBranch(
  wanted: WorktreeWanted & { readonly keepBranch: boolean },
): Promise<'kept' | 'deleted' | 'missing'> {
  const { root, branch } = wanted;
  const tip = await findCommit(root, `refs/heads/${branch}`);
  if (tip === null) return 'missing';
  const isInBase = (await askGit(root, ['merge-base', '--is-ancestor', tip, 'HEAD'])).exit === 0;
  if (wanted.keepBranch || !isInBase) return 'kept';
  await deleteKnownBranch(root, branch);
  return 'deleted';
}

/** Null: removed, except perhaps another user's files. */
export async function removeWorktree(root: string, worktree: Worktree): Promise<string | null> {
  if (worktree.state === 'remains') await rm(worktree.path, { recursive: true, force: true });
  // Twice: git locks a worktree that it is still adding.
  const args = ['worktree', 'remove', '--force', '--force', worktree.path];
  const answer = await askGit(root, args, { config: unattended, timeoutMs: addMs });
  return answer.exit === 0 ? null : lastLines(answer.err, 4);
}

export async function deleteBranch(root: string, branch: string): Promise<void> {
  if (await hasBranch(root, branch)) await deleteKnownBranch(root, branch);
}

/** Fails if there is none. */
export async function deleteKnownBranch(root: string, branch: string): Promise<void> {
  await gitLine(root, ['branch', '--quiet', '-D', '--', branch], { config: unattended });
}

export async function hasBranch(root: string, branch: string): Promise<boolean> {
  return (await findCommit(root, `refs/heads/${branch}`)) !== null;
}

export async function findCommit(folder: string, name: string): Promise<string | null> {
  if (name.startsWith('-')) return null;
  const answer = await askGit(folder, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return answer.exit === 0 ? answer.out.trim() : null;
}

async function tellSubmodules(path: string): Promise<string | null> {
  if (!existsSync(join(path, '.gitmodules'))) return null;
  const args = ['config', '--file', '.gitmodules', '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const answer = await askGit(path, args);
  if (answer.exit !== 0) return null;
  const paths = toText(answer.out)
    .split('\0')
    .flatMap((pair) => pair.split('\n').slice(1));
  return `Submodules are empty in this worktree: ${paths.slice(0, 20).join(', ')}. To fill them: git -C ${quote(path)} submodule update --init`;
}

function removal(root: string, path: string): string {
  return `When it is no longer needed: git -C ${quote(root)} worktree remove ${quote(path)}`;
}

function quote(path: string): string {
  return JSON.stringify(path);
}

/** Frees their branches for other checkouts. */
export async function pruneWorktrees(clone: string): Promise<void> {
  await git(clone, ['worktree', 'prune', '--expire=now'], { config: unattended });
}
