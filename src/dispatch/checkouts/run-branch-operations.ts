// The branch exists before the run, is published at its end, then left.
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ProjectConfig } from '../../config/index.js';
import { type DiffStat, type Run, unreachable, type WorkspaceOp, type WorkspaceResult } from '../../engine/index.js';
import type { AgentKind } from '../../jobs/index.js';
import type { Store } from '../../store/index.js';
import { prepareWorktree } from '../../worker/index.js';
import {
  type BranchNote,
  branchNameFrom,
  checkOutBranch,
  diffStat,
  dropWorktree,
  findCommit,
  findForkOf,
  type Landed,
  landBranch,
  leaveBranch,
  openWorktree,
  planBranch,
  pushBranch,
  type RootState,
  readBranchNote,
  requestPull,
} from '../../workspace/index.js';
import { blocked, done, told } from './operation-result.js';
import { runWorktreeOf } from './worktree-paths.js';

export interface CheckoutSite {
  readonly root: string;
  readonly worktrees: string;
  readonly run: Pick<Run, 'id' | 'project'>;
  readonly store: Store;
  readonly project?: Pick<ProjectConfig, 'git' | 'worktree'>;
  readonly agents?: readonly Pick<AgentKind, 'kind' | 'coAuthor'>[];
  readonly page?: string | null;
}

type Ready = Extract<RootState, { kind: 'ok' }>;
type Publish = Extract<WorkspaceOp, { kind: 'publish' }>;
type OwnBranch = NonNullable<Run['branch']>;

export function fittingOf({ project }: CheckoutSite): ProjectConfig['worktree'] {
  return project?.worktree ?? { setup: null, link: null };
}

/** Distinguishes equal run numbers of another home or a lost database. */
export function originOf(run: string, store: Pick<Store, 'homeId' | 'run'>): string {
  return `${store.homeId}-${(store.run(run)?.createdAt ?? 0).toString(36)}`;
}

/** The run that made a commit with this trailer; null: none of this home's. */
export function runOfTrailer(trailer: string, store: Pick<Store, 'homeId' | 'run'>): Run | null {
  const [, id = ''] = /^(r\d+)-/.exec(trailer) ?? [];
  const run = id === '' ? null : store.run(id);
  return run !== null && trailer.endsWith(`-${originOf(id, store)}`) ? run : null;
}

export function runOf({ store, run }: CheckoutSite): Run | null {
  return store.run(run.id);
}

export function branchKeyOf(run: string, store: Pick<Store, 'homeId' | 'run'>): string {
  return `${run}-${originOf(run, store)}`;
}

export async function beginBranch(site: CheckoutSite, state: Ready, isBeside: boolean): Promise<WorkspaceResult> {
  const { root, run } = site;
  const wanted = {
    key: branchKeyOf(run.id, site.store),
    run: run.id,
    task: runOf(site)?.task ?? '',
    path: isBeside ? runWorktreeOf(site.worktrees, run) : null,
  };
  const planned = await planBranch(root, { sha: state.head, branch: state.branch }, wanted);
  if ('kind' in planned) return told(planned);
  if (isBeside) return openBeside(site, planned);
  await checkOutBranch(root, planned);
  return { ...done, branch: { name: planned.name, base: planned.base, folder: null } };
}

/** Keeps the present branch if the proposal equals it or is unusable. */
export async function createProposed(site: CheckoutSite, state: Ready, proposed: string): Promise<WorkspaceResult> {
  const name = branchNameFrom(proposed);
  const { root, run, store } = site;
  const key = branchKeyOf(run.id, store);
  // After a crash it is checked out already.
  const isNew = (await readBranchNote(root, key)) === null;
  if (name === null || (isNew && name === state.branch)) return { ...done, base: state.branch };
  const wanted = { key, run: run.id, task: '', path: null, name };
  const planned = await planBranch(root, { sha: state.head, branch: state.branch }, wanted);
  if ('kind' in planned) return told(planned);
  await checkOutBranch(root, planned);
  const note = planned.name === name ? null : `The branch ${name} was taken: the run works on ${planned.name}.`;
  return { ...done, note, base: planned.base, branch: { name: planned.name, base: planned.base, folder: null } };
}

export function coAuthorsOf({ project, agents = [] }: CheckoutSite, kinds: readonly string[] = []): readonly string[] {
  if (project?.git.coAuthor === false) return [];
  return agents.flatMap(({ kind, coAuthor }) =>
    coAuthor !== undefined && kinds.includes(kind) ? [`Co-authored-by: ${coAuthor}`] : [],
  );
}

async function openBeside(site: CheckoutSite, { name, base, at }: BranchNote): Promise<WorkspaceResult> {
  const { root, worktrees, run } = site;
  const opened = await openWorktree({ root, path: runWorktreeOf(worktrees, run), branch: name, base: at });
  if (opened.kind !== 'opened') return told(opened);
  const fit = await prepareWorktree({ root, folder: opened.root, settings: fittingOf(site), name });
  if (fit.kind === 'failed') return blocked(fit.why);
  const where = `It works on the branch ${name}, in ${opened.root}. Your changes stay where they are.`;
  const note = [where, opened.note, fit.note].filter((one) => one !== null).join('\n');
  return { ...done, note, branch: { name, base, folder: opened.root } };
}

export async function publish(site: CheckoutSite, op: Publish): Promise<WorkspaceResult> {
  const branch = runOf(site)?.branch;
  if (!branch) return done;
  const holder = op.how === 'commit' ? holderOf(site) : null;
  if (op.how === 'commit' && holder === null) return land(site, branch);
  const fork = await findForkOf(site.root, branch);
  if (fork.kind === 'blocked') return told(fork);
  if (fork.count === 0) return { ...done, note: 'nothing to commit' };
  const stat = fork.from === null ? null : await diffStat(site.root, fork.from, fork.tip);
  const delivered = fork.from === null ? {} : { delivered: { from: fork.from, to: fork.tip, branch: branch.name } };
  const what = { ...done, commit: fork.tip, diffStat: stat, ...delivered };
  const size = sizeOf(fork.count, stat);
  switch (op.how) {
    case 'commit':
      return { ...what, isUnlanded: true, note: `${size}, on the branch ${branch.name}\n${notLanded(holder, branch)}` };
    case 'branch':
      return { ...what, note: `${size}, on the branch ${branch.name}` };
    case 'push':
    case 'pr':
      return send(site, branch, op, { what, size });
    default:
      return unreachable(op.how);
  }
}

/** Another run has the project's checkout, so nothing may be merged there. A failed one may be retried. */
export function holderOf({ store, run }: CheckoutSite): Run | null {
  const open = [...store.liveRuns(run.project), ...store.failedRuns(run.project)];
  return open.find(({ id, beside }) => id !== run.id && !beside) ?? null;
}

function notLanded(holder: Run | null, { base }: OwnBranch): string {
  const why = `Not merged into ${base}, because ${holder?.id ?? 'another run'} works in the project's folder.`;
  return `${why} I will ask once it has ended.`;
}

/** The run's worktree is gone, so a rebase gets one again. Idempotent: the note tells what was merged. */
export async function landLater(site: CheckoutSite): Promise<WorkspaceResult> {
  const { root, worktrees, run } = site;
  const branch = runOf(site)?.branch;
  if (!branch) return done;
  const holder = holderOf(site);
  if (holder !== null) return { ...busy, message: `${holder.id} works in the project's folder` };
  const { name, base } = branch;
  const fork = await findForkOf(root, branch);
  const onto = await findCommit(root, `refs/heads/${base}`);
  if (fork.kind === 'fork' && fork.from !== null && fork.from !== onto) {
    const opened = await openWorktree({ root, path: runWorktreeOf(worktrees, run), branch: name, base });
    if (opened.kind !== 'opened') return told(opened);
  }
  const result = await land(site, branch);
  const dropped = await dropBeside(site, name);
  return result.ok && dropped.kind === 'blocked' ? told(dropped) : result;
}

const busy = { ok: false, code: 'busy', files: [] } as const;

async function land(
  { root, worktrees, run, store }: CheckoutSite,
  { name, base }: OwnBranch,
): Promise<WorkspaceResult> {
  const key = branchKeyOf(run.id, store);
  const result = await landBranch({ root, path: runWorktreeOf(worktrees, run), name, base, key });
  if (result.kind === 'blocked') return refused(result);
  const { count, commit, from, stat } = result;
  if (count === 0) return { ...done, note: 'nothing to commit' };
  const note = `${sizeOf(count, stat)}, on ${base} as ${commit.slice(0, 8)}`;
  return { ...done, commit, diffStat: stat, note, delivered: { from, to: commit, branch: base } };
}

function refused({ conflicts = [], ...why }: Extract<Landed, { kind: 'blocked' }>): WorkspaceResult {
  const blocking = told(why);
  return conflicts.length === 0 || blocking.ok ? blocking : { ...blocking, code: 'conflict', files: conflicts };
}

async function send(
  { root, project, page = null }: CheckoutSite,
  { name, base }: OwnBranch,
  { how, title, text }: Publish,
  { what, size }: { readonly what: Extract<WorkspaceResult, { ok: true }>; readonly size: string },
): Promise<WorkspaceResult> {
  const pushed = await pushBranch(root, name, project?.git.remote ?? null);
  if (pushed.kind === 'blocked') return told(pushed);
  const note = `${size}, on the branch ${name}, pushed to ${pushed.remote}`;
  if (how === 'push') return { ...what, note };
  const onto = project?.git.base ?? base;
  const asked = await requestPull({ folder: root, url: pushed.url, branch: name, base: onto, title, text, page });
  if (asked.kind === 'blocked') return told(asked);
  if (asked.kind === 'opened') return { ...what, note: `${note}\n${asked.page}` };
  const why = asked.why === null ? '' : `Could not open a pull request: ${asked.why}. `;
  const way = asked.page === null ? 'Open a pull request there.' : `Open a pull request: ${asked.page}`;
  return { ...what, note: `${note}\n${why}${way}` };
}

function sizeOf(count: number, stat: DiffStat | null): string {
  const commits = `${count} ${count === 1 ? 'commit' : 'commits'}`;
  if (stat === null) return commits;
  return `${commits}, ${stat.files} ${stat.files === 1 ? 'file' : 'files'} +${stat.insertions} −${stat.deletions}`;
}

export async function leave(site: CheckoutSite, carries: boolean): Promise<WorkspaceResult> {
  const run = runOf(site);
  if (!run?.branch) return done;
  const { name, base, folder } = run.branch;
  const left = folder === null ? await leaveBranch(site.root, { name, base, carries }) : await dropBeside(site, name);
  if (left.kind === 'blocked') return told(left);
  const isUnfinished = run.status !== 'completed' && left.branch === 'kept';
  return { ...done, note: isUnfinished ? `The work so far stays on the branch ${name}.` : null };
}

async function dropBeside({ root, worktrees, run }: CheckoutSite, branch: string): ReturnType<typeof dropWorktree> {
  const path = runWorktreeOf(worktrees, run);
  const result = await dropWorktree({ root, path, branch, keepBranch: false });
  // Best effort: removes the run's folder only if empty.
  await rmdir(dirname(path)).catch(() => null);
  return result;
}
