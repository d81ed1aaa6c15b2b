// Atomic writes for files read at any moment; unchanged files are left alone.
import { lstat, readFile } from 'node:fs/promises';
import { writeOwnFile } from '../../base/index.js';

export async function writeText(base: string, path: string, text: string): Promise<void> {
  if (!(await holds(path, text))) writeOwnFile(base, path, text);
}

/** False for a link. */
export async function isFile(path: string): Promise<boolean> {
  return (await lstatOrNull(path))?.isFile() === true;
}

async function holds(path: string, text: string): Promise<boolean> {
  const found = await lstatOrNull(path);
  if (!found?.isFile() || found.size !== Buffer.byteLength(text)) return false;
  return (await readFile(path, 'utf8')) === text;
}

/** No links. Errors count as absent and show at the write. */
export function lstatOrNull(path: string) {
  return lstat(path).catch(() => null);
}
