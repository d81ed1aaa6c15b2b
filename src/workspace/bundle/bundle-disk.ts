// Untracked files; paths are latin1, relative to the base.
// Security: follows no link below the base, because an agent may have planted one. Reads and writes check the folders
// again after the open (race); a folder swapped several times within one call can still win. Listing, creating and
// removing go by path: a race may list a linked folder or leave empty folders and a part file there.
import { randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { BosunError } from '../../base/index.js';
import { onDisk, toText } from '../git/git.js';
import { isAbsent } from '../git/read-within.js';

export interface FoundFile {
  readonly path: string;
  readonly isExecutable: boolean;
  readonly bytes: number;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly others: readonly string[];
  readonly isCut: boolean;
}

export const fileMaxBytes = 8 * 1024 * 1024;
const depthMax = 40;
const entriesMax = 20_000;
const partName = /^\.bosun-[0-9a-f-]{36}\.part$/;

/** Sorted. `skips` also excludes everything below a path. */
export async function findFiles(
  base: string,
  names: readonly string[],
  skips: (path: string) => boolean,
): Promise<FoundFiles> {
  const files: FoundFile[] = [];
  const others: string[] = [];
  const due = [...names].reverse();
  let seen = 0;
  for (; due.length > 0; seen++) {
    const path = due.pop() ?? '';
    if (skips(path) || partName.test(posix.basename(path))) continue;
    const facts = await lstatOf(base, path);
    if (facts === null) continue;
    const isOdd = seen >= entriesMax || path.split('/').length > depthMax || isGitName(posix.basename(path));
    if (isOdd || !(facts.isFile() || facts.isDirectory())) others.push(path);
    else if (facts.isFile()) files.push({ path, isExecutable: (facts.mode & 0o100) !== 0, bytes: facts.size });
    else due.push(...(await listNames(base, path)));
  }
  return { files, others, isCut: seen > entriesMax };
}

/** Names that some file system takes for `.git` (NTFS short names, trailing dots). */
export function isGitName(name: string): boolean {
  return /^(\.git|git~1)[ .]*$/i.test(name);
}

async function listNames(base: string, path: string): Promise<string[]> {
  const entries: Dirent<Buffer>[] = await readdir(onDisk(base, path), { withFileTypes: true, encoding: 'buffer' });
  const names = entries.map(({ name }) => name.toString('latin1')).sort();
  return names.reverse().map((name) => (path === '' ? name : `${path}/${name}`));
}

export async function readFound(base: string, path: string): Promise<Uint8Array | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(onDisk(base, path), flags).catch(() => null);
  if (file === null) return null;
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > fileMaxBytes || !(await isInPlace(base, path, file))) return null;
    const bytes = Buffer.alloc(facts.size);
    const { bytesRead } = await file.read(bytes, 0, facts.size, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A link may have appeared between check and open (race). */
async function isInPlace(base: string, path: string, file: FileHandle): Promise<boolean> {
  if ((await findBarrier(base, path)) !== null) return false;
  const [there, opened] = [await lstatOf(base, path), await file.stat()];
  return there?.ino === opened.ino && there.dev === opened.dev;
}

/** Null: no regular file. `unread`: too large or unreadable. */
export async function lookAtFile(base: string, path: string): Promise<Uint8Array | 'unread' | null> {
  const read = await readFound(base, path);
  if (read !== null) return read;
  return (await lstatOf(base, path))?.isFile() ? 'unread' : null;
}

/** The link or file in place of a folder; null: writable. */
export async function findBarrier(base: string, path: string): Promise<string | null> {
  const parts = path.split('/').filter((part) => part !== '');
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = parts.slice(0, depth).join('/');
    const facts = await lstatOf(base, folder);
    if (facts === null) return null;
    if (!facts.isDirectory()) return toText(folder);
  }
  return null;
}

/** Atomic; replaces a link instead of following it. */
export async function writeFound(base: string, path: string, bytes: Uint8Array, isExecutable: boolean): Promise<void> {
  await refuseBarrier(base, path);
  const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  const partPath = posix.join(folder, `.bosun-${randomUUID()}.part`);
  const part = onDisk(base, partPath);
  try {
    await mkdir(onDisk(base, folder), { recursive: true });
    const file = await open(part, 'wx', isExecutable ? 0o777 : 0o666);
    try {
      if (!(await isInPlace(base, partPath, file))) throw new Error('a parent folder was replaced at the same time');
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(part, onDisk(base, path));
  } catch (cause) {
    await unlink(part).catch(() => null);
    throw new BosunError('disk', `Cannot write ${toText(path)} in ${base}`, {
      hint: 'Check what is at that path, whether the disk is full, and the file permissions.',
      cause,
    });
  }
}

/** Removes emptied folders too. */
export async function removeFound(base: string, path: string): Promise<void> {
  if ((await findBarrier(base, path)) !== null) return;
  const facts = await lstatOf(base, path);
  if (facts?.isFile() || facts?.isSymbolicLink()) await unlink(onDisk(base, path));
  for (let at = posix.dirname(path); at !== '.' && at !== '/'; at = posix.dirname(at)) {
    const isGone = await rmdir(onDisk(base, at)).then(
      () => true,
      (error: unknown) => isAbsent(error),
    );
    if (!isGone) return;
  }
}

async function refuseBarrier(base: string, path: string): Promise<void> {
  const barrier = await findBarrier(base, path);
  if (barrier === null) return;
  throw new BosunError('disk', `Cannot write ${toText(path)} in ${base}: ${barrier} is not a folder there`, {
    hint: `Replace ${barrier} with a real folder, not a link.`,
  });
}

async function lstatOf(base: string, path: string) {
  return lstat(onDisk(base, path)).catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });
}
