// Freezes the changes of chain, story and run for their cards.

import type { Envelope } from '../../report/envelope.js';
import type { GivenAnswer } from '../interaction-model.js';
import type { FrozenWork, WorkRange, WorkspaceResult } from '../model.js';
import { checkoutOf } from './checkout-use.js';
import type { DecisionDraft } from './draft.js';

export function keepWork(tx: DecisionDraft, { work, durationMs }: Envelope): void {
  const { workedMs = 0, rules } = tx.run;
  // An earlier version counted only part of the time.
  if ((rules ?? 0) < 3) return;
  if (durationMs > 0) tx.setRun({ workedMs: workedMs + durationMs });
  if (work === undefined) return;
  tx.setChain({ work });
  const { from, to } = work.whole;
  const isElsewhere = checkoutOf(tx, tx.chain.key) !== '';
  if (tx.run.work === undefined) tx.setRun({ work: { from, to: isElsewhere ? from : to } });
  else if (!isElsewhere) tx.setRun({ work: { ...tx.run.work, to } });
}

type Delivered = NonNullable<Extract<WorkspaceResult, { ok: true }>['delivered']>;

/** By commits, which leaves out a later run's work. */
export function keepDelivered(tx: DecisionDraft, { from, to, branch }: Delivered): void {
  const { item, chain, run } = tx;
  if ((run.rules ?? 0) < 3) return;
  const isElsewhere = item !== null && checkoutOf(tx, item.key) !== '';
  // Agents in the run's checkout may have committed.
  const began = isElsewhere ? from : (chain.work?.whole.from ?? from);
  if (item !== null) tx.setItem(item.key, { commit: to, work: { from: began, to } });
  tx.setRun({ work: { ...run.work, from: run.work?.from ?? began, to, ...(branch !== null && { branch }) } });
}

/** Exactly the published commits. */
export function keepPublished(tx: DecisionDraft, { from, to, branch }: Delivered): void {
  if ((tx.run.rules ?? 0) >= 3) tx.setRun({ work: { from, to, ...(branch !== null && { branch }) } });
}

/** Undefined: unmeasured. */
export function freezeWork(tx: DecisionDraft): FrozenWork | undefined {
  const { chain } = tx;
  const range = rangeOf(tx);
  if (range === undefined) return undefined;
  const whole = chain.work?.whole;
  const sentBack = chain.sentBack ?? undefined;
  return {
    ...range,
    ...(whole?.from === range.from && whole.to === range.to && { whole }),
    ...(sentBack !== undefined && { sentBack, ...sinceOf(tx, range, sentBack.to) }),
  };
}

function sinceOf({ chain }: DecisionDraft, { to }: WorkRange, from: string | null): Pick<FrozenWork, 'since'> {
  if (from === null) return {};
  const measured = chain.work?.since;
  const isThis = measured?.from === from && measured.to === to;
  return { since: { from, to, ...(isThis && { measured }) } };
}

function rangeOf({ chain, run }: DecisionDraft): WorkRange | undefined {
  const range = chain.key === '' ? run.work : chain.work?.whole;
  return range && { from: range.from, to: range.to };
}

/** The next round's card shows changes since. */
export function keepSentBack(tx: DecisionDraft, { by, text, where }: Omit<GivenAnswer, 'behind'>): void {
  const to = rangeOf(tx)?.to;
  if (to === undefined) return;
  tx.setChain({ sentBack: { by, text, at: tx.at, to, ...(where !== undefined && { where }) } });
}

export function keepApproval(tx: DecisionDraft, by: readonly string[]): void {
  if (tx.chain.sentBack) tx.setChain({ sentBack: null });
  if ((tx.run.rules ?? 0) < 3) return;
  tx.setRun({ approvedBy: [...new Set([...(tx.run.approvedBy ?? []), ...by])] });
}
