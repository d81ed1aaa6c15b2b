// Links untracked folders (installed packages) into a worktree; excluded, because git reports such links as changes.

import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { isInside } from '../../base/index.js';
import { findCheckout } from '../git/checkout.js';
import { askGit } from '../git/git.js';
import { excludeFrom } from '../git/own-files.js';
import { realPath } from '../git/worktree-list.js';

const usual = ['node_modules', '.venv', 'vendor'] as const;

export async function linkShared(
  root: string,
  folder: string,
  named: readonly string[] | null,
): Promise<string | null> {
  const problems: string[] = [];
  for (const name of named ?? usual) {
    const why = await link(root, folder, name, named !== null);
    if (why !== null) problems.push(`${name} ${why}`);
  }
  return problems.length === 0 ? null : `Not linked into the worktree: ${problems.join('; ')}.`;
}

export async function unlinkable(root: string, named: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const name of named) {
    const why = await whyNot(root, name);
    if (why !== null) problems.push(`${name} ${why}`);
  }
  return problems;
}

async function whyNot(root: string, name: string): Promise<string | null> {
  const path = pathOf(name);
  if (path === null) return 'is not a path inside the project';
  if ((await lstat(join(root, path)).catch(() => null)) === null) return 'does not exist';
  return (await isIgnored(root, path)) ? null : 'is not ignored by git';
}

function pathOf(name: string): string | null {
  const path = posix.normalize(name).replace(/\/+$/, '');
  return path.startsWith('/') || /^(\.|\.\.|\.git|\.ai)(\/|$)/.test(path) ? null : path;
}

async function link(root: string, folder: string, name: string, isNamed: boolean): Promise<string | null> {
  const path = pathOf(name);
  const why = await whyNot(root, name);
  if (path === null || why !== null) return isNamed ? why : null;
  if (!isNamed && !(await lstat(join(root, path))).isDirectory()) return null;
  const place = join(folder, path);
  const there = await lstat(place).catch(() => null);
  if (there?.isSymbolicLink()) return null;
  if (there !== null) return isNamed ? 'already exists' : null;
  // Security: a repository's link may lead out.
  if (!(await staysInside(folder, dirname(place)))) return 'leads outside the worktree';
  const checkout = await findCheckout(root);
  await excludeFrom(checkout, [path]);
  await mkdir(dirname(place), { recursive: true });
  await symlink(join(root, path), place);
  return null;
}

async function staysInside(folder: string, path: string): Promise<boolean> {
  return isInside(await realPath(folder), await realPath(path));
}

async function isIgnored(root: string, path: string): Promise<boolean> {
  return (await askGit(root, ['check-ignore', '--quiet', '--', path])).exit === 0;
}
