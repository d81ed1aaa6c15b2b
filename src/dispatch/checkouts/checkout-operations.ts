import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptSettings,
  BosunError,
  ownFolder,
  refuseChangedSettings,
  restoreSettings,
  settingsChanged,
} from '../../base/index.js';
import type { WorkspaceOp, WorkspaceResult } from '../../engine/index.js';
import {
  findForkOf,
  findLargeCommitted,
  findLargeWork,
  inspectRoot,
  readBranch,
  readEvidence,
  readSurvey,
  restoreStash,
  rollback,
} from '../../workspace/index.js';
import { elsewhere, homeOf, placeOf } from './checkout-places.js';
import { deliverHome } from './deliver-operation.js';
import { checkpointBefore, isInterrupted } from './interrupted-attempts.js';
import { workOnWorktree } from './item-worktree-operations.js';
import { clearLeft, findLeft } from './leftover-operations.js';
import { blocked, done } from './operation-result.js';
import { prepare } from './prepare-operation.js';
import {
  type CheckoutSite,
  coAuthorsOf,
  createProposed,
  landLater,
  leave,
  originOf,
  publish,
  runOf,
} from './run-branch-operations.js';
import { worktreeOf } from './worktree-paths.js';

export type { CheckoutSite } from './run-branch-operations.js';

/** A person's git, or one that outlived a Bosun, holds the lock briefly. */
const lockTries = 10;
const lockWaitMs = 250;

/** Idempotent, for a retry after a crash. Never throws: a failure asks a person. */
export async function workOnCheckout(site: CheckoutSite, op: WorkspaceOp): Promise<WorkspaceResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await tryWork(site, op);
    if (result.ok || tries === lockTries || !isLocked(result.message)) return result;
    await sleep(lockWaitMs);
  }
}

function isLocked(message: string): boolean {
  return /\.lock': File exists|another git works/i.test(message);
}

async function tryWork(site: CheckoutSite, op: WorkspaceOp): Promise<WorkspaceResult> {
  try {
    settleSettings(site, op);
    return await work(site, op);
  } catch (error) {
    if (error instanceof BosunError && error.code === settingsChanged) {
      return { ok: false, code: 'settings', message: `${error.message}${stashWay(op)}`, files: [] };
    }
    const hint = error instanceof BosunError && error.hint ? `\n${error.hint}` : '';
    return blocked(`${error instanceof Error ? error.message : String(error)}${hint}`);
  }
}

/** A failed restore must not ask with another card. */
function stashWay(op: WorkspaceOp): string {
  if (op.kind !== 'restore') return '';
  return `\nYour own changes stay in the stash. Once you have looked at it: git stash apply --index ${op.stash.slice(0, 10)}`;
}

/** Runs no git, because changed settings can execute code. */
function settleSettings(site: CheckoutSite, op: WorkspaceOp): void {
  if (op.settings === undefined) return;
  const settle = op.settings === 'accept' ? acceptSettings : restoreSettings;
  settle('chain' in op ? placeOf(site, op.chain, op.kind).folder : homeOf(site));
}

async function work(site: CheckoutSite, op: WorkspaceOp): Promise<WorkspaceResult> {
  switch (op.kind) {
    case 'prepare':
      return prepare(site, op);
    case 'deliver':
      return (await elsewhere(site)) ?? (await refuseLarge(site, op)) ?? deliverHome(site, op);
    case 'branch':
      return nameBranch(site, op.name);
    case 'rollback':
      return rollBack(placeOf(site, op.chain, op.kind).folder, site, op);
    case 'restore':
      return restore(site, op.stash);
    case 'open':
      return (await elsewhere(site)) ?? workWithWorktree(site, op);
    case 'merge':
      return (await elsewhere(site)) ?? (await refuseLarge(site, op)) ?? workWithWorktree(site, op);
    case 'drop':
      return workWithWorktree(site, op);
    case 'read':
      return readFiles(placeOf(site, op.chain, op.kind).folder, op);
    case 'publish':
      return (await elsewhere(site)) ?? (await refuseLarge(site, op)) ?? publish(site, op);
    case 'leave':
      return leave(site, op.carries === true);
    case 'find_left':
      return findLeft(site);
    case 'clear_left':
      return clearLeft(site, op);
    case 'land':
      return landLater(site);
    case 'settle_settings':
      refuseChangedSettings(placeOf(site, op.chain, op.kind).folder);
      return done;
  }
}

/** Large files are hard to remove from history, so a person decides. */
async function refuseLarge(
  site: CheckoutSite,
  op: Extract<WorkspaceOp, { kind: 'deliver' | 'merge' | 'publish' }>,
): Promise<WorkspaceResult | null> {
  const aboveBytes = site.project?.git.largeFileBytes ?? null;
  if (op.allowsLarge === true || aboveBytes === null) return null;
  const files = await largeFilesOf(site, op, aboveBytes);
  if (files.length === 0) return null;
  const where = op.kind === 'publish' ? 'would be pushed to the remote' : 'would be committed';
  const message = `Large files ${where} (above ${Math.round(aboveBytes / (1024 * 1024))} MB):`;
  return { ok: false, code: 'large', message, files };
}

async function largeFilesOf(
  site: CheckoutSite,
  op: Extract<WorkspaceOp, { kind: 'deliver' | 'merge' | 'publish' }>,
  aboveBytes: number,
): Promise<readonly string[]> {
  if (op.kind === 'deliver') return findLargeWork(homeOf(site), null, aboveBytes);
  if (op.kind === 'merge') {
    const { root, path } = placeOf(site, op.chain, op.kind);
    return existsSync(path) ? findLargeWork(path, root, aboveBytes) : [];
  }
  const branch = runOf(site)?.branch ?? null;
  if (branch === null || op.how === 'commit' || op.how === 'branch') return [];
  const fork = await findForkOf(site.root, branch);
  return fork.kind === 'fork' && fork.count > 0 ? findLargeCommitted(site.root, fork, aboveBytes) : [];
}

async function workWithWorktree(
  site: CheckoutSite,
  op: Extract<WorkspaceOp, { kind: 'open' | 'merge' | 'drop' }>,
): Promise<WorkspaceResult> {
  const { worktrees, run, store } = site;
  const result = await workOnWorktree(
    {
      ...placeOf(site, op.chain, op.kind),
      origin: `${op.id}-${originOf(run.id, store)}`,
      coAuthors: op.kind === 'merge' ? coAuthorsOf(site, op.agents) : [],
    },
    op,
  );
  const isUsed = store.spine(run.id)?.items.some((item) => item.key !== op.chain && item.slot !== null);
  // Best effort: removes the run's folder only if empty.
  if (op.kind !== 'open' && !isUsed) await rmdir(dirname(worktreeOf(worktrees, run, 1))).catch(() => null);
  return result;
}

async function readFiles(root: string, op: Extract<WorkspaceOp, { kind: 'read' }>): Promise<WorkspaceResult> {
  const survey = op.survey === null ? null : await readSurvey(root, op.survey);
  return { ...done, survey, evidence: await readEvidence(root, op) };
}

async function nameBranch(site: CheckoutSite, proposed: string): Promise<WorkspaceResult> {
  const state = await inspectRoot(site.root);
  if (state.kind !== 'ok') return blocked(`${state.message}\n${state.hint}`);
  return createProposed(site, state, proposed);
}

async function rollBack(
  folder: string,
  { root, run, store }: CheckoutSite,
  op: Extract<WorkspaceOp, { kind: 'rollback' }>,
): Promise<WorkspaceResult> {
  const row = store.attempt(op.attempt);
  const to = checkpointBefore(store, op.attempt);
  // An attempt interrupted before its checkpoint changed nothing.
  if (to === null && row && isInterrupted(row)) return done;
  if (to === null) return blocked('Bosun took no checkpoint before that step, so it cannot roll back its files.');
  const result = await rollback(folder, to, { saveTo: diffFile(root, run.id, op) });
  if (result.kind !== 'done') return blocked(`${result.why}\n${result.hint}`);
  const count = result.files.length;
  const { notKept } = result;
  if (count === 0 && !result.savedTo && notKept.length === 0) return done;
  const kept = result.savedTo ? ` The undone changes are in ${result.savedTo}.` : '';
  const whose = op.chain === '' ? '' : ` of ${op.chain}`;
  return { ...done, note: `Rolled back ${count} ${count === 1 ? 'file' : 'files'}${whose}.${kept}${stays(notKept)}` };
}

/** Over 10 MB: a checkpoint must not grow the repository. */
function stays(notKept: readonly string[]): string {
  if (notKept.length === 0) return '';
  const more = notKept.length > maxNamed ? ` and ${notKept.length - maxNamed} more` : '';
  return `\nToo large for the checkpoint, so not rolled back: ${notKept.slice(0, maxNamed).join(', ')}${more}.`;
}

const maxNamed = 10;

function diffFile(root: string, run: string, op: Extract<WorkspaceOp, { kind: 'rollback' }>): string {
  const file = join(root, '.ai', 'runs', run, op.keepAs);
  ownFolder(root, dirname(file));
  return file;
}

async function restore(site: CheckoutSite, sha: string): Promise<WorkspaceResult> {
  const { root } = site;
  const branch = runOf(site)?.branch ?? null;
  if (branch !== null && (await readBranch(root)) === branch.name) {
    const way = `git switch ${branch.base}, then git stash apply --index ${sha.slice(0, 10)}`;
    return blocked(`Your own changes stay in the stash, because ${branch.name} is still checked out. By hand: ${way}`);
  }
  const result = await restoreStash(root, sha);
  if (result.kind === 'restored') return { ...done, note: 'Your own changes are back.' };
  return blocked(`Could not restore your own changes: ${result.why}. ${result.hint}`);
}
