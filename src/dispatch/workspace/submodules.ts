// Submodules are repositories of their own: Bosun neither commits nor takes back what is in them, and says so.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findCheckout, tellPaths } from './checkout.js';
import { gitRecords, wholeTreeMs } from './git.js';

/** Those that hold work, or stand at another commit than the project wants; relative to the project's folder. */
export async function dirtySubmodules(root: string): Promise<readonly string[]> {
  const checkout = await findCheckout(root);
  if (!existsSync(join(checkout.top, '.gitmodules'))) return [];
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=no', '--ignore-submodules=none', '--no-renames'];
  const records = await gitRecords(checkout.top, args, { timeoutMs: wholeTreeMs });
  // `1 XY sub mH mI mW hH hI path`, where `sub` begins with S for a submodule.
  const dirty = records.filter((record) => /^1 .. S/.test(record));
  return tellPaths(
    checkout,
    dirty.map((record) => record.split(' ').slice(8).join(' ')),
  );
}
