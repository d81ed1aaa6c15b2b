// Submodules are repositories of their own: Bosun neither commits nor takes back what is in them, and says so.
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkout, findCheckout, tellPaths } from '../git/checkout.js';
import { gitRecords, toText, wholeTreeMs } from '../git/git.js';

const status = ['status', '--porcelain=v2', '-z', '--untracked-files=no', '--no-renames'];

/** Those that hold work, or stand at another commit than the project wants; relative to the project's folder. */
export async function dirtySubmodules(root: string): Promise<readonly string[]> {
  const checkout = await findCheckout(root);
  if (!existsSync(join(checkout.top, '.gitmodules'))) return [];
  const options = { timeoutMs: wholeTreeMs };
  const moved = (await gitRecords(checkout.top, [...status, '--ignore-submodules=dirty'], options))
    // `1 XY sub mH mI mW hH hI path`, where `sub` begins with S for a submodule.
    .filter((record) => /^1 .. S/.test(record))
    .map((record) => record.split(' ').slice(8).join(' '));
  const all = await gitRecords(checkout.top, ['ls-files', '--stage', '-z'], options);
  const paths = all.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const dirty: string[] = [];
  for (const path of paths) if (moved.includes(path) || (await holdsWork(checkout, path))) dirty.push(path);
  return tellPaths(checkout, dirty);
}

/** One whose settings lie in its own folder may have been put there by an agent: git is not run in it. */
async function holdsWork(checkout: Checkout, path: string): Promise<boolean> {
  const folder = join(checkout.top, toText(path));
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isFile() !== true) return false;
  return (await gitRecords(folder, [...status, '--ignore-submodules=all'], { timeoutMs: wholeTreeMs })).length > 0;
}
