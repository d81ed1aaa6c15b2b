// Security: replaces a project's file atomically; refuses links that lead out.
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { BosunError } from '../../base/index.js';

const maxBytes = 1024 * 1024;

export function placeOf(root: string, path: string): string {
  const inside = realpathSync(root);
  let place = inside;
  for (const name of path.split('/')) {
    const next = join(place, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    place = found?.isSymbolicLink() === true ? targetOf(next, path) : next;
    if (!`${place}${sep}`.startsWith(`${inside}${sep}`)) throw leadsOut(path);
  }
  return place;
}

export function readPlace(place: string, path: string): string | null {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) throw new BosunError('bad_input', `${path} is not a file`, { hint: 'Move it away.' });
  if (found.size > maxBytes) throw new BosunError('limit', `${path} is larger than ${maxBytes} bytes`);
  return readFileSync(place, 'utf8');
}

/** Null removes the file and emptied folders. */
export function writePlace(root: string, place: string, text: string | null): void {
  if (text === null) removePlace(root, place);
  else putPlace(place, text);
}

function putPlace(place: string, text: string): void {
  mkdirSync(dirname(place), { recursive: true });
  const draft = `${place}.bosun-${process.pid}`;
  const mode = statSync(place, { throwIfNoEntry: false })?.mode ?? 0o644;
  try {
    writeFileSync(draft, text, { mode: mode & 0o777 });
    renameSync(draft, place);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new BosunError('disk', `Cannot write ${place}`, {
      hint: 'Give the user that runs Bosun write access.',
      cause,
    });
  }
}

function removePlace(root: string, place: string): void {
  rmSync(place, { force: true });
  const top = realpathSync(root);
  for (let folder = dirname(place); folder.startsWith(`${top}${sep}`); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

function targetOf(link: string, path: string): string {
  try {
    return realpathSync(link);
  } catch {
    // A dangling link: writing would create its target.
    throw leadsOut(path);
  }
}

function leadsOut(path: string): BosunError {
  return new BosunError('not_allowed', `${path} is a link that leads out of the project, so nothing was written`, {
    hint: 'Replace it with a plain file or folder.',
  });
}
