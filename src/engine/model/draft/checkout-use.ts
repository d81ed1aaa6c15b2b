// A checkout has one writer: work that shares one runs in turn.

import { runsJob } from '../../workflow/node-kinds.js';
import type { LiveAttempt, Node, WorkspaceOp } from '../model.js';
import type { DecisionDraft } from './draft.js';

/** '': the project's checkout; else the item that owns the worktree. */
export function checkoutOf(tx: DecisionDraft, chain: string): string {
  const item = tx.items.find((one) => one.key === chain);
  return item && tx.loop(item).isolate === 'worktree' ? chain : '';
}

export function isTakenBack(tx: DecisionDraft, node: Pick<Node, 'template'>): boolean {
  const def = tx.def(node);
  return (runsJob(def) && def.rollback) || checkoutOf(tx, tx.chain.key) !== '';
}

export function liveBeside(tx: DecisionDraft, chain = tx.chain.key): readonly LiveAttempt[] {
  const checkout = checkoutOf(tx, chain);
  return tx.run.live.filter((one) => checkoutOf(tx, one.chain) === checkout);
}

function opsBeside(tx: DecisionDraft, chain = tx.chain.key): readonly WorkspaceOp[] {
  const checkout = checkoutOf(tx, chain);
  return tx.run.ops.filter((op) => checkoutOf(tx, chainOf(op)) === checkout);
}

export function chainOf(op: WorkspaceOp): string {
  return 'chain' in op ? op.chain : '';
}

export function mayAdvance(tx: DecisionDraft): boolean {
  const { run, item } = tx;
  const isOn = (run.status === 'running' || run.status === 'paused') && !run.held && run.prepared;
  const isMine = item === null || item.status === 'running';
  if (run.opened || !isOn || !isMine || liveBeside(tx).length > 0 || opsBeside(tx).length > 0) return false;
  return !waitsForAnswer(tx) && !isAborting(tx);
}

/** Nothing starts or commits while a person confirms the abort. */
export function isAborting({ run, openInteractions }: DecisionDraft): boolean {
  return (run.rules ?? 0) >= 4 && openInteractions.some(({ subject }) => subject.type === 'abort');
}

/** A question about this checkout, or about the run's beginning. */
export function waitsForAnswer(tx: DecisionDraft): boolean {
  const here = checkoutOf(tx, tx.chain.key);
  return tx.openInteractions.some(({ subject, chain }) => {
    return subject.type === 'position' || (subject.type === 'workspace' && checkoutOf(tx, chain) === here);
  });
}

/** Null: a person may move steps. */
export function whyBusy(tx: DecisionDraft): string | null {
  const [live] = liveBeside(tx);
  if (live) return `${live.step} is still running; stop it first`;
  return whyWorkedOn(tx);
}

export function whyWorkedOn(tx: DecisionDraft, chain = tx.chain.key): string | null {
  const opened = whyOpened(tx);
  if (opened !== null) return opened;
  return opsBeside(tx, chain).length > 0 ? 'the checkout is being worked on; try again in a moment' : null;
}

/** Null: no open session. */
export function whyOpened({ run: { opened } }: DecisionDraft): string | null {
  if (!opened) return null;
  const step = opened.chain === '' ? opened.step : `${opened.chain} ${opened.step}`;
  return `${opened.by} has ${step} open in a terminal; end that session first, or abort the run`;
}
