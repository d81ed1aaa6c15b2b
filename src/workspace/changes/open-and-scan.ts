// Opens a checkout while git already scans it with a copy of the index where it usually lies.
import { type BigIntStats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkout, Head } from '../git/checkout.js';
import { gitDirOf } from '../git/operation-in-progress.js';
import { excludeOwnFilesOf } from '../git/own-files.js';
import { askStatus, glance, type QuickStatus, readStatus } from './quick-status.js';
import { type ScratchIndex, withIndexCopy, withScratchIndex } from './scratch-index.js';

interface Opened {
  readonly checkout: Checkout;
  /** Null: not known. */
  readonly head: Pick<Head, 'sha'> | null;
}

/** As if `open`, the exclude file, the copy of the index and its status came one after the other. */
export async function withScan<O extends Opened, T>(
  root: string,
  open: () => Promise<O>,
  work: (opened: O, scratch: ScratchIndex, found: QuickStatus) => Promise<T>,
): Promise<T> {
  const guess = indexIn(root);
  if (guess === null) return scanAfter(await open(), work);
  return withIndexCopy(guess.path, async (copy) => {
    const [opened, records] = await Promise.allSettled([open(), askStatus(root, copy.options)]);
    if (opened.status === 'rejected') throw opened.reason;
    const { checkout, head } = opened.value;
    // Also a race: the index may be of another moment than HEAD.
    if (!isSame(guess.facts, factsOf(checkout.indexPath))) return scanAfter(opened.value, work);
    const scratch = { ...copy, checkout };
    const commit = head?.sha ?? null;
    if (await excludeOwnFilesOf(checkout)) return work(opened.value, scratch, await glance(scratch, commit));
    if (records.status === 'rejected') throw records.reason;
    return work(opened.value, scratch, readStatus(scratch, records.value, commit));
  });
}

async function scanAfter<O extends Opened, T>(
  opened: O,
  work: (opened: O, scratch: ScratchIndex, found: QuickStatus) => Promise<T>,
): Promise<T> {
  await excludeOwnFilesOf(opened.checkout);
  return withScratchIndex(opened.checkout, async (scratch) =>
    work(opened, scratch, await glance(scratch, opened.head?.sha ?? null)),
  );
}

function indexIn(root: string): { readonly path: string; readonly facts: BigIntStats } | null {
  const gitDir = gitDirOf(root);
  if (gitDir === null) return null;
  const path = join(gitDir, 'index');
  const facts = factsOf(path);
  return facts === null ? null : { path, facts };
}

function factsOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    // Not readable: git will say why.
    return null;
  }
}

/** Git replaces the file with each change. */
function isSame(before: BigIntStats, now: BigIntStats | null): boolean {
  if (now?.dev !== before.dev || now.ino !== before.ino) return false;
  return now.size === before.size && now.mtimeNs === before.mtimeNs;
}
