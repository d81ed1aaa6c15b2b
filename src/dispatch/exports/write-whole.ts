// Files that others read at any moment: each is there whole or not at all, and is left alone when it says the same.
import { lstat, readFile } from 'node:fs/promises';
import { writeOwnFile } from '../../base/index.js';

/** `base`: the project's folder. */
export async function writeText(base: string, path: string, text: string): Promise<void> {
  if (!(await holds(path, text))) writeOwnFile(base, path, text);
}

/** Whether a file of its own is there; a link in its place is not. */
export async function isFile(path: string): Promise<boolean> {
  return (await lstatOrNull(path))?.isFile() === true;
}

async function holds(path: string, text: string): Promise<boolean> {
  const found = await lstatOrNull(path);
  if (!found?.isFile() || found.size !== Buffer.byteLength(text)) return false;
  return (await readFile(path, 'utf8')) === text;
}

/** What is there, links not followed. Whatever is in the way shows when the file is written. */
export function lstatOrNull(path: string) {
  return lstat(path).catch(() => null);
}
