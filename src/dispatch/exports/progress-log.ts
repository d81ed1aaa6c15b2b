// A run's progress log: kept when the run ends, and begun anew where it ended well.
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Run } from '../../engine/index.js';
import { archiveFolder, runFolder } from './scratch-files.js';
import { isFile } from './write-whole.js';

/** Larger ones stay where they are. */
const maxBytes = 16 * 1024 * 1024;

export async function archiveProgress(root: string, run: Run): Promise<void> {
  const live = join(runFolder(root, run.id), 'progress.txt');
  if (!(await isFile(live))) return;
  // A link that was put there leads to a file that is not the run's.
  const handle = await open(live, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const text = await readBounded(handle, live);
    if (text.length === 0) return;
    await copyWhole(text, join(archiveFolder(root, run.id), 'progress.txt'));
    if (run.status === 'completed') await handle.truncate(0);
  } finally {
    await handle.close();
  }
}

async function readBounded(handle: FileHandle, path: string): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > maxBytes) {
    throw new Error(`${path} has ${size} bytes, more than the ${maxBytes} that are archived: move it away by hand`);
  }
  return handle.readFile();
}

async function copyWhole(text: Buffer, into: string): Promise<void> {
  if ((await isFile(into)) && text.equals(await readFile(into))) return;
  await mkdir(dirname(into), { recursive: true });
  const temporary = `${into}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o644 });
    await rename(temporary, into);
  } finally {
    await rm(temporary, { force: true });
  }
}
