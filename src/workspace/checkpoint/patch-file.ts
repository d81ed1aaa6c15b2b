// Saves what a rollback removes as a `git apply` patch.
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BosunError } from '../../base/index.js';
import type { Checkout } from '../git/checkout.js';
import { git, toText, wholeTreeMs } from '../git/git.js';
import type { Checkpoint } from './checkpoint.js';
import { patchFlags } from './diff.js';

const namesMax = 100;
const commitsMax = 50;

interface Removed {
  readonly from: Pick<Checkpoint, 'head' | 'tree'>;
  readonly present: string;
  /** Its commits since `from` are named. */
  readonly head: string;
}

/** On disk, but not yet under its name. */
export interface PatchDraft {
  /** `wanted`, or `wanted.2` …: earlier patches stay. */
  keep(): Promise<string>;
  drop(): Promise<void>;
}

export async function savePatch(
  checkout: Checkout,
  from: Removed['from'],
  present: string,
  wanted: string,
): Promise<string> {
  return (await draftPatch(checkout, { from, present, head: 'HEAD' }, wanted)).keep();
}

export async function draftPatch(checkout: Checkout, removed: Removed, wanted: string): Promise<PatchDraft> {
  const path = findFreeName(wanted);
  const part = `${path}.part`;
  await orDrop(path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(part, { force: true });
    await writeFile(part, await describe(checkout, removed), { flag: 'wx', mode: 0o600 });
    const args = ['diff-tree', '-p', '--binary', ...patchFlags, removed.from.tree, removed.present, '--'];
    await git(checkout.top, args, { appendTo: part, timeoutMs: wholeTreeMs });
    await flush(part);
  });
  return {
    keep: async () => {
      await orDrop(path, () => rename(part, path));
      return path;
    },
    drop: () => rm(part, { force: true }),
  };
}

async function orDrop(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    // May fail for the same reason; report the first.
    await rm(`${path}.part`, { force: true }).catch(() => null);
    if (cause instanceof BosunError) throw cause;
    throw new BosunError('disk', `Cannot write ${path}`, {
      hint: 'Nothing was rolled back. Free some disk space or grant write access, then retry.',
      cause,
    });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

// git apply skips text before the first `diff --git`.
async function describe(checkout: Checkout, { from, head }: Removed): Promise<string> {
  const title = `# Rolled back by Bosun. To restore it: git -C ${JSON.stringify(checkout.top)} apply <this file>\n`;
  if (head === from.head) return title;
  const args = [
    'log',
    `--max-count=${commitsMax}`,
    '--no-color',
    '--format=# commit %H %s',
    `${from.head}..${head}`,
    '--',
  ];
  const commits = toText(await git(checkout.top, args));
  return `${title}${commits}`;
}

function findFreeName(wanted: string): string {
  for (let n = 1; n <= namesMax; n++) {
    const name = n === 1 ? wanted : `${wanted}.${n}`;
    if (!existsSync(name)) return name;
  }
  throw new BosunError('disk', `${namesMax} files named ${wanted} already exist`, {
    hint: 'Move some of them away.',
  });
}
