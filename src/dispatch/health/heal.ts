// Pending operations and approved drafts: at start, at each check and after runs. Idempotent.
import type { Event, Run, WorkspaceOp } from '../../engine/index.js';
import type { Store } from '../../store/index.js';
import { emptyPlan, type MakePlan, type Plan, type PlanContext, type Submitted } from '../plans/plan.js';
import type { Presenter } from '../plans/presenter.js';

export interface HealParts {
  readonly store: Pick<Store, 'activeRuns'>;
  readonly performOp: (run: string, op: WorkspaceOp) => void;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  /** A person starts each task of the project. */
  readonly isProposed: (project: string) => boolean;
}

export async function heal({ store, performOp, submit, isProposed }: HealParts): Promise<void> {
  const runs = store.activeRuns();
  for (const run of runs) for (const op of run.ops) performOp(run.id, op);
  if (runs.some(isApprovedDraft)) await submit((now) => startApproved(now, isProposed));
  if (runs.some(isUnlanded)) await submit((now) => ({ ...emptyPlan, events: offersToLand(now, isProposed) }));
}

export function startApproved(now: PlanContext, isProposed: HealParts['isProposed']): Plan {
  const due = dueDrafts(now).filter(({ project }) => !isProposed(project));
  return {
    ...emptyPlan,
    events: due.map((run) => ({ type: 'start', run: run.id, chain: '', at: now.at, by: run.createdBy, behind: null })),
  };
}

/** Offers the next task where a person starts it. */
export function afterRun(
  now: PlanContext,
  ended: ReadonlySet<string>,
  { isProposed, nextQueued }: Pick<HealParts, 'isProposed'> & Pick<Presenter, 'nextQueued'>,
): Plan {
  const projects = new Set([...ended].map((run) => now.spine(run)?.run.project));
  const offered = dueDrafts(now).filter(({ project }) => isProposed(project) && projects.has(project));
  const messages = offered.flatMap((run) => nextQueued(run, now.followers(run.id), now.at));
  const started = startApproved(now, isProposed);
  return { ...started, events: [...started.events, ...offersToLand(now, isProposed)], messages };
}

/** Once no run has the folder and the queue starts none. */
function offersToLand(now: PlanContext, isProposed: HealParts['isProposed']): readonly Event[] {
  const next = new Set(dueDrafts(now).flatMap(({ project }) => (isProposed(project) ? [] : [project])));
  const due = now.reader
    .activeRuns()
    .filter((run) => isUnlanded(run) && !next.has(run.project) && now.holder(run.project) === null)
    .filter(({ id }) => !isAsked(now.spine(id)));
  return due.map((run) => ({ type: 'folder_freed', run: run.id, chain: '', at: now.at }));
}

function isAsked(spine: ReturnType<PlanContext['spine']>): boolean {
  return spine?.interactions.some(({ subject, state }) => subject.type === 'land' && state === 'open') ?? true;
}

function isUnlanded({ unlanded, ops }: Run): boolean {
  return unlanded === 'waits' && ops.every(({ kind }) => kind !== 'land');
}

function dueDrafts(now: PlanContext): readonly Run[] {
  const approved = now.reader.activeRuns().filter(isApprovedDraft);
  const free = [...new Set(approved.map((run) => run.project))].filter((project) => now.holder(project) === null);
  return free.flatMap((project) => now.drafts(project).find((run) => run.approved) ?? []);
}

function isApprovedDraft(run: { readonly status: string; readonly approved: boolean }): boolean {
  return run.status === 'draft' && run.approved;
}
