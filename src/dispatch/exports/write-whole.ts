// Atomic, because other tools read at any moment; unchanged files are left alone.
import { lstat, readFile } from 'node:fs/promises';
import { writeOwnFile } from '../../base/index.js';

export async function writeText(base: string, path: string, text: string): Promise<void> {
  if (!(await holds(path, text))) writeOwnFile(base, path, text);
}

export async function isFile(path: string): Promise<boolean> {
  return (await lstatOrNull(path))?.isFile() === true;
}

async function holds(path: string, text: string): Promise<boolean> {
  const found = await lstatOrNull(path);
  if (!found?.isFile() || found.size !== Buffer.byteLength(text)) return false;
  return (await readFile(path, 'utf8')) === text;
}

/** Errors count as absent; the write reports them. */
export function lstatOrNull(path: string) {
  return lstat(path).catch(() => null);
}
