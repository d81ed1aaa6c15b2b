// Discards an aborted run's uncommitted changes, or commits them to a branch. A file counts only while it is exactly as
// agents left it.
// Crash safety: check everything → patch or branch → files → index; a retry finds what is left.
import { existsSync } from 'node:fs';
import type { Change } from '../../engine/index.js';
import type { RawChange } from '../changes/raw-change.js';
import {
  putBack,
  putChanges,
  resetScratch,
  type ScratchIndex,
  withScratchIndex,
  writeStaged,
  writeTree,
} from '../changes/scratch-index.js';
import { diffTrees, hasTree } from '../checkpoint/diff.js';
import { listChanges } from '../checkpoint/move-checkout.js';
import { savePatch } from '../checkpoint/patch-file.js';
import { type Conflict, conflict, moveFiles, setIndex, snapshotAgainst, tryMove } from '../checkpoint/restore.js';
import { type Checkout, type OpenedHead, openHead, tellPaths, unfinishedIn } from '../git/checkout.js';
import { askGit, git, gitLine, toText } from '../git/git.js';
import { findIdentity } from '../git/identity.js';
import { excludeOwnFilesOf } from '../git/own-files.js';

/** Before and after one attempt; `to` null: killed, or not measured. */
export interface WorkSpan {
  readonly from: string;
  readonly to: string | null;
}

export interface LeftRange {
  readonly from: string;
  readonly to: string;
}

const filesMax = 20;

/** Null: nothing left. */
export async function findLeftovers(root: string, spans: readonly WorkSpan[]): Promise<Change | null> {
  const opened = await openHead(root);
  const { checkout, head } = opened;
  await excludeOwnFilesOf(checkout);
  return withScratchIndex(checkout, async (scratch) => {
    const present = await snapshotAgainst(scratch, head.tree);
    const changes = await listChanges(checkout, head.tree, present);
    if (changes.length === 0 || spans.length === 0) return null;
    const others = await changedByOthers(checkout, spans, present);
    const mine = changes.filter(({ path }) => !others.has(path));
    if (mine.length === 0) return null;
    await resetScratch(scratch, head.tree);
    await putChanges(scratch, mine);
    const to = await writeTree(scratch);
    const { stat, changes: files } = await diffTrees(checkout, head.tree, to);
    return { from: head.tree, to, stat, files: files.slice(0, filesMax) };
  });
}

/** While no attempt ran, so by a person. */
async function changedByOthers(
  checkout: Checkout,
  spans: readonly WorkSpan[],
  present: string,
): Promise<ReadonlySet<string>> {
  const gaps = spans.map(({ to }, index) => ({ from: to, to: spans[index + 1]?.from ?? present }));
  const found = new Set<string>();
  for (const { from, to } of gaps) {
    if (from === null || from === to || !(await hasTree(checkout, from)) || !(await hasTree(checkout, to))) continue;
    for (const { path } of await listChanges(checkout, from, to)) found.add(path);
  }
  return found;
}

export async function sortLeftovers(
  root: string,
  range: LeftRange,
): Promise<{ readonly left: readonly string[]; readonly others: readonly string[] }> {
  const opened = await openHead(root);
  const { checkout } = opened;
  await excludeOwnFilesOf(checkout);
  if (!(await areThere(checkout, range))) return { left: [], others: [] };
  return withScratchIndex(checkout, async (scratch) => {
    const { left, others } = await compare(scratch, opened, range);
    const told = (changes: readonly RawChange[]) =>
      tellPaths(
        checkout,
        changes.map(({ path }) => path),
      );
    return { left: told(left), others: told(others) };
  });
}

export type ClearResult =
  /** `savedTo` null: nothing was left. `kept`: changed since. */
  { readonly kind: 'done'; readonly files: number; readonly savedTo: string | null; readonly kept: number } | Conflict;

/** Saves a patch first. */
export async function discardLeftovers(
  root: string,
  range: LeftRange,
  { saveTo }: { readonly saveTo: string },
): Promise<ClearResult> {
  return withLeftovers(root, range, async (scratch, opened, found) => {
    const { checkout, head } = opened;
    return takeAway(scratch, opened, found, (target) =>
      savePatch(checkout, { head: head.sha, tree: target }, found.present, saveTo),
    );
  });
}

export type BranchedResult =
  | { readonly kind: 'done'; readonly files: number; readonly commit: string | null; readonly kept: number }
  | Conflict;

/** Removes them from the checkout. Idempotent: a retry finds the commit by its message. */
export async function branchLeftovers(
  root: string,
  range: LeftRange,
  { branch, message }: { readonly branch: string; readonly message: string },
): Promise<BranchedResult> {
  return withLeftovers(root, range, async (scratch, opened, found) => {
    const { checkout, head } = opened;
    const { left, staged, kept } = found;
    const ref = `refs/heads/${branch}`;
    const made = await findMade(checkout, ref, message);
    if (left.length === 0) return { kind: 'done', files: 0, commit: made, kept };
    const done = { kind: 'done', files: left.length, kept } as const;
    if (head.branch === branch) {
      await setIndex(checkout, await treeWith(scratch, staged, () => putChanges(scratch, left)));
      return { ...done, commit: await commitOnto(scratch, opened, { left, ref, was: head.sha, message }) };
    }
    const commit = made ?? (await commitOnto(scratch, opened, { left, ref, was: '', message }));
    const cleared = await takeAway(scratch, opened, found, async () => null);
    return cleared.kind === 'done' ? { ...done, commit } : cleared;
  });
}

interface Found {
  readonly present: string;
  readonly staged: string;
  readonly left: readonly RawChange[];
  readonly kept: number;
}

async function withLeftovers<T>(
  root: string,
  range: LeftRange,
  act: (scratch: ScratchIndex, opened: OpenedHead, found: Found) => Promise<T | Conflict>,
): Promise<T | Conflict> {
  const opened = await openHead(root);
  const { checkout } = opened;
  await excludeOwnFilesOf(checkout);
  const begun = unfinishedIn(checkout.gitDir);
  if (begun !== null) return conflict(`${begun.what} is unfinished in ${checkout.root}`, begun.way);
  if (existsSync(`${checkout.indexPath}.lock`)) {
    const hint = `If no git process is running there, delete the stale lock ${checkout.indexPath}.lock.`;
    return conflict(`another git process is working in ${checkout.root}`, hint);
  }
  if (!(await areThere(checkout, range)))
    return conflict('git gc deleted the record of what was left', `Look at it yourself: git -C ${root} status`);
  return withScratchIndex(checkout, async (scratch) => {
    const staged = await writeStaged(scratch);
    if (staged === null)
      return conflict(`files in ${checkout.root} have unresolved merge conflicts`, 'Resolve them, then try again.');
    return act(scratch, opened, { staged, ...(await compare(scratch, opened, range)) });
  });
}

async function areThere(checkout: Checkout, { from, to }: LeftRange): Promise<boolean> {
  return (await hasTree(checkout, from)) && (await hasTree(checkout, to));
}

async function compare(scratch: ScratchIndex, { checkout, head }: OpenedHead, { from, to }: LeftRange) {
  const present = await snapshotAgainst(scratch, head.tree);
  const wanted = await listChanges(checkout, from, to);
  const same = new Set(wanted.map(keyOf));
  const paths = new Set(wanted.map(({ path }) => path));
  const now = await listChanges(checkout, head.tree, present);
  const others = now.filter((change) => !same.has(keyOf(change)));
  return {
    present,
    left: now.filter((change) => same.has(keyOf(change))),
    others,
    kept: others.filter(({ path }) => paths.has(path)).length,
  };
}

function keyOf({ oldMode, newMode, oldSha, newSha, path }: RawChange): string {
  return [oldMode, newMode, oldSha, newSha, path].join(' ');
}

async function treeWith(scratch: ScratchIndex, tree: string, change: () => Promise<void>): Promise<string> {
  await resetScratch(scratch, tree);
  await change();
  return writeTree(scratch);
}

async function findMade(checkout: Checkout, ref: string, message: string): Promise<string | null> {
  const answer = await askGit(checkout.top, ['log', '-1', '--format=%H%n%B', ref, '--']);
  const [sha = '', ...body] = answer.exit === 0 ? toText(answer.out).split('\n') : [];
  return sha !== '' && body.join('\n').trim() === message.trim() ? sha : null;
}

/** `was`: the branch's commit, '' if new; git refuses if it moved (race). */
async function commitOnto(
  scratch: ScratchIndex,
  { checkout, head }: OpenedHead,
  { left, ref, was, message }: { left: readonly RawChange[]; ref: string; was: string; message: string },
): Promise<string> {
  const { top } = checkout;
  const tree = await treeWith(scratch, head.tree, () => putChanges(scratch, left));
  const args = ['commit-tree', '--no-gpg-sign', tree, '-p', head.sha, '-m', message];
  const commit = await gitLine(top, args, { config: await findIdentity(top) });
  await git(top, ['update-ref', '-m', 'bosun: left over', ref, commit, was || '0'.repeat(commit.length)]);
  return commit;
}

async function takeAway(
  scratch: ScratchIndex,
  { checkout }: OpenedHead,
  { present, staged, left, kept }: Found,
  save: (target: string) => Promise<string | null>,
): Promise<ClearResult> {
  if (left.length === 0) return { kind: 'done', files: 0, savedTo: null, kept };
  const stagedAfter = await treeWith(scratch, staged, () => putBack(scratch, left));
  const target = await treeWith(scratch, present, () => putBack(scratch, left));
  await resetScratch(scratch, present);
  // `read-tree` moves only files with fresh stat data.
  await askGit(checkout.top, ['update-index', '-q', '--refresh'], scratch.options);
  const refused = await tryMove(scratch, present, target);
  if (refused !== null) return refused;
  const savedTo = await save(target);
  const raced = await moveFiles(scratch, present, target);
  if (raced !== null) return raced;
  await setIndex(checkout, stagedAfter);
  return { kind: 'done', files: left.length, savedTo, kept };
}
