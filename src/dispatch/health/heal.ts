// Takes up what runs wait for and nobody is doing: work on checkouts, and drafts whose turn has come. Called at the start,
// by every sweep and, for drafts, after each run that ends; doing it again changes nothing.
import type { WorkspaceOp } from '../../engine/index.js';
import type { Store } from '../../store/index.js';
import type { MakePlan, Plan, PlanContext, Submitted } from '../plans/plan.js';

export interface HealParts {
  readonly store: Pick<Store, 'unfinishedRuns'>;
  /** Does nothing where it is under way already. */
  readonly performOp: (run: string, op: WorkspaceOp) => void;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
}

export async function heal({ store, performOp, submit }: HealParts): Promise<void> {
  const runs = store.unfinishedRuns();
  for (const run of runs) for (const op of run.ops) performOp(run.id, op);
  if (runs.some(isApprovedDraft)) await submit(startApproved);
}

/** Of each project without a live run, the next draft that a person said yes to. */
export function startApproved(now: PlanContext): Plan {
  const approved = now.store.unfinishedRuns().filter(isApprovedDraft);
  const free = [...new Set(approved.map((run) => run.project))].filter((project) => now.liveRun(project) === null);
  // As this flush has changed them since they were stored.
  const due = free.flatMap((project) => now.drafts(project).find((run) => run.approved) ?? []);
  return {
    events: due.map((run) => ({ type: 'start', run: run.id, chain: '', at: now.at, by: run.createdBy, behind: null })),
  };
}

function isApprovedDraft(run: { readonly status: string; readonly approved: boolean }): boolean {
  return run.status === 'draft' && run.approved;
}
