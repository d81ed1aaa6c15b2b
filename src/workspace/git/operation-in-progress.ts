// A quick look, without git, at whether something was begun in a checkout and not finished.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { unfinishedIn } from './checkout.js';

const maxDepth = 64;
const maxPathChars = 4_096;

/** A rebase, a merge or the like stands in the checkout that this folder belongs to. What cannot be read has none. */
export function isAmid(folder: string): boolean {
  const gitDir = gitDirOf(folder);
  return gitDir !== null && unfinishedIn(gitDir) !== null;
}

function gitDirOf(folder: string): string | null {
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

/** Null: it is not there, or cannot be looked at. */
function kindOf(path: string): 'folder' | 'file' | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isDirectory() ? 'folder' : found?.isFile() ? 'file' : null;
  } catch {
    // A file stands in the way, it may not be read, or its disk is gone.
    return null;
  }
}

/** In a worktree `.git` is a file that names the place. */
function namedIn(top: string): string | null {
  try {
    const text = readFileSync(join(top, '.git'), 'utf8').slice(0, maxPathChars);
    const path = /^gitdir: (.+)$/m.exec(text)?.[1];
    return path === undefined ? null : resolve(top, path);
  } catch {
    // It was taken away meanwhile.
    return null;
  }
}
