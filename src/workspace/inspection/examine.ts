// Finds repository problems before a run does.

import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkout, findCheckout, tellPaths } from '../git/checkout.js';
import { askGit, gitRecords, toText, wholeTreeMs } from '../git/git.js';
import { findCommonDir, listWorktrees } from '../git/worktree-list.js';

export interface RepositoryProblem {
  /** True: Bosun cannot work there; false: missing or odd. */
  readonly isBroken: boolean;
  readonly what: string;
  readonly mend: string;
}

const lockOldMs = 60_000;

export async function examineRepository(root: string, now: number): Promise<readonly RepositoryProblem[]> {
  const found = await Promise.all([ofGitFolder(root, now), ofSubmodules(root), ofFilters(root), ofWorktrees(root)]);
  return found.flat();
}

async function ofGitFolder(root: string, now: number): Promise<readonly RepositoryProblem[]> {
  const { indexPath } = await findCheckout(root);
  const folder = await findCommonDir(root);
  const troubles: RepositoryProblem[] = [];
  if (!isWritable(folder)) {
    const mend = 'Give the user that runs Bosun write access.';
    troubles.push({ isBroken: true, what: `${folder} is not writable`, mend });
  }
  const lock = statSync(`${indexPath}.lock`, { throwIfNoEntry: false });
  if (lock !== undefined && now - lock.mtimeMs > lockOldMs) {
    const mend = `If no git process is running there, delete the stale lock ${indexPath}.lock.`;
    troubles.push({
      isBroken: true,
      what: `a git process has held its lock for ${Math.round((now - lock.mtimeMs) / 60_000)} min`,
      mend,
    });
  }
  return troubles;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function ofSubmodules(root: string): Promise<readonly RepositoryProblem[]> {
  const checkout = await findCheckout(root);
  if (!existsSync(join(checkout.top, '.gitmodules'))) return [];
  const what = 'it has submodules: Bosun neither commits nor rolls them back, and they are empty in worktrees';
  const filled = 'If worktrees need them, set worktree.setup: "git submodule update --init".';
  const dirty = await dirtySubmodules(checkout);
  const changed = `submodules have changes: ${dirty.slice(0, 10).join(', ')}`;
  const commit = { isBroken: false, what: changed, mend: 'Commit or revert them there.' };
  return [{ isBroken: false, what, mend: filled }, ...(dirty.length > 0 ? [commit] : [])];
}

async function ofFilters(root: string): Promise<readonly RepositoryProblem[]> {
  const { top } = await findCheckout(root);
  const used = await askGit(top, [
    'grep',
    '--untracked',
    '-h',
    '-o',
    '-E',
    'filter=[A-Za-z0-9_-]+',
    '--',
    ':(glob)**/.gitattributes',
  ]);
  const names = new Set(
    toText(used.out)
      .split('\n')
      .flatMap((line) => line.split('filter=').slice(1)),
  );
  const troubles: RepositoryProblem[] = [];
  for (const name of [...names].slice(0, 20)) {
    const set = await askGit(top, ['config', '--get-regexp', `^filter\\.${name}\\.(clean|process)$`]);
    if (set.exit === 0) continue;
    const mend = name === 'lfs' ? 'Install git-lfs, then: git lfs install.' : `Set filter.${name}.clean and .smudge.`;
    troubles.push({
      isBroken: false,
      what: `files with the filter "${name}" are only pointers here: the filter is not set up`,
      mend,
    });
  }
  return troubles;
}

async function ofWorktrees(root: string): Promise<readonly RepositoryProblem[]> {
  const left = (await listWorktrees(root)).filter(({ state }) => state === 'gone' || state === 'unfinished');
  if (left.length === 0) return [];
  const what = `git lists worktrees that no longer exist: ${left
    .slice(0, 5)
    .map(({ path }) => path)
    .join(', ')}`;
  return [{ isBroken: false, what, mend: `git -C ${JSON.stringify(root)} worktree prune` }];
}

// Submodules are neither committed nor restored, so report them.
const status = ['status', '--porcelain=v2', '-z', '--untracked-files=no', '--no-renames'];

/** Uncommitted work, or another commit than recorded. */
export async function dirtySubmodules(checkout: Checkout): Promise<readonly string[]> {
  if (!existsSync(join(checkout.top, '.gitmodules'))) return [];
  const options = { timeoutMs: wholeTreeMs };
  const moved = (await gitRecords(checkout.top, [...status, '--ignore-submodules=dirty'], options))
    // `1 XY sub mH mI mW hH hI path`; `sub` starts with S.
    .filter((record) => /^1 .. S/.test(record))
    .map((record) => record.split(' ').slice(8).join(' '));
  const all = await gitRecords(checkout.top, ['ls-files', '--stage', '-z'], options);
  const paths = all.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const dirty: string[] = [];
  for (const path of paths) if (moved.includes(path) || (await holdsWork(checkout, path))) dirty.push(path);
  return tellPaths(checkout, dirty);
}

/** Security: an agent may have planted the settings of a `.git` folder. */
async function holdsWork(checkout: Checkout, path: string): Promise<boolean> {
  const folder = join(checkout.top, toText(path));
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isFile() !== true) return false;
  return (await gitRecords(folder, [...status, '--ignore-submodules=all'], { timeoutMs: wholeTreeMs })).length > 0;
}
