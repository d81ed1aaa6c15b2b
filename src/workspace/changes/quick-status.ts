// One look at a checkout, which spares most of what else would be asked where nothing has changed since its last commit.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitRecords } from '../git/git.js';
import { type LargeFile, largeAmong, notedMaxBytes } from './large-files.js';
import type { ScratchIndex } from './scratch-index.js';

export interface QuickStatus {
  /** The files, and what is staged, are those of the commit. */
  readonly isClean: boolean;
  /** What is staged is what was committed. */
  readonly isUnstaged: boolean;
  /** Repositories that lie inside this one without being submodules; one character a byte. */
  readonly embedded: readonly string[];
  /** Changed or untracked files that are not noted, for their size. */
  readonly large: readonly LargeFile[];
}

/** `commit`: what is believed to be checked out; null: nothing is. */
export async function glance(
  scratch: ScratchIndex,
  commit: string | null,
  aboveBytes = notedMaxBytes,
): Promise<QuickStatus> {
  const { checkout, options } = scratch;
  const records = await gitRecords(checkout.top, statusArgs, options);
  // Somebody may have committed since, or gone over to another branch.
  const isThere = commit !== null && records.includes(`# branch.oid ${commit}`);
  const entries = records.filter((record) => !record.startsWith('# '));
  return {
    isClean: isThere && entries.length === 0 && !isSparse(scratch),
    isUnstaged: isThere && entries.every((entry) => /^(\? |1 \.)/.test(entry)),
    // Git lists them with a slash at the end.
    embedded: entries.filter((entry) => /^\? .*\/$/s.test(entry)).map((entry) => entry.slice(2, -1)),
    large: largeAmong(checkout, entries, aboveBytes),
  };
}

const statusArgs = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--no-ahead-behind',
  '--untracked-files=all',
  // The commit that a submodule stands at counts, and what is in it does not.
  '--ignore-submodules=dirty',
  '--no-renames',
];

/** Work outside of what is checked out of a sparse checkout is work; an older git does not see it there. */
export function isSparse({ checkout }: ScratchIndex): boolean {
  return existsSync(join(checkout.gitDir, 'info', 'sparse-checkout'));
}
