// What is under way, and where: one checkout has one writer, so what shares a checkout waits for each other.

import type { DecisionDraft } from './draft.js';
import type { LiveAttempt, WorkspaceOp } from './model.js';

/** The checkout that a chain works in: empty for the project's own, else the key of the item that has its worktree. */
export function checkoutOf(step: DecisionDraft, chain: string): string {
  const item = step.items.find((one) => one.key === chain);
  return item && step.def(item).isolate === 'worktree' ? chain : '';
}

export function liveBeside(step: DecisionDraft, chain = step.chain.key): readonly LiveAttempt[] {
  const checkout = checkoutOf(step, chain);
  return step.run.live.filter((one) => checkoutOf(step, one.chain) === checkout);
}

export function opsBeside(step: DecisionDraft, chain = step.chain.key): readonly WorkspaceOp[] {
  const checkout = checkoutOf(step, chain);
  return step.run.ops.filter((op) => checkoutOf(step, chainOf(op)) === checkout);
}

export function chainOf(op: WorkspaceOp): string {
  return 'chain' in op ? op.chain : '';
}

/** Whether a chain may take its next step now. */
export function mayGoOn(step: DecisionDraft): boolean {
  const { run, item } = step;
  const isOn = (run.status === 'running' || run.status === 'paused') && !run.held && run.prepared;
  const isMine = item === null || item.status === 'running';
  if (!isOn || !isMine || liveBeside(step).length > 0 || opsBeside(step).length > 0) return false;
  return !waitsForAnswer(step);
}

/** A person has to say first what becomes of this checkout, or where the run begins. */
export function waitsForAnswer(step: DecisionDraft): boolean {
  const here = checkoutOf(step, step.chain.key);
  return step.openInteractions.some(({ subject, chain }) => {
    return subject.type === 'position' || (subject.type === 'workspace' && checkoutOf(step, chain) === here);
  });
}

/** Why no step of this chain can be moved by a person at present, or null. */
export function whyBusy(step: DecisionDraft): string | null {
  const [live] = liveBeside(step);
  if (live) return `${live.step} is still running; stop it first`;
  return whyWorkedOn(step);
}

export function whyWorkedOn(step: DecisionDraft, chain = step.chain.key): string | null {
  return opsBeside(step, chain).length > 0 ? 'the checkout is being worked on; try again in a moment' : null;
}
