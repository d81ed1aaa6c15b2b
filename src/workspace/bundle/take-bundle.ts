// Applies the difference between sent and returned bundle, so a person's changes to other files survive.
// Crash safety: check everything → files → HEAD → index → own and shared files; a second call completes the first.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, writeOwnFile } from '../../base/index.js';
import type { RawChange } from '../changes/raw-change.js';
import { putEntries, resetScratch, type ScratchIndex, withScratchIndex, writeTree } from '../changes/scratch-index.js';
import { listChanges } from '../checkpoint/move-checkout.js';
import { moveFiles } from '../checkpoint/restore.js';
import { type Checkout, findCheckout, tellPaths, unfinishedIn } from '../git/checkout.js';
import { askGit, git, toText } from '../git/git.js';
import { excludeOwnFilesOf, isLive } from '../git/own-files.js';
import { type Blocked, blocked } from '../git/unattended.js';
import { realPath } from '../git/worktree-list.js';
import { findClashes, findOversize, foldersOf, type PresentState, readPresent } from './bundle-changes.js';
import { findBarrier } from './bundle-disk.js';
import { type BundlePlace, readBlobs, unloadFiles } from './bundle-files.js';
import { type Move, moveHead, moveIndex, planMove } from './bundle-head.js';
import { type Coming, changedHere, withBoth } from './bundle-merge.js';
import { isPlainPath, isSharedPath, oddBundle, type Packed, type PackedFile, readPacked } from './bundle-note.js';

const lockLooks = 20;
const lockLookEveryMs = 150;

export type TakenBundle =
  /** `stayed`: the local copy is too large or unreadable. */
  | { readonly kind: 'taken'; readonly stayed: readonly string[] }
  | Blocked
  /** A person changed these files; nothing was touched. */
  | { readonly kind: 'clash'; readonly files: readonly string[] };

export async function takeBundle(place: BundlePlace, sent: string, back: string): Promise<TakenBundle> {
  const checkout = await findCheckout(place.folder);
  await excludeOwnFilesOf(checkout);
  const isShared = (path: string) => isSharedPath(path, place.log?.path ?? null);
  const [from, to] = await Promise.all([
    readPacked(checkout.top, sent, isShared),
    readPacked(checkout.top, back, isShared),
  ]);
  if (from.kind === 'blocked') return from;
  if (to.kind === 'blocked') return to;
  const changes = await listChanges(checkout, from.work, to.work);
  const log = to.shared.find(({ path }) => path === place.log?.path) ?? null;
  const cargos = await findCargos(place, checkout, from, withoutLog(to, log));
  const move = await planMove(checkout, from, to);
  if (move.kind === 'blocked') return move;
  const refusal =
    (await findOdd(checkout, to, changes)) ??
    (await findStanding(checkout)) ??
    (await findLink(checkout, cargos, changes));
  if (refusal !== null) return refusal;
  const clashes = (await changedHere(checkout.top, cargos[0])).map((path) => `${checkout.prefixBytes}${path}`);
  const people = clashes.filter((path) => !isLive(checkout, path));
  if (people.length > 0) return { kind: 'clash', files: tellPaths(checkout, people) };
  const refused = await withScratchIndex(checkout, (scratch) => apply(scratch, { from, to, changes, move }));
  if (refused !== null) return refused;
  await unload(checkout, cargos[0]);
  await unloadLog(checkout, place, log);
  // Parallel items write to this folder; the lock keeps their additions.
  const stayed = await inTurn(await realPath(place.shared), async () => {
    const shared = await withBoth(checkout.top, cargos[1]);
    await unload(checkout, shared);
    return shared.stayed.map(toText);
  });
  return { kind: 'taken', stayed: stayed ?? [] };
}

function withoutLog(packed: Packed, log: PackedFile | null): Packed {
  return { ...packed, shared: packed.shared.filter((file) => file !== log) };
}

/** Replaces the streamed lines by the complete log. */
async function unloadLog({ top }: Checkout, place: BundlePlace, log: PackedFile | null): Promise<void> {
  if (log === null || place.log === null) return;
  const { folder, path } = place.log;
  const [content = new Uint8Array()] = await readBlobs(top, [log.sha]);
  writeOwnFile(dirname(folder), join(folder, path), content, 0o600);
}

function unload({ top }: Checkout, { base, files, gone }: Coming): Promise<void> {
  return unloadFiles(top, base, files, gone);
}

async function findOdd(checkout: Checkout, to: Packed, changes: readonly RawChange[]): Promise<Blocked | null> {
  const bad = changes.find(({ path, newMode }) => newMode !== '000000' && !isPlainPath(path));
  if (bad !== undefined) return oddBundle(to.commit, `work/${toText(bad.path).slice(0, 200)} does not belong there`);
  const oversize = await findOversize(checkout, changes);
  return oversize === null ? null : oddBundle(to.commit, oversize);
}

async function findStanding(checkout: Checkout): Promise<Blocked | null> {
  const begun = unfinishedIn(checkout.gitDir);
  if (begun !== null) return blocked(`${begun.what} is unfinished in ${checkout.root}`, begun.way);
  // Editors poll and hold the lock briefly.
  for (let looks = 1; looks <= lockLooks; looks += 1) {
    if (!existsSync(`${checkout.indexPath}.lock`)) return null;
    await sleep(lockLookEveryMs);
  }
  const hint = `If no git process is running there, delete the stale lock ${checkout.indexPath}.lock.`;
  return blocked(`another git process is working in ${checkout.root}`, hint);
}

async function findCargos(
  place: BundlePlace,
  checkout: Checkout,
  from: Packed,
  to: Packed,
): Promise<readonly [own: Coming, shared: Coming]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', to.work];
  const own = cargoOf(place.folder, from.own, to.own, to.note.isWhole);
  const seen =
    own.gone.length === 0
      ? ''
      : await git(checkout.top, [...args, '--', ...own.gone.map((path) => toText(`${checkout.prefixBytes}${path}`))]);
  const tracked = new Set(seen.split('\0'));
  const gone = own.gone.filter((path) => !tracked.has(`${checkout.prefixBytes}${path}`));
  return [{ ...own, gone }, cargoOf(place.shared, from.shared, to.shared, to.note.isWhole)];
}

function cargoOf(base: string, before: readonly PackedFile[], after: readonly PackedFile[], isWhole: boolean): Coming {
  const known = new Map(before.map((file) => [file.path, file]));
  const kept = new Set(after.map(({ path }) => path));
  const files = after.filter(({ path, sha, isExecutable }) => {
    const old = known.get(path);
    return old === undefined || old.sha !== sha || old.isExecutable !== isExecutable;
  });
  return { base, before: known, files, gone: isWhole ? [...known.keys()].filter((path) => !kept.has(path)) : [] };
}

/** A link in the way of a write, here or in the bundle. */
async function findLink(
  checkout: Checkout,
  cargos: readonly Coming[],
  changes: readonly RawChange[],
): Promise<Blocked | null> {
  const coming = new Set(changes.filter(({ newMode }) => newMode !== '000000').map(({ path }) => path));
  for (const { base, files } of cargos) {
    for (const { path } of files) {
      const full = `${checkout.prefixBytes}${path}`;
      const isOwn = base === checkout.root;
      const came = isOwn ? foldersOf(full).find((folder) => coming.has(folder)) : undefined;
      const barrier = came === undefined ? await findBarrier(base, path) : toText(came);
      if (barrier === null) continue;
      const why = `Cannot write ${toText(path)} in ${base}: ${barrier} is not a folder`;
      return blocked(why, `Replace ${barrier} with a real folder, not a link, then retry.`);
    }
  }
  return null;
}

interface Plan {
  readonly from: Packed;
  readonly to: Packed;
  readonly changes: readonly RawChange[];
  readonly move: Move;
}

async function apply(scratch: ScratchIndex, { from, to, changes, move }: Plan): Promise<TakenBundle | null> {
  const { checkout } = scratch;
  const present = await readPresent(scratch, from, changes);
  const clashes = findClashes(present, changes);
  if (clashes.length > 0) return { kind: 'clash', files: tellPaths(checkout, clashes) };
  const stuck = await moveWork(scratch, present, changes);
  if (stuck !== null) return stuck;
  if (move.kind === 'moves') await moveHead(checkout, move);
  if (to.parent !== from.parent) await moveIndex(checkout, from.parent, to.parent);
  return null;
}

async function moveWork(
  scratch: ScratchIndex,
  present: PresentState,
  changes: readonly RawChange[],
): Promise<Blocked | null> {
  const { checkout, options } = scratch;
  const entries = changes.map(({ newMode, newSha, path }) => ({ mode: newMode, sha: newSha, path }));
  await putEntries(scratch, entries);
  const after = await writeTree(scratch);
  await resetScratch(scratch, present.tree);
  // `read-tree` moves only files with fresh stat data.
  await askGit(checkout.top, ['update-index', '-q', '--refresh'], options);
  const refused = after === present.tree ? null : await moveFiles(scratch, present.tree, after);
  if (refused !== null) return blocked(`${refused.why}, in ${checkout.root}`, refused.hint);
  await writeSparse(scratch, changes);
  return null;
}

/** In a sparse checkout git skips files outside the cone and would lose them. */
async function writeSparse(scratch: ScratchIndex, changes: readonly RawChange[]): Promise<void> {
  const { checkout, options } = scratch;
  if (!existsSync(`${checkout.gitDir}/info/sparse-checkout`)) return;
  const paths = changes.filter(({ newMode }) => !/^(000000|160000)$/.test(newMode)).map(({ path }) => `${path}\0`);
  const args = ['checkout-index', '--quiet', '--ignore-skip-worktree-bits', '-z', '--stdin'];
  // Exit code 1: some files exist.
  await askGit(checkout.top, args, { ...options, input: Buffer.from(paths.join(''), 'latin1') });
}
