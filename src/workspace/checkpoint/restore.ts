// Moves files and index between known trees; files in neither survive.

import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { glance, type QuickStatus } from '../changes/quick-status.js';
import type { RawChange } from '../changes/raw-change.js';
import {
  changedFrom,
  putBack,
  resetScratch,
  type ScratchIndex,
  type Snapshot,
  snapshotAndChanges,
  writeTree,
} from '../changes/scratch-index.js';
import { type Checkout, tellPaths } from '../git/checkout.js';
import { askGit, git, gitError, gitRecords, lastLines, onDisk, toBytes, toText, wholeTreeMs } from '../git/git.js';

export interface Conflict {
  readonly kind: 'conflict';
  readonly why: string;
  readonly hint: string;
}

export function conflict(why: string, hint: string): Conflict {
  return { kind: 'conflict', why, hint };
}

/** Starts from `tree`'s file list, which keeps files that were untracked then and are ignored now. */
export async function snapshotAgainst(scratch: ScratchIndex, tree: string): Promise<string> {
  await resetScratch(scratch, tree);
  return (await presentAgainst(scratch, tree, await glance(scratch, null))).tree;
}

/** As `snapshotAgainst`, from a scratch index with the entries of `tree`, just scanned. */
export async function presentAgainst(scratch: ScratchIndex, tree: string, found: QuickStatus): Promise<Snapshot> {
  return leaveFormerlyIgnored(scratch, tree, await snapshotAndChanges(scratch, tree, found));
}

/** Dry run of `moveFiles`. */
export async function tryMove(
  scratch: ScratchIndex,
  from: string,
  to: string,
  fresh?: readonly string[],
): Promise<Conflict | null> {
  return (await findBlocked(scratch, to, fresh)) ?? readTree(scratch, ['--dry-run'], from, to);
}

async function findBlocked(scratch: ScratchIndex, to: string, fresh?: readonly string[]): Promise<Conflict | null> {
  const obstacle = await findObstacle(scratch, fresh ?? deletedIn(await changedFrom(scratch, to)));
  if (obstacle === null) return null;
  const [told = ''] = tellPaths(scratch.checkout, [Buffer.from(obstacle).toString('latin1')]);
  return conflict(`${told} is in the way and cannot be saved`, 'Move it away, then try again.');
}

/**
 * The scratch index must hold `from`. Git checks every file before it changes the first. `fresh`: the paths that only
 * `to` has, if known.
 */
export async function moveFiles(
  scratch: ScratchIndex,
  from: string,
  to: string,
  fresh?: readonly string[],
): Promise<Conflict | null> {
  return (await findBlocked(scratch, to, fresh)) ?? readTree(scratch, [], from, to);
}

export function deletedIn(changes: readonly RawChange[]): string[] {
  return changes.filter(({ status }) => status === 'D').map(({ path }) => path);
}

export async function setIndex(checkout: Checkout, tree: string, config: readonly string[] = []): Promise<void> {
  await git(checkout.top, ['read-tree', '--reset', tree], { config, timeoutMs: wholeTreeMs });
  await refreshIndex(checkout, config);
}

/** Stat data only. */
export async function refreshIndex(checkout: Checkout, config: readonly string[] = []): Promise<void> {
  // Exit code 1: files differ.
  await askGit(checkout.top, ['update-index', '-q', '--refresh'], { config, timeoutMs: wholeTreeMs });
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
    `git cannot change the files: ${lastLines(answer.err, 4)}`,
    'Move away the files it names, then try again.',
  );
}

/**
 * Security: after a .gitignore edit a formerly ignored file (a person's .env) looks new, and a rollback would delete
 * it. Drops such files from the scratch index by the rules of `base`.
 */
async function leaveFormerlyIgnored(scratch: ScratchIndex, base: string, present: Snapshot): Promise<Snapshot> {
  const { changes } = present;
  if (!changes.some(({ path }) => path === '.gitignore' || path.endsWith('/.gitignore'))) return present;
  const added = changes.filter(({ status }) => status === 'A');
  if (added.length === 0) return present;
  const ignored = await listIgnoredThen(
    scratch,
    base,
    added.map(({ path }) => path),
  );
  if (ignored.size === 0) return present;
  await putBack(
    scratch,
    added.filter(({ path }) => ignored.has(path)),
  );
  return { tree: await writeTree(scratch), changes: await changedFrom(scratch, base) };
}

// Git reads ignore rules only from files.
async function listIgnoredThen(scratch: ScratchIndex, base: string, paths: readonly string[]): Promise<Set<string>> {
  const { checkout, folder } = scratch;
  const rules = join(folder, 'rules');
  await mkdir(rules);
  const env = { GIT_INDEX_FILE: join(folder, 'index-of-then') };
  const then = { ...scratch.options, env };
  await git(checkout.top, ['read-tree', base], then);
  const files = await gitRecords(checkout.top, ['ls-files', '-z', '--', ':(top,glob)**/.gitignore'], then);
  const checkoutArgs = ['checkout-index', '-z', '--stdin', `--prefix=${rules}/`];
  await git(checkout.top, checkoutArgs, { ...then, input: toBytes(files) });
  const args = [`--git-dir=${checkout.gitDir}`, `--work-tree=${rules}`, 'check-ignore', '--no-index', '-z', '--stdin'];
  const answer = await askGit(rules, args, { ...then, input: toBytes(paths) });
  if (answer.exit > 1) throw gitError(checkout.top, ['check-ignore'], answer);
  return new Set(answer.out.split('\0').filter((path) => path !== ''));
}

// Argument lists are limited in length.
const atOnceMax = 500;

/** Git overwrites ignored files, which may be a person's. Returns one that would be lost. */
async function findObstacle(scratch: ScratchIndex, paths: readonly string[]): Promise<string | null> {
  const inTheWay = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    const place = await findTakenPlace(scratch.checkout, path, folders);
    if (place !== null) inTheWay.add(place);
  }
  const places = [...inTheWay].map((place) => `:(top,literal)${toText(place)}`);
  for (let at = 0; at < places.length; at += atOnceMax) {
    const args = ['ls-files', '--others', '-z', '--', ...places.slice(at, at + atOnceMax)];
    const [lost] = await gitRecords(scratch.checkout.top, args, scratch.options);
    if (lost !== undefined) return toText(lost);
  }
  return null;
}

async function findTakenPlace(checkout: Checkout, path: string, folders: Set<string>): Promise<string | null> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const place = parts.slice(0, depth).join('/');
    if (folders.has(place)) continue;
    const found = await lstat(onDisk(checkout.top, place)).catch(() => null);
    if (found === null) return null;
    if (depth === parts.length || !found.isDirectory()) return place;
    folders.add(place);
  }
  return null;
}
