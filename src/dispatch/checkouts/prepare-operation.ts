import type { WorkspaceOp, WorkspaceResult } from '../../engine/index.js';
import {
  excludeOwnFilesOf,
  findCommit,
  findStash,
  inspectChanges,
  inspectRoot,
  type RootState,
  restoreStash,
  stashForeign,
} from '../../workspace/index.js';
import { submoduleNote } from './deliver-operation.js';
import { leftIn, takeLeft } from './leftover-operations.js';
import { blocked, done } from './operation-result.js';
import { beginBranch, type CheckoutSite, holderOf, originOf } from './run-branch-operations.js';

type Done = Extract<WorkspaceResult, { ok: true }>;
type Ready = Extract<RootState, { kind: 'ok' }>;
type ReadyAndChanges = Ready & { readonly files: readonly string[] };
type Prepare = Extract<WorkspaceOp, { kind: 'prepare' }>;

export async function prepare(site: CheckoutSite, op: Prepare): Promise<WorkspaceResult> {
  const { root } = site;
  const refused = op.left === undefined ? null : await takeLeft(site, op.left);
  if (refused !== null) return refused;
  const isListed = op.worktree !== true && !op.stash;
  const { state, files } = isListed ? await inspectChanges(root) : { state: await inspectRoot(root), files: [] };
  if (state.kind !== 'ok') return blocked(`${state.message}\n${state.hint}`);
  if (!isListed) await excludeOwnFilesOf(state.checkout);
  const from = op.worktree === true ? await besideHolder(site, state) : state;
  const begun = await beginWork(site, op, { ...from, files });
  return begun.ok ? { ...begun, base: from.branch } : begun;
}

/** Starts where the other run's branch began, not from that branch. */
async function besideHolder(site: CheckoutSite, state: Ready): Promise<Ready> {
  const branch = holderOf(site)?.branch ?? null;
  if (branch === null || branch.isLeft || branch.name !== state.branch) return state;
  const head = await findCommit(site.root, `refs/heads/${branch.base}`);
  return head === null ? state : { ...state, head, branch: branch.base };
}

async function beginWork(site: CheckoutSite, op: Prepare, state: ReadyAndChanges): Promise<WorkspaceResult> {
  if (op.worktree === true) return beginBranch(site, state, true);
  const cleared = op.stash ? await putAside(site) : await refuseDirty(site, op, state);
  if (!cleared.ok || op.deliver === undefined) return cleared;
  return beginAfter(cleared, site, state);
}

/** If the run cannot begin, the stash is restored. */
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
  // A try before the crash stashed it.
  if (stashed.kind === 'nothing') return { ...done, stash: await findStash(root, label) };
  return { ...done, stash: stashed.sha, note: `Your changes are in the stash until the end. ${stashed.message}` };
}

async function refuseDirty(
  site: CheckoutSite,
  { left: taken }: Prepare,
  { checkout, files }: ReadyAndChanges,
): Promise<WorkspaceResult> {
  const { root } = site;
  if (files.length === 0) return { ...done, note: await submoduleNote(checkout) };
  const left = await leftIn(site);
  // More changes than the card showed: ask again.
  const isMeant = taken?.how === 'build' && left?.by.run === taken.by.run && left.others.length === 0;
  if (isMeant) return { ...done, note: await submoduleNote(checkout) };
  const dirty = { ok: false, code: 'dirty', message: `${root} has changes` } as const;
  if (left === null) return { ...dirty, files: files.slice(0, 200) };
  return { ...dirty, files: [...left.by.files, ...left.others.slice(0, 200)], left: left.by };
}
