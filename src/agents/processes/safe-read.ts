// Reads a file that an agent may have written; refuses links out of the folder, special files and huge files.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';

const MAX_BYTES = 256 * 1024;

export type ReadFile =
  | { readonly type: 'absent' }
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'text'; readonly text: string; readonly mtimeMs: number };

export function readFileWithin(folder: string, path: string, maxBytes = MAX_BYTES): ReadFile {
  const name = basename(path);
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { type: 'absent' };
    const real = realpathSync(path);
    if (!isWithin(realpathSync(folder), real)) return refused(`${name} leads outside the working directory`);
    const facts = lstatSync(real);
    if (!facts.isFile()) return refused(`${name} is no plain file`);
    if (facts.size > maxBytes) return refused(`${name} has ${facts.size} bytes; at most ${maxBytes} are read`);
    return { type: 'text', text: readFileSync(real, 'utf8').replace(/^\uFEFF/, ''), mtimeMs: facts.mtimeMs };
  } catch (error) {
    return refused(`${name} could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Both paths must be resolved already. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}

function refused(why: string): ReadFile {
  return { type: 'refused', why: `${why}: ignored` };
}
