// Steps' notes for later steps; agents append to these files.
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { renderScratch } from '../../agents/index.js';
import { ownFolder } from '../../base/index.js';
import type { Chain } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import { isFile, lstatOrNull } from './write-whole.js';

export const runFolder = (root: string, run: string): string => join(root, '.ai', 'runs', run);

export const archiveFolder = (root: string, run: string): string => join(root, 'archive', run);

/** A larger file is left alone. */
const maxBytes = 256 * 1024;

export async function writeScratch(
  root: string,
  spine: Spine,
  changed: readonly string[],
  chainOf: (key: string) => Chain | null,
): Promise<void> {
  const { run, items } = spine;
  const folder = runFolder(root, run.id);
  if (await mayRender(join(folder, 'scratch.md'), run.scratch, isAtWork(spine, ''))) {
    renderScratch(root, folder, null, run.scratch);
  }
  for (const key of changed) {
    const path = join(folder, 'scratch', fileName(key));
    const text = chainOf(key)?.scratch ?? '';
    if (items.find((item) => item.key === key)?.status === 'done') await putAway(path, root, spine);
    else if (await mayRender(path, text, isAtWork(spine, key))) renderScratch(root, folder, key, text);
  }
}

/** A running agent may be appending, and its prompt had the text. */
async function mayRender(path: string, text: string, atWork: boolean): Promise<boolean> {
  if (text === '') return false;
  const found = await lstatOrNull(path);
  return found === null || (!atWork && found.size <= maxBytes);
}

function isAtWork({ run }: Spine, key: string): boolean {
  return run.live.some(({ chain, startedAt }) => chain === key && startedAt !== null);
}

/** Must match `renderScratch`. */
function fileName(key: string): string {
  return `${key === '' ? '_' : key.replaceAll(/[^\w.-]/g, '-').replace(/^\.+/, '-')}.md`;
}

async function putAway(path: string, root: string, { run }: Spine): Promise<void> {
  if (run.oneShot || !(await isFile(path))) return;
  const into = join(archiveFolder(root, run.id), 'scratch', basename(path));
  for (const folder of [dirname(path), dirname(into)]) ownFolder(root, folder);
  await rename(path, into);
  await rm(`${path}.known`, { force: true });
}
