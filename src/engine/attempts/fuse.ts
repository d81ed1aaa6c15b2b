// What holds a run back that has used up what it may: its dispatches, or money. The card that asks for more goes away by
// itself once nothing is used up any more, because a new day has begun.
import { supersede } from '../interactions/interaction.js';
import type { Step } from '../model/draft.js';
import type { Purse, Run } from '../model/model.js';
import { relimited, spentLimit } from './spending-limits.js';

/** Whether something is used up at this moment. */
export function isFused(run: Run, at: number): boolean {
  return run.counters.dispatches >= run.dispatchLimit || spentLimit(run, at) !== null;
}

export function lapseFuse(step: Step): void {
  if (!isFused(step.run, step.at)) supersede(step, (one) => one.subject.type === 'fuse');
}

/** Takes over limits and sums as they are now; a run that none of them holds any more goes on. */
export function readLimits(step: Step, read: { readonly runUsd: number | null; readonly purse: Purse | null }): void {
  step.setRun(relimited(step.run, { ...read, runUsd: read.runUsd ?? step.workflow.limits.costUsd }, step.at));
  lapseFuse(step);
}
