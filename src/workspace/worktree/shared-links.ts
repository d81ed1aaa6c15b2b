// What a worktree shares with the project's folder because git does not bring it: installed packages, mostly. A link in
// the place of a folder is a change to git even where the folder is ignored, so it is listed among Bosun's own files.
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { findCheckout } from '../git/checkout.js';
import { askGit } from '../git/git.js';
import { excludeFrom } from '../git/own-files.js';
import { isInside } from '../git/read-within.js';
import { realPath } from '../git/worktree-list.js';

const usual = ['node_modules', '.venv', 'vendor'] as const;

/** Returns what a person must know of those that were named, and not linked. */
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

/** Those of the named paths that can never be linked, and why. */
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
  if (path === null) return 'is no path inside the project';
  if ((await lstat(join(root, path)).catch(() => null)) === null) return 'is not there';
  return (await isIgnored(root, path)) ? null : 'is not ignored by git';
}

/** null: it leads somewhere else. */
function pathOf(name: string): string | null {
  const path = posix.normalize(name).replace(/\/+$/, '');
  return path.startsWith('/') || /^(\.|\.\.|\.git|\.ai)(\/|$)/.test(path) ? null : path;
}

/** null: linked, or nobody asked for it. */
async function link(root: string, folder: string, name: string, isNamed: boolean): Promise<string | null> {
  const path = pathOf(name);
  const why = await whyNot(root, name);
  if (path === null || why !== null) return isNamed ? why : null;
  if (!isNamed && !(await lstat(join(root, path))).isDirectory()) return null;
  const place = join(folder, path);
  const there = await lstat(place).catch(() => null);
  if (there?.isSymbolicLink()) return null;
  if (there !== null) return isNamed ? 'is there already' : null;
  // The worktree is the repository's, and that may bring links of its own.
  if (!(await staysInside(folder, dirname(place)))) return 'leads out of the worktree';
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
