// Security: an attempt must stay in its checkout, so no link may lead out.

import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from './own-path.js';

const maxFiles = 5_000;
const maxDepth = 64;

export function strayLinks(folder: string, files: readonly string[]): readonly string[] {
  const top = topOf(folder);
  return files.slice(0, maxFiles).filter((file) => leadsOut(top, join(folder, file)));
}

export function placeOf(folder: string): string | null {
  try {
    return realpathSync(folder);
  } catch {
    // Unreadable: the next use reports it.
    return null;
  }
}

function leadsOut(top: string, path: string): boolean {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
    return !isInside(top, realpathSync(path));
  } catch {
    // Dangling: judge the target it would have.
    return !isInside(top, wouldLead(path));
  }
}

function wouldLead(path: string): string {
  try {
    const target = resolve(dirname(path), readlinkSync(path));
    return join(placeOf(dirname(target)) ?? dirname(target), basename(target));
  } catch {
    return path;
  }
}

/** A project may be a subfolder; links within its repository are allowed. */
function topOf(folder: string): string {
  const real = placeOf(folder) ?? folder;
  let at = real;
  for (let depth = 0; depth < maxDepth && at !== dirname(at); depth += 1) {
    if (existsSync(join(at, '.git'))) return at;
    at = dirname(at);
  }
  return real;
}
