// What the engine wants done to a checkout, done: once for each op, also when it is asked for again after a crash.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkspaceOp, WorkspaceResult } from '../engine/index.js';
import { BosunError } from './error.js';
import type { Store } from './store/index.js';
import {
  checkpointSchema,
  commitAll,
  excludeOwnFiles,
  findStash,
  foreignChanges,
  inspectRoot,
  lastCommit,
  restoreStash,
  rollback,
  stashForeign,
} from './workspace/index.js';

type Blocked = Extract<WorkspaceResult, { ok: false }>;

const done: Extract<WorkspaceResult, { ok: true }> = {
  ok: true,
  note: null,
  diffStat: null,
  commit: null,
  stash: null,
};

/** A git of a person's, or one that outlived an earlier Bosun, holds its lock for a moment. */
const lockTries = 10;
const lockWaitMs = 250;

/** Never throws: what the world refuses is a result that a person is asked about. */
export async function workOnCheckout(
  root: string,
  run: string,
  op: WorkspaceOp,
  store: Store,
): Promise<WorkspaceResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await tryWork(root, run, op, store);
    if (result.ok || tries === lockTries || !isLocked(result.message)) return result;
    await sleep(lockWaitMs);
  }
}

function isLocked(message: string): boolean {
  return /\.lock': File exists|another git works/i.test(message);
}

async function tryWork(root: string, run: string, op: WorkspaceOp, store: Store): Promise<WorkspaceResult> {
  try {
    return await work(root, run, op, store);
  } catch (error) {
    const hint = error instanceof BosunError && error.hint ? `\n${error.hint}` : '';
    return blocked(`${error instanceof Error ? error.message : String(error)}${hint}`);
  }
}

async function work(root: string, run: string, op: WorkspaceOp, store: Store): Promise<WorkspaceResult> {
  switch (op.kind) {
    case 'prepare':
      return prepare(root, run, op.stash, store);
    case 'deliver':
      return deliver(root, `${op.id}-${originOf(run, store)}`, op.message);
    case 'rollback':
      return rollBack(root, run, op, store);
    case 'restore':
      return restore(root, op.stash);
  }
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
  root: string,
  run: string,
  op: Extract<WorkspaceOp, { kind: 'rollback' }>,
  store: Store,
): Promise<WorkspaceResult> {
  const stored = store.attempt(op.attempt)?.checkpoint;
  if (!stored) return blocked('Nothing was noted of the state before that step, so its files cannot be taken back.');
  const folder = join(root, '.ai', 'runs', run, 'rollbacks');
  await mkdir(folder, { recursive: true });
  const to = checkpointSchema.parse(JSON.parse(stored));
  const result = await rollback(root, to, { saveTo: join(folder, `${op.id}.diff`) });
  if (result.kind !== 'done') return blocked(`${result.why}\n${result.hint}`);
  const kept = result.savedTo ? ` What was taken back is in ${result.savedTo}.` : '';
  return { ...done, note: `Rolled back ${result.files.length} files.${kept}` };
}

async function restore(root: string, sha: string): Promise<WorkspaceResult> {
  const result = await restoreStash(root, sha);
  if (result.kind === 'restored') return { ...done, note: 'Your own changes are back.' };
  return blocked(`Your own changes could not be put back: ${result.why}. ${result.hint}`);
}

function blocked(message: string): Blocked {
  return { ok: false, code: 'blocked', message, files: [] };
}
