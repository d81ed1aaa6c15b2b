// Archives a run's progress log when it ends, and empties the log if the run completed.
import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownFolder, writeOwnFile } from '../../base/index.js';
import type { Run } from '../../engine/index.js';
import { archiveFolder, runFolder } from './scratch-files.js';
import { isFile } from './write-whole.js';

/** Larger logs are left in place. */
const maxBytes = 16 * 1024 * 1024;

export async function archiveProgress(root: string, run: Run): Promise<void> {
  const live = join(runFolder(root, run.id), 'progress.txt');
  if (!(await isFile(live))) return;
  // Security: a symbolic or hard link planted there would make us read or truncate another file.
  ownFolder(root, dirname(live));
  const handle = await open(live, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    if ((await handle.stat()).nlink > 1) throw new Error(`${live} has another hard link`);
    const text = await readBounded(handle, live);
    if (text.length === 0) return;
    await copyWhole(root, text, join(archiveFolder(root, run.id), 'progress.txt'));
    if (run.status === 'completed') await handle.truncate(0);
  } finally {
    await handle.close();
  }
}

async function readBounded(handle: FileHandle, path: string): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > maxBytes) {
    throw new Error(`${path} has ${size} bytes and the limit is ${maxBytes}: move it away by hand`);
  }
  return handle.readFile();
}

async function copyWhole(root: string, text: Buffer, into: string): Promise<void> {
  if ((await isFile(into)) && text.equals(await readFile(into))) return;
  writeOwnFile(root, into, text);
}
