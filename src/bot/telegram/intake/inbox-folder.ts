// Files that people send, put where the agents of a project find them. A name is only ever a name, a file never runs,
// and nothing that is there is written over.
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { BosunError } from '../../../dispatch/index.js';
import { safeFileName } from '../render/index.js';
import { maxFileBytes } from './attached.js';

const folder = '.ai/inbox';
const maxFiles = 1_000;
const maxSameNames = 100;

export interface NewFile {
  readonly root: string;
  readonly name: string;
  readonly at: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Gives its path below the project's folder. */
export async function saveFile({ root, name, at, bytes }: NewFile): Promise<string> {
  const inbox = await openInbox(root);
  const draft = join(inbox, `.draft-${process.pid}-${Math.random().toString(36).slice(2)}`);
  try {
    await write(draft, bytes);
    const final = await place(inbox, draft, `${dayOf(at)}-${harmless(name)}`);
    return `${folder}/${final}`;
  } finally {
    await rm(draft, { force: true });
  }
}

/** A link inside the project must not lead what strangers' phones hold to another place. */
async function openInbox(root: string): Promise<string> {
  const inbox = join(root, folder);
  await mkdir(inbox, { recursive: true });
  const inside = relative(await realpath(root), await realpath(inbox));
  if (inside.startsWith('..') || inside === '') {
    throw new BosunError('bad_input', `${folder} of this project leads out of it`);
  }
  if ((await readdir(inbox)).length < maxFiles) return inbox;
  throw new BosunError('limit', `${folder} of this project is full: ${maxFiles} files; clear it first`);
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
    if (await isThere(join(inbox, free))) continue;
    await rename(draft, join(inbox, free));
    return free;
  }
  throw new BosunError('limit', `there are ${maxSameNames} files of that name already`);
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** It stands in prompts and on command lines too, so that letters without any other meaning are all it may have. */
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
