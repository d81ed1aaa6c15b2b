// Without starting git, for speed.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { unfinishedIn } from './checkout.js';

const maxDepth = 64;
const maxPathChars = 4_096;

/** During a rebase, merge or the like; false if unreadable. */
export function isAmid(folder: string): boolean {
  const gitDir = gitDirOf(folder);
  return gitDir !== null && unfinishedIn(gitDir) !== null;
}

export function gitDirOf(folder: string): string | null {
  let here = resolve(folder);
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const found = kindOf(join(here, '.git'));
    if (found === 'folder') return join(here, '.git');
    if (found === 'file') return namedIn(here);
    if (dirname(here) === here) return null;
    here = dirname(here);
  }
  return null;
}

function kindOf(path: string): 'folder' | 'file' | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isDirectory() ? 'folder' : found?.isFile() ? 'file' : null;
  } catch {
    return null;
  }
}

/** In a worktree `.git` is a file. */
function namedIn(top: string): string | null {
  try {
    const text = readFileSync(join(top, '.git'), 'utf8').slice(0, maxPathChars);
    const path = /^gitdir: (.+)$/m.exec(text)?.[1];
    return path === undefined ? null : resolve(top, path);
  } catch {
    return null;
  }
}
