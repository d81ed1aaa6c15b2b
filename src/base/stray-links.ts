// Whether an attempt stayed in its checkout: it is still the same folder, and nothing that it left leads out of it.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

const maxFiles = 5_000;
const maxDepth = 64;

/** Of these paths, relative to the folder, the links that lead out of the checkout that it belongs to. */
export function strayLinks(folder: string, files: readonly string[]): readonly string[] {
  const top = topOf(folder);
  return files.slice(0, maxFiles).filter((file) => leadsOut(top, join(folder, file)));
}

/** The folder behind all links; null where there is none. */
export function placeOf(folder: string): string | null {
  try {
    return realpathSync(folder);
  } catch {
    // Gone, or not for us: what is done there says so.
    return null;
  }
}

function leadsOut(top: string, path: string): boolean {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
    return !isWithin(top, realpathSync(path));
  } catch {
    // It leads to nothing, yet: where that would be is what counts.
    return !isWithin(top, wouldLead(path));
  }
}

function wouldLead(path: string): string {
  try {
    const target = resolve(dirname(path), readlinkSync(path));
    return join(placeOf(dirname(target)) ?? dirname(target), basename(target));
  } catch {
    // Gone meanwhile.
    return path;
  }
}

/** A project may be a folder of a larger repository, within which links are nobody's business. */
function topOf(folder: string): string {
  const real = placeOf(folder) ?? folder;
  let at = real;
  for (let depth = 0; depth < maxDepth && at !== dirname(at); depth += 1) {
    if (existsSync(join(at, '.git'))) return at;
    at = dirname(at);
  }
  return real;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}
