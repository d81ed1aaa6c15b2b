// Finds local changes that conflict with a returned bundle.

import type { RawChange } from '../changes/raw-change.js';
import {
  changedFrom,
  isSubmodule,
  putChanges,
  resetScratch,
  type ScratchIndex,
  snapshot,
  writeTree,
} from '../changes/scratch-index.js';
import type { Checkout } from '../git/checkout.js';
import { git, wholeTreeMs } from '../git/git.js';
import { isLive } from '../git/own-files.js';
import type { Packed } from './bundle-note.js';

export interface PresentState {
  readonly tree: string;
  readonly local: ReadonlyMap<string, RawChange>;
  /** Blob ids at the time of sending. */
  readonly ownBefore: ReadonlyMap<string, string>;
}

const changesMax = 50_000;
const changesMaxBytes = 1024 * 1024 * 1024;

/** Own files and submodules come from the returned bundle, so they never conflict. */
export async function readPresent(
  scratch: ScratchIndex,
  from: Packed,
  changes: readonly RawChange[],
): Promise<PresentState> {
  const { checkout } = scratch;
  const known = changes.filter(
    (change) => change.status === 'A' || isLive(checkout, change.path) || isSubmodule(change),
  );
  await resetScratch(scratch, from.work);
  await putChanges(scratch, known);
  const tree = await snapshot(scratch, await writeTree(scratch));
  const local = await changedFrom(scratch, from.work);
  return {
    tree,
    local: new Map(local.map((change) => [change.path, change])),
    ownBefore: new Map(from.own.map(({ path, sha }) => [`${checkout.prefixBytes}${path}`, sha])),
  };
}

/** Changed on both sides, differently. */
export function findClashes({ local, ownBefore }: PresentState, changes: readonly RawChange[]): string[] {
  const clashes = new Set<string>();
  const wanted = new Set(changes.filter(({ newMode }) => newMode !== '000000').map(({ path }) => path));
  for (const { path, newMode, newSha } of changes) {
    const mine = local.get(path);
    const isMine = mine !== undefined && (mine.newMode !== newMode || mine.newSha !== newSha);
    // Committed remotely and unchanged here: no clash.
    if (isMine && ownBefore.get(path) !== mine.newSha) clashes.add(path);
    if (newMode === '000000') continue;
    const file = foldersOf(path).find((folder) => isThere(local.get(folder)) && !wanted.has(folder));
    if (file !== undefined) clashes.add(file);
  }
  for (const change of local.values()) {
    if (isThere(change) && foldersOf(change.path).some((folder) => wanted.has(folder))) clashes.add(change.path);
  }
  return [...clashes];
}

function isThere(change: RawChange | undefined): boolean {
  return change !== undefined && change.newMode !== '000000';
}

export function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

export async function findOversize(checkout: Checkout, changes: readonly RawChange[]): Promise<string | null> {
  if (changes.length > changesMax) return `it changes ${changes.length} files; the limit is ${changesMax}`;
  const shas = changes.filter(({ newMode }) => !/^(000000|160000)$/.test(newMode)).map(({ newSha }) => newSha);
  if (shas.length === 0) return null;
  const input = Buffer.from(shas.map((sha) => `${sha}\n`).join(''));
  const args = ['cat-file', '--batch-check=%(objectsize)'];
  const out = await git(checkout.top, args, { input, timeoutMs: wholeTreeMs });
  const sizes = out.trim().split('\n').map(Number);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= changesMaxBytes) return null;
  return Number.isNaN(bytes)
    ? 'some of its files are missing'
    : `its changes have ${bytes} bytes, which is over the limit`;
}
