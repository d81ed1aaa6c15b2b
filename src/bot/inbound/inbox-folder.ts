// `.ai/inbox`, for agents. Security: never runs, never overwrites; a name is only data.
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { BosunError, errnoOf } from '../../base/index.js';
import type { InboxRow } from '../../store/index.js';
import { safeFileName } from '../render/index.js';

export const maxFileBytes = 20 * 1024 * 1024;

const folders = ['.ai', 'inbox'];
const shownFolder = folders.join('/');
const maxFiles = 1_000;
const maxSameNames = 100;
const draftName = /^\.draft-(\d{1,10})-\w+$/;
/** A reused pid could keep a draft forever. */
const maxDraftMs = 60 * 60_000;

const noLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

const drafts = new Set<string>();

export interface NewFile {
  readonly root: string;
  readonly name: string;
  /** Names the file, so that a retry finds it. */
  readonly row: Pick<InboxRow, 'id' | 'at'>;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Returns the path relative to the project. */
export async function saveFile({ root, name, row, bytes }: NewFile): Promise<string> {
  const inbox = await openInbox(root);
  const draft = `.draft-${process.pid}-${Math.random().toString(36).slice(2)}`;
  drafts.add(draft);
  try {
    await write(join(inbox, draft), bytes);
    const final = await place(inbox, join(inbox, draft), `${dayOf(row.at)}-${row.id}-${harmless(name)}`);
    return `${shownFolder}/${final}`;
  } finally {
    await rm(join(inbox, draft), { force: true });
    drafts.delete(draft);
  }
}

/** Drafts of dead processes. Best effort. */
export async function sweepDrafts(roots: readonly string[]): Promise<void> {
  for (const root of roots) await sweep(root).catch(() => undefined);
}

async function sweep(root: string): Promise<void> {
  const inbox = await walk(root, (path) => Promise.reject(new Error(`${path} is not there`)));
  for (const name of await readdir(inbox)) {
    const pid = draftName.exec(name)?.[1];
    if (pid === undefined || drafts.has(name)) continue;
    const { mtimeMs } = await lstat(join(inbox, name));
    const isOld = Date.now() - mtimeMs > maxDraftMs;
    if (isOld || Number(pid) === process.pid || !isRunning(Number(pid))) await rm(join(inbox, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

async function openInbox(root: string): Promise<string> {
  const inbox = await walk(root, (path) => mkdir(path, { recursive: true }));
  if ((await readdir(inbox)).length < maxFiles) return inbox;
  throw new BosunError('limit', `${shownFolder} of this project is full: ${maxFiles} files; clear it first`);
}

async function walk(root: string, onMissing: (path: string) => Promise<unknown>): Promise<string> {
  const top = await realpath(root);
  let path = top;
  for (const folder of folders) {
    const next = join(path, folder);
    if ((await lstat(next).catch(() => null)) === null) await onMissing(next);
    path = await realpath(next).catch(() => next);
    const inside = relative(top, path);
    const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`);
    if (!isInside || !(await lstat(path)).isDirectory()) {
      throw new BosunError('bad_input', `${shownFolder} of this project is no folder in it, or leads out of it`);
    }
  }
  return path;
}

async function write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o644);
  try {
    let written = 0;
    for await (const chunk of bytes) {
      written += chunk.length;
      if (written > maxFileBytes) throw new BosunError('limit', 'it is larger than 20 MB');
      await file.write(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function place(inbox: string, draft: string, name: string): Promise<string> {
  for (let number = 1; number <= maxSameNames; number += 1) {
    const free = number === 1 ? name : numbered(name, number);
    if (await claim(draft, join(inbox, free))) return free;
    if (await isSame(join(inbox, free), draft)) return free;
  }
  throw new BosunError('limit', `there are ${maxSameNames} files of that name already`);
}

/** True: the draft got its name. A rename could replace another program's file. */
async function claim(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (!noLinks.has(errnoOf(error))) throw error;
  }
  return await copy(draft, path);
}

/** Some file systems lack hard links. */
async function copy(draft: string, path: string): Promise<boolean> {
  try {
    await copyFile(draft, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** A try before a crash saved it. */
async function isSame(path: string, draft: string): Promise<boolean> {
  const [there, mine] = [await lstat(path), await lstat(draft)];
  if (!there.isFile() || there.size !== mine.size) return false;
  return (await readFile(path)).equals(await readFile(draft));
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
}

/** ASCII, because it reaches prompts and command lines. */
function harmless(name: string): string {
  const plain = safeFileName(name)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/-+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return plain === '' ? 'file' : plain;
}

function dayOf(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
