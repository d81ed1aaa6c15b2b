import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Checkout, findCheckout } from './checkout.js';
import { git, gitLine, toText } from './git.js';
import { readPlain } from './read-within.js';

export interface Worktree {
  readonly path: string;
  /** Also during a rebase; null: detached or unknown. */
  readonly branch: string | null;
  /** The first checkout; never removed. */
  readonly isMain: boolean;
  /**
   * unfinished: git died while adding it. gone: no folder. remains: no `.git`, after an interrupted removal. foreign:
   * something else.
   */
  readonly state: 'whole' | 'unfinished' | 'gone' | 'remains' | 'foreign';
}

const depthMax = 200;
const worktreesMax = 1_000;

export async function listWorktrees(root: string, checkout?: Checkout): Promise<readonly Worktree[]> {
  const [out, common] = await Promise.all([
    git(root, ['worktree', 'list', '--porcelain']),
    checkout === undefined ? findCommonDir(root) : realpath(checkout.commonDir),
  ]);
  const home = join(common, 'worktrees');
  const blocks = toText(out)
    .split('\n\n')
    .filter((block) => block.startsWith('worktree '));
  return Promise.all(blocks.slice(0, worktreesMax).map((block, at) => readWorktree(block, at === 0, home)));
}

/** Undefined: git knows none. */
export async function findWorktree(root: string, path: string, checkout?: Checkout): Promise<Worktree | undefined> {
  const real = await realPath(path);
  for (const worktree of await listWorktrees(root, checkout))
    if ((await realPath(worktree.path)) === real) return worktree;
  return undefined;
}

export async function otherCheckoutOf(top: string, branch: string): Promise<string | null> {
  const here = await realPath(top);
  for (const one of await listWorktrees(top)) {
    if (one.branch === branch && one.state !== 'gone' && (await realPath(one.path)) !== here) return one.path;
  }
  return null;
}

export async function openCheckout(root: string, path: string): Promise<Checkout> {
  return openBeside(await findCheckout(root), path);
}

/** The worktree in `path` of the same repository. */
export async function openBeside({ prefix, prefixBytes }: Checkout, path: string): Promise<Checkout> {
  return { ...(await findCheckout(path)), prefix, prefixBytes };
}

export async function findCommonDir(root: string): Promise<string> {
  return realpath(resolve(root, await gitLine(root, ['rev-parse', '--git-common-dir'])));
}

/** Of a missing path too: resolves links in the part that exists. */
export async function realPath(path: string): Promise<string> {
  let missing = '';
  let at = resolve(path);
  for (let depth = 0; depth < depthMax && dirname(at) !== at; depth++) {
    const real = await realpath(at).catch(() => null);
    if (real !== null) return join(real, missing);
    missing = join(basename(at), missing);
    at = dirname(at);
  }
  return resolve(path);
}

async function readWorktree(block: string, isMain: boolean, home: string): Promise<Worktree> {
  const lines = block.split('\n');
  const value = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? null;
  const path = value('worktree') ?? '';
  const branch = value('branch')?.replace(/^refs\/heads\//, '') ?? null;
  if (isMain) return { path, branch, isMain, state: 'whole' };
  const found = await findGitDir(path, home);
  if (found.state !== 'whole') return { path, branch, isMain, state: found.state };
  const isUnfinished = value('locked') === 'initializing';
  return {
    path,
    branch: branch ?? (await readRebased(found.gitDir)),
    isMain,
    state: isUnfinished ? 'unfinished' : 'whole',
  };
}

type GitDirFound =
  | { readonly state: 'whole'; readonly gitDir: string }
  | { readonly state: 'gone' | 'remains' | 'foreign' };

async function findGitDir(path: string, home: string): Promise<GitDirFound> {
  if ((await lstat(path).catch(() => null)) === null) return { state: 'gone' };
  const link = join(path, '.git');
  const found = await lstat(link).catch(() => null);
  if (found === null) return { state: 'remains' };
  const [, named = ''] = found.isFile() ? (/^gitdir: (.*)$/m.exec(await readPlain(link)) ?? []) : [];
  const gitDir = await realPath(resolve(path, named));
  return named !== '' && gitDir.startsWith(`${home}${sep}`) ? { state: 'whole', gitDir } : { state: 'foreign' };
}

export async function readRebased(gitDir: string): Promise<string | null> {
  for (const folder of ['rebase-merge', 'rebase-apply']) {
    const name = await readPlain(join(gitDir, folder, 'head-name')).catch(() => '');
    if (name.startsWith('refs/heads/')) return name.trim().slice('refs/heads/'.length);
  }
  return null;
}
