// Security: an agent may have made this file, so links out of the folder, special and huge files are refused.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { isInside } from '../../base/index.js';

const mostBytes = 256 * 1024;

export type ReadFile =
  | { readonly type: 'absent' }
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'text'; readonly text: string; readonly mtimeMs: number };

export function readFileWithin(folder: string, path: string, maxBytes = mostBytes): ReadFile {
  const name = basename(path);
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { type: 'absent' };
    const real = realpathSync(path);
    if (!isInside(realpathSync(folder), real)) return refused(`${name} leads outside the working directory`);
    // O_NONBLOCK: opening a pipe must not block.
    const file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = fstatSync(file);
      const { size, mtimeMs } = facts;
      if (!facts.isFile()) return refused(`${name} is not a regular file`);
      // Race: a parent folder may have become a link.
      if (realpathSync(real) !== real) return refused(`${name} was replaced while Bosun read it`);
      if (size > maxBytes) return refused(`${name} has ${size} bytes; the limit is ${maxBytes}`);
      return { type: 'text', text: readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), mtimeMs };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return refused(`cannot read ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refused(why: string): ReadFile {
  return { type: 'refused', why: `${why}: ignored` };
}
