import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { BosunError } from '../../base/index.js';

const open = ['demo', 'worktrees'];

/** Null: closed. Resolves symlinks; `root`: a project, maybe in the home. */
export function outsideOfHome(path: string, home: string | null, root: string | null = null): string {
  if (!isInHome(path, home, root)) return path;
  throw new BosunError('not_allowed', `${path} is inside Bosun's home, where files cannot be opened by path`, {
    hint: `Move the file into the project, or anywhere outside ${home}.`,
  });
}

export function isInHome(path: string, home: string | null, root: string | null = null): boolean {
  return home !== null && isWithin(behindLinks(home), behindLinks(path), root && behindLinks(root));
}

export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function isWithin(home: string, path: string, root: string | null): boolean {
  const projects = [...open.map((name) => join(home, name)), ...(root !== null && isBelow(home, root) ? [root] : [])];
  return (path === home || isBelow(home, path)) && !projects.some((folder) => isBelow(folder, path));
}

function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Judges a missing path by its name.
    return path;
  }
}
