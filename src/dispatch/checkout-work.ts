// What the engine wants done to a checkout, done: once for each op, also when it is asked for again after a crash.
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { definitions, type Item, type Run, type WorkspaceOp, type WorkspaceResult } from '../engine/index.js';
import { BosunError } from './error.js';
import { checkpointBefore, isInterrupted } from './interrupted.js';
import type { Spine, Store } from './store/index.js';
import { blocked, done } from './work-results.js';
import {
  commitAll,
  excludeOwnFiles,
  findStash,
  foreignChanges,
  inspectRoot,
  lastCommit,
  readEvidence,
  readSurvey,
  restoreStash,
  rollback,
  stashForeign,
} from './workspace/index.js';
import { worktreeOf } from './worktree-places.js';
import { type Place, workOnWorktree } from './worktree-work.js';

/** A git of a person's, or one that outlived an earlier Bosun, holds its lock for a moment. */
const lockTries = 10;
const lockWaitMs = 250;

/** Where a piece of work happens. */
export interface Site {
  readonly root: string;
  readonly worktrees: string;
  readonly run: Pick<Run, 'id' | 'project'>;
  readonly store: Store;
}

/** Never throws: what the world refuses is a result that a person is asked about. */
export async function workOnCheckout(site: Site, op: WorkspaceOp): Promise<WorkspaceResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await tryWork(site, op);
    if (result.ok || tries === lockTries || !isLocked(result.message)) return result;
    await sleep(lockWaitMs);
  }
}

function isLocked(message: string): boolean {
  return /\.lock': File exists|another git works/i.test(message);
}

async function tryWork(site: Site, op: WorkspaceOp): Promise<WorkspaceResult> {
  try {
    return await work(site, op);
  } catch (error) {
    const hint = error instanceof BosunError && error.hint ? `\n${error.hint}` : '';
    return blocked(`${error instanceof Error ? error.message : String(error)}${hint}`);
  }
}

async function work(site: Site, op: WorkspaceOp): Promise<WorkspaceResult> {
  const { root, store } = site;
  const run = site.run.id;
  switch (op.kind) {
    case 'prepare':
      return prepare(root, run, op.stash, store);
    case 'deliver':
      return deliver(root, `${op.id}-${originOf(run, store)}`, op.message);
    case 'rollback':
      return rollBack(placeOf(site, op.chain).folder, site, op);
    case 'restore':
      return restore(root, op.stash);
    case 'open':
    case 'merge':
    case 'drop':
      return workWithWorktree(site, op);
    case 'read':
      return readFiles(placeOf(site, op.chain).folder, op);
    case 'publish':
      return done;
  }
}

async function workWithWorktree(
  site: Site,
  op: Extract<WorkspaceOp, { kind: 'open' | 'merge' | 'drop' }>,
): Promise<WorkspaceResult> {
  const { worktrees, run, store } = site;
  const result = await workOnWorktree(
    { ...placeOf(site, op.chain), origin: `${op.id}-${originOf(run.id, store)}` },
    op,
  );
  const isUsed = store.spine(run.id)?.items.some((item) => item.key !== op.chain && item.slot !== null);
  // Only an empty folder goes; whatever keeps it from going keeps nobody up.
  if (op.kind !== 'open' && !isUsed) await rmdir(dirname(worktreeOf(worktrees, run, 1))).catch(() => null);
  return result;
}

/** The checkout that a chain works in. */
function placeOf({ root, worktrees, run, store }: Site, chain: string): Omit<Place, 'origin'> {
  const spine = store.spine(run.id);
  const item = spine?.items.find((one) => one.key === chain);
  if (item && item.slot === null && isIsolated(spine, item)) {
    throw new BosunError('git', `The worktree of ${chain} is gone`, {
      hint: `Retry ${chain} first; that makes it anew.`,
    });
  }
  if (!item || item.slot === null) return { root, path: root, folder: root, run: run.id, branch: null };
  const path = worktreeOf(worktrees, run, item.slot);
  const { folder = path, branch = null } = item.values;
  return { root, path, folder, run: run.id, branch };
}

/** Never the main checkout in the place of a worktree that is not there. */
function isIsolated(spine: Spine | null, item: Item): boolean {
  const defs = spine ? definitions(spine.workflow) : [];
  return defs.some((def) => def.id === item.template && def.isolate === 'worktree');
}

async function readFiles(root: string, op: Extract<WorkspaceOp, { kind: 'read' }>): Promise<WorkspaceResult> {
  const survey = op.survey === null ? null : await readSurvey(root, op.survey);
  return { ...done, survey, evidence: await readEvidence(root, op) };
}

async function prepare(root: string, run: string, mayStash: boolean, store: Store): Promise<WorkspaceResult> {
  const state = await inspectRoot(root);
  if (state.kind !== 'ok') return blocked(`${state.message}\n${state.hint}`);
  await excludeOwnFiles(root);
  if (mayStash) {
    const label = `bosun ${run}: changes that were here before (${originOf(run, store)})`;
    const stashed = await stashForeign(root, label);
    // After a crash the stash of the first try is there already, and the checkout is clean.
    if (stashed.kind === 'nothing') return { ...done, stash: await findStash(root, label) };
    return { ...done, stash: stashed.sha, note: `Your changes are put aside until the end. ${stashed.message}` };
  }
  const files = await foreignChanges(root);
  if (files.length === 0) return done;
  return { ok: false, code: 'dirty', message: `${root} has changes`, files: files.slice(0, 200) };
}

/** Tells a run apart from that of the same number in another home, or in a database that was lost. */
function originOf(run: string, store: Store): string {
  return `${store.homeId}-${(store.run(run)?.createdAt ?? 0).toString(36)}`;
}

/** The op's id stands in the commit, so that a second try after a crash finds what the first one did. */
async function deliver(root: string, id: string, message: string): Promise<WorkspaceResult> {
  const trailer = `Bosun: ${id}`;
  const made = await deliveredAs(root, trailer);
  if (made) return made;
  try {
    const result = await commitAll(root, `${message}\n\n${trailer}\n`);
    if (result.kind === 'nothing') return done;
    return { ...done, commit: result.sha, diffStat: result.stat };
  } catch (error) {
    // The git of the first try may have outlived its Bosun, and made the commit just now.
    const late = await deliveredAs(root, trailer);
    if (late) return late;
    throw error;
  }
}

async function deliveredAs(root: string, trailer: string): Promise<WorkspaceResult | null> {
  const last = await lastCommit(root);
  if (!last?.message.split('\n').includes(trailer)) return null;
  return { ...done, commit: last.sha, diffStat: last.stat };
}

async function rollBack(
  folder: string,
  { root, run, store }: Site,
  op: Extract<WorkspaceOp, { kind: 'rollback' }>,
): Promise<WorkspaceResult> {
  const row = store.attempt(op.attempt);
  const to = checkpointBefore(store, op.attempt);
  // The state is noted before an executor starts: one that was interrupted before that has changed nothing.
  if (to === null && row && isInterrupted(row)) return done;
  if (to === null)
    return blocked('Nothing was noted of the state before that step, so its files cannot be taken back.');
  const result = await rollback(folder, to, { saveTo: await diffFile(root, run.id, op) });
  if (result.kind !== 'done') return blocked(`${result.why}\n${result.hint}`);
  const count = result.files.length;
  if (count === 0 && !result.savedTo) return done;
  const kept = result.savedTo ? ` What was taken back is in ${result.savedTo}.` : '';
  const whose = op.chain === '' ? '' : ` of ${op.chain}`;
  return { ...done, note: `Rolled back ${count} ${count === 1 ? 'file' : 'files'}${whose}.${kept}` };
}

async function diffFile(root: string, run: string, op: Extract<WorkspaceOp, { kind: 'rollback' }>): Promise<string> {
  const file = join(root, '.ai', 'runs', run, op.keepAs);
  await mkdir(dirname(file), { recursive: true });
  return file;
}

async function restore(root: string, sha: string): Promise<WorkspaceResult> {
  const result = await restoreStash(root, sha);
  if (result.kind === 'restored') return { ...done, note: 'Your own changes are back.' };
  return blocked(`Your own changes could not be put back: ${result.why}. ${result.hint}`);
}
