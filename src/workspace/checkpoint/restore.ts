// Moving the files and the index of a checkout between known trees, without losing what neither tree knows.

import { glance } from '../changes/quick-status.js';
import { changedFrom, resetScratch, type ScratchIndex, snapshot } from '../changes/scratch-index.js';
import type { Checkout } from '../git/checkout.js';
import { tellPaths } from '../git/checkout.js';
import { askGit, git, lastLines, wholeTreeMs } from '../git/git.js';
import { leaveFormerlyIgnored } from './formerly-ignored.js';
import { findObstacle } from './obstacle.js';

export interface Conflict {
  readonly kind: 'conflict';
  readonly why: string;
  readonly hint: string;
}

export function conflict(why: string, hint: string): Conflict {
  return { kind: 'conflict', why, hint };
}

/**
 * The present state as a tree, as far as `tree` or its ignore rules know it. Starting from that tree's own list of
 * files keeps one in view that was untracked then and is ignored now.
 */
export async function snapshotAgainst(scratch: ScratchIndex, tree: string): Promise<string> {
  await resetScratch(scratch, tree);
  const found = await glance(scratch, null);
  const present = await snapshot(scratch, tree, found);
  return leaveFormerlyIgnored(scratch, tree, present);
}

/** Checks all that `moveFiles` would do, and does nothing. */
export async function tryMove(scratch: ScratchIndex, from: string, to: string): Promise<Conflict | null> {
  const missing = (await changedFrom(scratch, to)).filter(({ status }) => status === 'D').map(({ path }) => path);
  const obstacle = await findObstacle(scratch, missing);
  if (obstacle === null) return readTree(scratch, ['--dry-run'], from, to);
  const [told = ''] = tellPaths(scratch.checkout, [Buffer.from(obstacle).toString('latin1')]);
  return conflict(`${told} is in the way, and it is not part of what can be saved`, 'Move it aside, then try again.');
}

/** Git checks every file against the scratch index, which holds `from`, and then touches only those that differ. */
export async function moveFiles(scratch: ScratchIndex, from: string, to: string): Promise<Conflict | null> {
  return (await tryMove(scratch, from, to)) ?? readTree(scratch, [], from, to);
}

/** Sets the real index to a tree, keeping what it knows about files that stay the same. */
export async function setIndex(checkout: Checkout, tree: string, config: readonly string[] = []): Promise<void> {
  const options = { config, timeoutMs: wholeTreeMs };
  await git(checkout.top, ['read-tree', '--reset', tree], options);
  // Exit 1 only says that files differ from it.
  await askGit(checkout.top, ['update-index', '-q', '--refresh'], options);
}

async function readTree(
  scratch: ScratchIndex,
  flags: readonly string[],
  from: string,
  to: string,
): Promise<Conflict | null> {
  const args = ['read-tree', ...flags, '-m', '-u', '--no-recurse-submodules', from, to];
  const answer = await askGit(scratch.checkout.top, args, scratch.options);
  if (answer.exit === 0) return null;
  return conflict(
    `the files cannot be moved: ${lastLines(answer.err, 4)}`,
    'Move aside what it names, then try again.',
  );
}
