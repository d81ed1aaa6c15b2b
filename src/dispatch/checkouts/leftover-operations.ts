// Handles an aborted run's changes in the project's checkout.
import { dirname, join, relative } from 'node:path';
import { ownFolder } from '../../base/index.js';
import { isRunOver, type LeftBehind, type Run, type WorkspaceOp, type WorkspaceResult } from '../../engine/index.js';
import type { AttemptRow } from '../../store/index.js';
import {
  branchLeftovers,
  checkpointSchema,
  discardLeftovers,
  findLeftovers,
  leaveBranch,
  planBranch,
  readBranch,
  readBranchNote,
  readHeadOf,
  sortLeftovers,
  type WorkSpan,
} from '../../workspace/index.js';
import { blocked, done, told } from './operation-result.js';
import { branchKeyOf, type CheckoutSite, originOf, runOf } from './run-branch-operations.js';

const attemptsMax = 10_000;

export async function findLeft({ root, run, store }: CheckoutSite): Promise<WorkspaceResult> {
  const rows = store.attemptsOfRun(run.id, attemptsMax);
  return { ...done, left: await findLeftovers(root, rows.flatMap(spanOf)) };
}

/** Checks take no checkpoint, so their changes count as a person's. */
function spanOf({ checkpoint, attempt }: AttemptRow): readonly WorkSpan[] {
  if (checkpoint === null) return [];
  const { tree } = checkpointSchema.parse(JSON.parse(checkpoint));
  return [{ from: tree, to: attempt.tree ?? null }];
}

type Clear = Extract<WorkspaceOp, { kind: 'clear_left' }>;

export async function clearLeft(site: CheckoutSite, op: Clear): Promise<WorkspaceResult> {
  if (op.how === 'discard') return discard(site, op);
  const { root, run, store } = site;
  const message = `${op.message}\n\nBosun: ${op.id}-${originOf(run.id, store)}`;
  const branch = await branchFor(site);
  if (typeof branch !== 'string') return branch;
  const result = await branchLeftovers(root, op, { branch, message });
  if (result.kind !== 'done') return told(result);
  const { files, commit, kept } = result;
  if (commit === null) return { ...done, note: `Nothing of it was left to commit.${keptText(kept)}` };
  const size = files === 0 ? '' : `, ${counted(files)}`;
  return { ...done, commit, note: `Committed to ${branch} (${commit.slice(0, 8)}${size}).${keptText(kept)}` };
}

/** A retry finds its new branch by the note. */
async function branchFor(site: CheckoutSite): Promise<string | WorkspaceResult> {
  const { root, run, store } = site;
  const own = runOf(site)?.branch ?? null;
  if (own !== null && (await readBranch(root)) === own.name) return own.name;
  const key = `${branchKeyOf(run.id, store)}-left`;
  const known = await readBranchNote(root, key);
  if (known !== null) return known.name;
  const head = await readHeadOf(root);
  if (head.branch === null) return blocked(`No branch is checked out in ${root}\nCheck one out: git switch <branch>.`);
  const wanted = { key, run: run.id, task: runOf(site)?.task ?? '', path: null };
  const planned = await planBranch(root, { sha: head.sha, branch: head.branch }, wanted);
  return 'kind' in planned ? told(planned) : planned.name;
}

async function discard(
  { root, run }: Pick<CheckoutSite, 'root' | 'run'>,
  { from, to, keepAs }: { readonly from: string; readonly to: string; readonly keepAs: string },
): Promise<WorkspaceResult> {
  const saveTo = join(root, '.ai', 'runs', run.id, keepAs);
  ownFolder(root, dirname(saveTo));
  const result = await discardLeftovers(root, { from, to }, { saveTo });
  if (result.kind !== 'done') return told(result);
  const { files, savedTo, kept } = result;
  if (savedTo === null) return { ...done, note: `Nothing of it was there any more.${keptText(kept)}` };
  return {
    ...done,
    note: `Discarded ${counted(files)}; the diff is kept in ${relative(root, savedTo)}.${keptText(kept)}`,
  };
}

function keptText(kept: number): string {
  if (kept === 0) return '';
  return ` ${kept === 1 ? '1 file was' : `${kept} files were`} changed by someone since and stayed.`;
}

function counted(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

/** A later run has met the leftovers of older ones. */
const runsLookedAt = 20;
const filesMax = 200;

/** Of the newest aborted run that has any. */
export async function leftIn({
  root,
  run,
  store,
}: CheckoutSite): Promise<{ readonly by: LeftBehind; readonly others: readonly string[] } | null> {
  const by = store
    .runs(run.project, runsLookedAt, null)
    .find(
      (one): one is Run & { readonly left: NonNullable<Run['left']> } => isRunOver(one.status) && Boolean(one.left),
    );
  if (by === undefined) return null;
  const { from, to } = by.left;
  const { left, others } = await sortLeftovers(root, { from, to });
  if (left.length === 0) return null;
  return { by: { run: by.id, task: by.task, from, to, files: left.slice(0, filesMax) }, others };
}

type Taken = NonNullable<Extract<WorkspaceOp, { kind: 'prepare' }>['left']>;

/** An error blocks; null: begin. */
export async function takeLeft(site: CheckoutSite, { by, how, keepAs }: Taken): Promise<WorkspaceResult | null> {
  const { root, store } = site;
  if (how === 'discard') {
    const cleared = await discard(site, { ...by, keepAs });
    if (!cleared.ok) return cleared;
  }
  const branch = store.run(by.run)?.branch ?? null;
  if (branch === null || (await readBranch(root)) !== branch.name) return null;
  const left = await leaveBranch(root, { ...branch, carries: how === 'build' });
  return left.kind === 'blocked' ? told(left) : null;
}
