// Restarts pending work that no one performs: checkout operations, and approved drafts whose turn has come. Runs at the
// start, with every periodic check and, for drafts, after each run; it is idempotent.
import type { WorkspaceOp } from '../../engine/index.js';
import type { Store } from '../../store/index.js';
import type { MakePlan, Plan, PlanContext, Submitted } from '../plans/plan.js';

export interface HealParts {
  readonly store: Pick<Store, 'unfinishedRuns'>;
  /** Deduped: does nothing if the operation is under way. */
  readonly performOp: (run: string, op: WorkspaceOp) => void;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
}

export async function heal({ store, performOp, submit }: HealParts): Promise<void> {
  const runs = store.unfinishedRuns();
  for (const run of runs) for (const op of run.ops) performOp(run.id, op);
  if (runs.some(isApprovedDraft)) await submit(startApproved);
}

/** Starts the next approved draft of each project without a live run. */
export function startApproved(now: PlanContext): Plan {
  const approved = now.reader.unfinishedRuns().filter(isApprovedDraft);
  const free = [...new Set(approved.map((run) => run.project))].filter((project) => now.liveRun(project) === null);
  // Reads drafts as this transaction has changed them.
  const due = free.flatMap((project) => now.drafts(project).find((run) => run.approved) ?? []);
  return {
    events: due.map((run) => ({ type: 'start', run: run.id, chain: '', at: now.at, by: run.createdBy, behind: null })),
  };
}

function isApprovedDraft(run: { readonly status: string; readonly approved: boolean }): boolean {
  return run.status === 'draft' && run.approved;
}
