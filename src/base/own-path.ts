// Security: writes below a folder that agents write to, never through a link. The base is the owner's and may be a
// link.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { copyFile, type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { BosunError } from './error.js';
import { errnoOf } from './own-file.js';

export function ownFolder(base: string, folder: string, mode = 0o777): string {
  let at = realpathSync(base);
  for (const part of partsBelow(base, folder)) {
    at = join(at, part);
    makeOne(at, mode);
    if (!lstatSync(at).isDirectory()) throw inTheWay(at);
  }
  return at;
}

/** Refuses a hard link. */
export function openToAppend(base: string, path: string, mode: number): number {
  const place = join(ownFolder(base, dirname(path), folderMode(mode)), basename(path));
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = refusing(place, () => openSync(place, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode));
  const facts = fstatSync(file);
  // Race: a link may have appeared since the folder check.
  const isOurs = facts.isFile() && facts.nlink === 1 && realpathSync(dirname(place)) === dirname(place);
  if (isOurs && lstatSync(place).ino === facts.ino) return file;
  closeSync(file);
  throw inTheWay(place);
}

/** Atomic; replaces links too. */
export function writeOwnFile(base: string, path: string, content: string | Uint8Array, mode = 0o644): void {
  const place = join(ownFolder(base, dirname(path), folderMode(mode)), basename(path));
  const draft = draftOf(place);
  try {
    makeFile(draft, content, mode);
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export async function copyOwnFile(base: string, from: string, path: string): Promise<void> {
  const place = join(ownFolder(base, dirname(path)), basename(path));
  const draft = draftOf(place);
  try {
    // COPYFILE_EXCL follows no link: it refuses an existing name.
    await copyFile(from, draft, constants.COPYFILE_EXCL);
    if ((await realpath(dirname(place))) !== dirname(place)) throw inTheWay(dirname(place));
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw errnoOf(error) === 'EISDIR' ? inTheWay(place) : error;
  }
}

/** A crash may leave it; git ignores its name. */
function draftOf(place: string): string {
  return `${place}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
}

function folderMode(fileMode: number): number {
  return (fileMode & 0o077) === 0 ? 0o700 : 0o777;
}

/** False: something exists there and stays. */
export function makeOwnFile(base: string, path: string, content: string): boolean {
  try {
    makeFile(join(ownFolder(base, dirname(path)), basename(path)), content, 0o644);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Null: missing, no regular file, or outside. */
export async function openWithin(root: string, path: string): Promise<FileHandle | null> {
  try {
    const [folder, real] = await Promise.all([realpath(root), realpath(path)]);
    if (!real.startsWith(folder + sep)) return null;
    // O_NONBLOCK: opening a pipe must not block.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch {
    return null;
  }
}

function makeFile(place: string, content: string | Uint8Array, mode: number): void {
  const file = openSync(place, 'wx', mode);
  try {
    if (realpathSync(dirname(place)) !== dirname(place)) throw inTheWay(dirname(place));
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } finally {
    closeSync(file);
  }
}

function partsBelow(base: string, folder: string): readonly string[] {
  const way = relative(base, folder);
  if (way === '') return [];
  const parts = way.split(sep);
  if (parts.includes('..') || way.startsWith(sep)) throw new Error(`${folder} is not below ${base}`);
  return parts;
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function refusing<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (errnoOf(error) === 'ELOOP' || errnoOf(error) === 'EMLINK' || errnoOf(error) === 'ENXIO') throw inTheWay(path);
    throw error;
  }
}

function inTheWay(path: string): BosunError {
  return new BosunError('disk', `${path} is a link or has the wrong type, so Bosun does not write it`, {
    hint: 'Remove it, then try again.',
  });
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
