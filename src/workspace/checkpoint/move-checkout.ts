// Keeps a person's changes; conflicting ones block.
// Crash safety: files → index → HEAD, last and atomically, so a retry finds some files moved.
import { existsSync } from 'node:fs';
import { glance, type QuickStatus } from '../changes/quick-status.js';
import { parseRaw, type RawChange } from '../changes/raw-change.js';
import {
  changedFrom,
  putChanges,
  resetScratch,
  type ScratchIndex,
  snapshot,
  withScratchIndex,
  writeStaged,
  writeTree,
} from '../changes/scratch-index.js';
import { type Checkout, tellPaths } from '../git/checkout.js';
import { askGit, gitRecords, wholeTreeMs } from '../git/git.js';
import { type Blocked, blocked } from '../git/unattended.js';
import { moveFiles, setIndex } from './restore.js';

export type CheckoutMoved =
  | { readonly kind: 'moved' }
  /** Everything was restored. */
  | { readonly kind: 'undone'; readonly cause: unknown }
  | Blocked;

const toldMax = 10;

/** `point` must check `to` out. */
export async function moveCheckout(
  checkout: Checkout,
  from: string,
  to: string,
  point: () => Promise<unknown>,
): Promise<CheckoutMoved> {
  const locked = lockedBy(checkout, checkout.root);
  if (locked !== null) return locked;
  const changes = await listChanges(checkout, from, to);
  return withScratchIndex(checkout, async (scratch) => {
    const found = await glance(scratch, from);
    const isMoved = found.isClean && (await tryMoveClean(scratch, from, to, changes));
    const trees = isMoved
      ? { present: from, presentAfter: to, staged: from, stagedAfter: to }
      : await moveWithChanges(scratch, from, changes, found);
    if ('kind' in trees) return trees;
    const failure = await moveIndexAndPoint(checkout, point, { before: trees.staged, after: trees.stagedAfter });
    if (failure === null) return { kind: 'moved' };
    const stuck = await moveFiles(scratch, trees.presentAfter, trees.present);
    if (stuck !== null) return blocked(`${stuck.why}, in ${checkout.root}`, stuck.hint);
    return { kind: 'undone', cause: failure.cause };
  });
}

/** False: git found a file changed or stale stat data, and moved none. */
async function tryMoveClean(
  scratch: ScratchIndex,
  from: string,
  to: string,
  changes: readonly RawChange[],
): Promise<boolean> {
  const fresh = changes.filter(({ status }) => status === 'A').map(({ path }) => path);
  return (await moveFiles(scratch, from, to, fresh)) === null;
}

/** Of files and index, before and after the move. */
interface MovedTrees {
  readonly present: string;
  readonly presentAfter: string;
  readonly staged: string;
  readonly stagedAfter: string;
}

async function moveWithChanges(
  scratch: ScratchIndex,
  from: string,
  changes: readonly RawChange[],
  found: QuickStatus,
): Promise<MovedTrees | Blocked> {
  const { checkout } = scratch;
  const staged = await writeStaged(scratch);
  if (staged === null)
    return blocked(`files in ${checkout.root} have unresolved merge conflicts`, 'Run git status there to see them.');
  const stagedAfter = await withChanges(scratch, from, changes);
  if (typeof stagedAfter !== 'string') return stagedAfter;
  await resetScratch(scratch, staged);
  const present = await snapshot(scratch, from, { ...found, large: [] });
  const presentAfter = await withChanges(scratch, from, changes);
  if (typeof presentAfter !== 'string') return presentAfter;
  await resetScratch(scratch, present);
  // `read-tree` moves only files with fresh stat data.
  await askGit(checkout.top, ['update-index', '-q', '--refresh'], scratch.options);
  const refused = await moveFiles(scratch, present, presentAfter);
  if (refused !== null) return blocked(`${refused.why}, in ${checkout.root}`, refused.hint);
  return { present, presentAfter, staged, stagedAfter };
}

/** Null: unlocked. */
export function lockedBy({ indexPath }: Checkout, place: string): Blocked | null {
  if (!existsSync(`${indexPath}.lock`)) return null;
  const hint = `If no git process is running there, delete the stale lock ${indexPath}.lock.`;
  return blocked(`another git process is working in ${place}`, hint);
}

export async function listChanges(checkout: Checkout, from: string, to: string): Promise<RawChange[]> {
  const args = ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none', from, to];
  return parseRaw(await gitRecords(checkout.top, [...args, '--'], { timeoutMs: wholeTreeMs }));
}

async function withChanges(
  scratch: ScratchIndex,
  head: string,
  changes: readonly RawChange[],
): Promise<string | Blocked> {
  const wanted = new Map(changes.map((change) => [change.path, change]));
  const inTheWay = (await changedFrom(scratch, head)).filter(({ path, newMode, newSha }) => {
    const change = wanted.get(path);
    return change !== undefined && (change.newMode !== newMode || change.newSha !== newSha);
  });
  if (inTheWay.length > 0) return inWay(scratch.checkout, inTheWay);
  await putChanges(scratch, changes);
  return writeTree(scratch);
}

function inWay(checkout: Checkout, changes: readonly RawChange[]): Blocked {
  const told = tellPaths(
    checkout,
    changes.slice(0, toldMax).map(({ path }) => path),
  );
  const more = changes.length > toldMax ? ` and ${changes.length - toldMax} more` : '';
  return blocked(
    `local changes in ${checkout.root} are in the way: ${told.join(', ')}${more}`,
    'Commit or git stash them, then try again.',
  );
}

/** Null: success. A failure restores the index. */
async function moveIndexAndPoint(
  checkout: Checkout,
  point: () => Promise<unknown>,
  staged: { readonly before: string; readonly after: string },
): Promise<{ readonly cause: unknown } | null> {
  try {
    await setIndex(checkout, staged.after);
    await point();
    return null;
  } catch (cause) {
    await setIndex(checkout, staged.before).catch(() => null);
    return { cause };
  }
}
