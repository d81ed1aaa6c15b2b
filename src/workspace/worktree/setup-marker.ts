// Records in the worktree's git folder that its setup command ran, so the marker disappears with the worktree.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BosunError, writeOwnFile } from '../../base/index.js';
import { findCheckout } from '../git/checkout.js';

const fileName = 'bosun-setup';

/** True if setup ran with exactly this command line. */
export async function isFit(folder: string, line: string): Promise<boolean> {
  return (await readFile(await pathOf(folder), 'utf8').catch(() => null)) === line;
}

export async function noteFit(folder: string, line: string): Promise<void> {
  const path = await pathOf(folder);
  try {
    writeOwnFile(dirname(path), path, line);
  } catch (cause) {
    throw new BosunError('git', `Cannot write ${path}`, { hint: 'Make room, or give access to it.', cause });
  }
}

async function pathOf(folder: string): Promise<string> {
  return join((await findCheckout(folder)).gitDir, fileName);
}
