// One `git status` call that makes most other git calls unnecessary when nothing has changed since the last commit.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitRecords } from '../git/git.js';
import { type LargeFile, largeAmong, notedMaxBytes } from './large-files.js';
import type { ScratchIndex } from './scratch-index.js';

export interface QuickStatus {
  /** Files and index equal the commit. */
  readonly isClean: boolean;
  /** The index equals the commit. */
  readonly isUnstaged: boolean;
  /** Nested repositories that are not submodules; one byte per character. */
  readonly embedded: readonly string[];
  /** Changed or untracked files above the size limit. */
  readonly large: readonly LargeFile[];
  /** What differs from the index, one byte per character; null: more than plain files, which only git can tell apart. */
  readonly changed: readonly string[] | null;
}

/** `commit`: the expected HEAD; null if unknown. */
export async function glance(
  scratch: ScratchIndex,
  commit: string | null,
  aboveBytes = notedMaxBytes,
): Promise<QuickStatus> {
  const { checkout, options } = scratch;
  const records = await gitRecords(checkout.top, statusArgs, options);
  // Race: a person may have committed or switched branches.
  const isThere = commit !== null && records.includes(`# branch.oid ${commit}`);
  const entries = records.filter((record) => !record.startsWith('# '));
  return {
    isClean: isThere && entries.length === 0 && !isSparse(scratch),
    isUnstaged: isThere && entries.every((entry) => /^(\? |1 \.)/.test(entry)),
    // Git lists nested repositories with a trailing slash.
    embedded: entries.filter((entry) => /^\? .*\/$/s.test(entry)).map((entry) => entry.slice(2, -1)),
    large: largeAmong(checkout, entries, aboveBytes),
    changed: isSparse(scratch) ? null : changedFiles(entries),
  };
}

/** Null for unmerged files and submodules. */
function changedFiles(entries: readonly string[]): readonly string[] | null {
  const paths: string[] = [];
  for (const entry of entries) {
    if (entry.startsWith('? ')) {
      if (!entry.endsWith('/')) paths.push(entry.slice(2));
    } else if (!/^1 .. N/.test(entry)) return null;
    // `1 XY sub mH mI mW hH hI path`, where Y is the change against the index.
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
  // Reports a submodule that moved to another commit, but not changes inside it.
  '--ignore-submodules=dirty',
  '--no-renames',
];

/** In a sparse checkout, work outside the cone counts too, and older versions of git do not report it. */
export function isSparse({ checkout }: ScratchIndex): boolean {
  return existsSync(join(checkout.gitDir, 'info', 'sparse-checkout'));
}
