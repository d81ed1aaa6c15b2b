// In the worktree's git folder, so that it disappears with it.
import { join } from 'node:path';
import { findCheckout } from '../git/checkout.js';
import { writeGitNote } from '../git/git-note.js';
import { readPlain } from '../git/read-within.js';

const fileName = 'bosun-setup';

export async function isFit(folder: string, line: string): Promise<boolean> {
  return (await readPlain(await pathOf(folder)).catch(() => null)) === line;
}

export async function noteFit(folder: string, line: string): Promise<void> {
  writeGitNote(await pathOf(folder), line);
}

async function pathOf(folder: string): Promise<string> {
  return join((await findCheckout(folder)).gitDir, fileName);
}
