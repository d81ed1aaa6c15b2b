import { findCheckout, readHead } from '../git/checkout.js';
import { askGit } from '../git/git.js';
import { largeBetween, largeInCommits, tellLarge } from './large-files.js';
import { glance } from './quick-status.js';
import { withScratchIndex } from './scratch-index.js';

/** Uncommitted; with `base` also committed since the fork. */
export async function findLargeWork(
  folder: string,
  base: string | null,
  aboveBytes: number,
): Promise<readonly string[]> {
  const checkout = await findCheckout(folder);
  const head = await readHead(checkout);
  const { large } = await withScratchIndex(checkout, (scratch) => glance(scratch, head.sha, aboveBytes));
  const told = tellLarge(checkout, large);
  if (base === null) return told;
  const onto = await readHead(await findCheckout(base));
  const fork = await askGit(checkout.top, ['merge-base', head.sha, onto.sha]);
  if (fork.exit !== 0) return told;
  const committed = await largeBetween(checkout, fork.out.trim(), head.sha, aboveBytes);
  return [...new Set([...told, ...tellLarge(checkout, committed)])];
}

export async function findLargeCommitted(
  folder: string,
  { from, tip }: { readonly from: string | null; readonly tip: string },
  aboveBytes: number,
): Promise<readonly string[]> {
  const checkout = await findCheckout(folder);
  return tellLarge(checkout, await largeInCommits(checkout, from, tip, aboveBytes));
}
