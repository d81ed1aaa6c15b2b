// Performs the engine's checkout operations. Each op is idempotent, so it may be retried after a crash.
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
import { definitions, hasBody, type Item, type WorkspaceOp, type WorkspaceResult } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import {
  commitAll,
  dirtySubmodules,
  excludeOwnFiles,
  findForkOf,
  findLargeCommitted,
  findLargeWork,
  findStash,
  foreignChanges,
  inspectRoot,
  lastCommit,
  type RootState,
  readBranch,
  readEvidence,
  readSurvey,
  restoreStash,
  rollback,
  stashForeign,
} from '../../workspace/index.js';
import { checkpointBefore, isInterrupted } from './interrupted-attempts.js';
import { type WorktreePlace, workOnWorktree } from './item-worktree-operations.js';
import { clearLeft, findLeft, leftIn, takeLeft } from './leftover-operations.js';
import { blocked, done } from './operation-result.js';
import {
  beginBranch,
  type CheckoutSite,
  coAuthorsOf,
  createProposed,
  fittingOf,
  leave,
  originOf,
  publish,
  runOf,
} from './run-branch-operations.js';
import { runWorktreeOf, worktreeOf } from './worktree-paths.js';

export type { CheckoutSite } from './run-branch-operations.js';

/** A person's git, or one that outlived an earlier Bosun, holds its lock only for moments. */
const lockTries = 10;
const lockWaitMs = 250;

/** Never throws: a failure is a result that a person is asked about. */
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

/** Names the stash, because after a failed restore the run may be over and no card will ask again. */
function stashWay(op: WorkspaceOp): string {
  if (op.kind !== 'restore') return '';
  return `\nYour own changes stay in the stash. Once you have looked at it: git stash apply --index ${op.stash.slice(0, 10)}`;
}

/**
 * Applies a person's decision on git settings that an agent changed. Runs no git: changed settings can execute code.
 */
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
    case 'settle_settings':
      refuseChangedSettings(placeOf(site, op.chain, op.kind).folder);
      return done;
  }
}

/**
 * The project's folder in the run's own checkout. Throws if that is gone: the person's checkout is never a fallback.
 */
function homeOf(site: CheckoutSite): string {
  const branch = runOf(site)?.branch ?? null;
  const folder = branch?.folder ?? null;
  if (branch === null || folder === null) return site.root;
  if (existsSync(folder)) return folder;
  const again = [site.root, 'worktree', 'add', '-f', runWorktreeOf(site.worktrees, site.run), branch.name];
  throw new BosunError('git', `The checkout of ${site.run.id} no longer exists: ${folder}`, {
    hint: `Its commits are on ${branch.name}. To continue from there: git -C ${again.join(' ')}`,
  });
}

/** A worktree can be removed from any checkout of its repository, so here the person's is a safe fallback. */
function nearestHome(site: CheckoutSite): string {
  const folder = runOf(site)?.branch?.folder ?? null;
  return folder !== null && existsSync(folder) ? folder : site.root;
}

/** Blocks if another branch is checked out: a run on its own branch must not commit elsewhere. */
async function elsewhere(site: CheckoutSite): Promise<WorkspaceResult | null> {
  const branch = runOf(site)?.branch ?? null;
  if (branch === null) return null;
  const home = homeOf(site);
  const present = await readBranch(home);
  if (present === branch.name) return null;
  const what = `${present ?? 'No branch'} is checked out in ${home}, and ${site.run.id} works on ${branch.name}`;
  return blocked(`${what}\nCheck it out again: git switch ${branch.name}`);
}

/** A large file is hard to remove from history or a remote, so a person must allow it. */
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
  // Best effort: removes the run's folder only if it is empty.
  if (op.kind !== 'open' && !isUsed) await rmdir(dirname(worktreeOf(worktrees, run, 1))).catch(() => null);
  return result;
}

function placeOf(
  site: CheckoutSite,
  chain: string,
  work: WorkspaceOp['kind'],
): Omit<WorktreePlace, 'origin' | 'coAuthors'> {
  const { worktrees, run, store } = site;
  const root = work === 'drop' ? nearestHome(site) : homeOf(site);
  const shared = { root: site.root, settings: fittingOf(site) };
  const spine = store.spine(run.id);
  const item = spine?.items.find((one) => one.key === chain);
  if (item && item.slot === null && isIsolated(spine, item)) {
    throw new BosunError('git', `The worktree of ${chain} no longer exists`, {
      hint: `Retry ${chain} first; that creates it again.`,
    });
  }
  if (!item || item.slot === null) return { root, path: root, folder: root, run: run.id, branch: null, shared };
  const path = worktreeOf(worktrees, run, item.slot);
  const { folder = path, branch = null } = item.values;
  return { root, path, folder, run: run.id, branch, shared };
}

/** Whether the item needs its own worktree, for which the main checkout must never be a fallback. */
function isIsolated(spine: Spine | null, item: Item): boolean {
  const defs = spine ? definitions(spine.workflow) : [];
  return defs.some((def) => def.id === item.template && hasBody(def) && def.isolate === 'worktree');
}

async function readFiles(root: string, op: Extract<WorkspaceOp, { kind: 'read' }>): Promise<WorkspaceResult> {
  const survey = op.survey === null ? null : await readSurvey(root, op.survey);
  return { ...done, survey, evidence: await readEvidence(root, op) };
}

type Done = Extract<WorkspaceResult, { ok: true }>;
type Ready = Extract<RootState, { kind: 'ok' }>;
type Prepare = Extract<WorkspaceOp, { kind: 'prepare' }>;

async function prepare(site: CheckoutSite, op: Prepare): Promise<WorkspaceResult> {
  const { root } = site;
  const refused = op.left === undefined ? null : await takeLeft(site, op.left);
  if (refused !== null) return refused;
  const state = await inspectRoot(root);
  if (state.kind !== 'ok') return blocked(`${state.message}\n${state.hint}`);
  await excludeOwnFiles(root);
  const begun = await beginWork(site, op, state);
  return begun.ok ? { ...begun, base: state.branch } : begun;
}

async function beginWork(site: CheckoutSite, op: Prepare, state: Ready): Promise<WorkspaceResult> {
  if (op.worktree === true) return beginBranch(site, state, true);
  const cleared = op.stash ? await putAside(site) : await refuseDirty(site, op);
  if (!cleared.ok || op.deliver === undefined) return cleared;
  return beginAfter(cleared, site, state);
}

/** If the branch cannot be created, the run has not begun and the person's stash is restored. */
async function beginAfter(cleared: Done, site: CheckoutSite, state: Ready): Promise<WorkspaceResult> {
  let begun: WorkspaceResult | null = null;
  try {
    begun = await beginBranch(site, state, false);
  } finally {
    if (begun?.ok !== true && cleared.stash !== null) await restoreStash(site.root, cleared.stash);
  }
  return begun.ok ? { ...cleared, ...(begun.branch ? { branch: begun.branch } : {}) } : begun;
}

async function putAside({ root, run, store }: CheckoutSite): Promise<WorkspaceResult> {
  const label = `bosun ${run.id}: changes that were here before (${originOf(run.id, store)})`;
  const stashed = await stashForeign(root, label);
  // After a crash, the first try's stash already exists and the checkout is clean.
  if (stashed.kind === 'nothing') return { ...done, stash: await findStash(root, label) };
  return { ...done, stash: stashed.sha, note: `Your changes are in the stash until the end. ${stashed.message}` };
}

async function refuseDirty(site: CheckoutSite, { left: taken }: Prepare): Promise<WorkspaceResult> {
  const { root } = site;
  const files = await foreignChanges(root);
  if (files.length === 0) return { ...done, note: await submoduleNote(root) };
  const left = await leftIn(site);
  // Other changes may have come since it was asked about: then it is asked again.
  const isMeant = taken?.how === 'build' && left?.by.run === taken.by.run && left.others.length === 0;
  if (isMeant) return { ...done, note: await submoduleNote(root) };
  const dirty = { ok: false, code: 'dirty', message: `${root} has changes` } as const;
  if (left === null) return { ...dirty, files: files.slice(0, 200) };
  return { ...dirty, files: [...left.by.files, ...left.others.slice(0, 200)], left: left.by };
}

async function submoduleNote(root: string): Promise<string | null> {
  const dirty = await dirtySubmodules(root);
  if (dirty.length === 0) return null;
  const named = dirty.slice(0, 10).join(', ');
  return `Changes in submodules (${named}) are not part of this project's commits and stay as they are.`;
}

/** Also says which branch holds the work: an agent may have switched. */
async function deliverHome(
  site: CheckoutSite,
  op: Extract<WorkspaceOp, { kind: 'deliver' }>,
): Promise<WorkspaceResult> {
  const home = homeOf(site);
  const id = `${op.id}-${originOf(site.run.id, site.store)}`;
  const result = await deliver(home, { id, message: op.message, coAuthors: coAuthorsOf(site, op.agents) });
  const onBranch = await readBranch(home);
  return result.ok && onBranch !== null ? { ...result, onBranch } : result;
}

async function nameBranch(site: CheckoutSite, proposed: string): Promise<WorkspaceResult> {
  const state = await inspectRoot(site.root);
  if (state.kind !== 'ok') return blocked(`${state.message}\n${state.hint}`);
  return createProposed(site, state, proposed);
}

interface ToDeliver {
  readonly id: string;
  readonly message: string;
  readonly coAuthors: readonly string[];
}

/** Idempotent: the commit carries the op's id as a trailer, so a retry after a crash finds it. */
async function deliver(root: string, { id, message, coAuthors }: ToDeliver): Promise<WorkspaceResult> {
  const trailer = `Bosun: ${id}`;
  const made = await deliveredAs(root, trailer);
  if (made) return made;
  try {
    const result = await commitAll(root, `${message}\n\n${[...coAuthors, trailer].join('\n')}\n`);
    const note = await submoduleNote(root);
    // Race: the first try's git may have committed since the check above.
    if (result.kind === 'nothing') return (await deliveredAs(root, trailer)) ?? { ...done, note };
    return { ...done, note, diffStat: result.stat, ...(await committed(root, result.sha)) };
  } catch (error) {
    // Race: the first try's git may have outlived its Bosun and committed just now.
    const late = await deliveredAs(root, trailer);
    if (late) return late;
    throw error;
  }
}

async function deliveredAs(root: string, trailer: string): Promise<WorkspaceResult | null> {
  const last = await lastCommit(root);
  if (!last?.message.split('\n').includes(trailer)) return null;
  return { ...done, diffStat: last.stat, ...(await committed(root, last.sha)) };
}

async function committed(root: string, commit: string): Promise<Pick<Done, 'commit' | 'delivered'>> {
  return { commit, delivered: { from: `${commit}~1`, to: commit, branch: await readBranch(root) } };
}

async function rollBack(
  folder: string,
  { root, run, store }: CheckoutSite,
  op: Extract<WorkspaceOp, { kind: 'rollback' }>,
): Promise<WorkspaceResult> {
  const row = store.attempt(op.attempt);
  const to = checkpointBefore(store, op.attempt);
  // The checkpoint is taken before the executor starts, so an attempt interrupted earlier has changed nothing.
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

/** Checkpoints leave out files above 10 MB, so that the repository does not grow by them. */
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
