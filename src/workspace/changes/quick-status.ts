// One `git status` often replaces several git calls.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type GitOptions, gitRecords } from '../git/git.js';
import { type LargeFile, largeAmong, notedMaxBytes } from './large-files.js';
import type { ScratchIndex } from './scratch-index.js';

export interface QuickStatus {
  readonly isClean: boolean;
  readonly isUnstaged: boolean;
  /** The index holds exactly the entries of the expected HEAD. */
  readonly isIndexHead: boolean;
  /** Latin1; without submodules. */
  readonly embedded: readonly string[];
  readonly large: readonly LargeFile[];
  /** Null: more than plain files changed, which needs git. */
  readonly changed: readonly string[] | null;
}

export async function glance(
  scratch: ScratchIndex,
  commit: string | null,
  aboveBytes = notedMaxBytes,
): Promise<QuickStatus> {
  return readStatus(scratch, await askStatus(scratch.checkout.top, scratch.options), commit, aboveBytes);
}

/** To be read once the checkout is known. */
export function askStatus(folder: string, options: GitOptions): Promise<readonly string[]> {
  return gitRecords(folder, statusArgs, options);
}

export function readStatus(
  scratch: ScratchIndex,
  records: readonly string[],
  commit: string | null,
  aboveBytes = notedMaxBytes,
): QuickStatus {
  const { checkout } = scratch;
  // Race: a person may have committed or switched.
  const isThere = commit !== null && records.includes(`# branch.oid ${commit}`);
  const entries = records.filter((record) => !record.startsWith('# '));
  return {
    isClean: isThere && entries.length === 0 && !isSparse(scratch),
    isUnstaged: isThere && entries.every((entry) => /^(\? |1 \.)/.test(entry)),
    // Not `.A`: git add --intent-to-add.
    isIndexHead: isThere && !isSparse(scratch) && entries.every((entry) => /^(\? |1 \.[MTD] )/.test(entry)),
    // Nested repositories end in a slash.
    embedded: entries.filter((entry) => /^\? .*\/$/s.test(entry)).map((entry) => entry.slice(2, -1)),
    large: largeAmong(checkout, entries, aboveBytes),
    changed: isSparse(scratch) ? null : changedFiles(entries),
  };
}

function changedFiles(entries: readonly string[]): readonly string[] | null {
  const paths: string[] = [];
  for (const entry of entries) {
    if (entry.startsWith('? ')) {
      if (!entry.endsWith('/')) paths.push(entry.slice(2));
    } else if (!/^1 .. N/.test(entry)) return null;
    // `1 XY sub mH mI mW hH hI path`; Y: change against the index.
    else if (entry[3] !== '.') paths.push(entry.split(' ').slice(8).join(' '));
  }
  return paths;
}

const statusArgs = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--no-ahead-behind',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
  '--no-renames',
];

/** Work outside the cone counts, and older git does not report it. */
export function isSparse({ checkout }: ScratchIndex): boolean {
  return existsSync(join(checkout.gitDir, 'info', 'sparse-checkout'));
}
