// Security: an agent may have written this file: no link out of the folder, no huge file, no pipe.
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { isInside } from '../../base/index.js';

export type ReadText =
  | { readonly type: 'absent' }
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'text'; readonly text: string; readonly mtimeMs: number };

export async function readWithin(folder: string, path: string, maxBytes: number): Promise<ReadText> {
  try {
    const real = await realpath(path);
    if (!isInside(await realpath(folder), real)) return { type: 'refused', why: `${path} leads outside ${folder}` };
    // O_NONBLOCK: opening a pipe must not block.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return { type: 'refused', why: `${path} is not a plain file` };
      // Race: a parent folder may have become a link.
      if ((await realpath(real)) !== real) return { type: 'refused', why: `${path} was replaced while Bosun read it` };
      const { size, mtimeMs } = facts;
      if (size > maxBytes) return { type: 'refused', why: `${path} has ${size} bytes; the limit is ${maxBytes}` };
      const bytes = await firstBytes(file, maxBytes + 1);
      // It grew after the stat.
      if (bytes.length > maxBytes)
        return { type: 'refused', why: `${path} is growing; the limit is ${maxBytes} bytes` };
      return { type: 'text', text: bytes.toString('utf8'), mtimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isAbsent(error)) return { type: 'absent' };
    return {
      type: 'refused',
      why: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** Security: agents write to git folders too, and a pipe would block this thread forever. */
export async function readPlain(
  path: string,
  { maxBytes = plainMaxBytes, encoding = 'utf8' }: Plain = {},
): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a plain file`);
    const bytes = await firstBytes(file, maxBytes + 1);
    if (bytes.length > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
    return bytes.toString(encoding);
  } finally {
    await file.close();
  }
}

interface Plain {
  readonly maxBytes?: number;
  readonly encoding?: 'utf8' | 'latin1';
}

const plainMaxBytes = 1024 * 1024;

async function firstBytes(file: FileHandle, count: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.createReadStream({ start: 0, end: count - 1, autoClose: false })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
