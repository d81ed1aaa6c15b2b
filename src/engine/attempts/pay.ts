// Adds attempts' costs to the sums of their chain, run and project, once each, whenever they become known.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { Event } from '../model/event.js';
import type { Run } from '../model/model.js';
import { paidFrom } from './spending-limits.js';

export interface Bill {
  readonly costUsd: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
}

/** The unpaid rest of a bill. An attempt that ends twice reports totals that include its first end. */
export function owed(paid: Bill, total: Bill): Bill {
  const rest = (of: keyof Bill) => {
    const sum = total[of];
    return sum === null ? null : Math.max(0, sum - (paid[of] ?? 0));
  };
  return { costUsd: rest('costUsd'), tokensIn: rest('tokensIn'), tokensOut: rest('tokensOut') };
}

export function pay(tx: DecisionDraft, { costUsd, tokensIn, tokensOut }: Bill): void {
  const { run } = tx;
  const cost = costUsd ?? 0;
  if (cost > 0) tx.setChain({ costUsd: (tx.chain.costUsd ?? 0) + cost });
  tx.setRun({
    purse: run.purse && paidFrom(run.purse, cost, tx.at),
    costUsd: run.costUsd + cost,
    tokensIn: run.tokensIn + (tokensIn ?? 0),
    tokensOut: run.tokensOut + (tokensOut ?? 0),
  });
}

/** Counts for the run and for the chain, because a story's card shows what the story cost. */
export function countUnpriced(tx: DecisionDraft, by: 1 | -1): void {
  const count = ({ unpriced = 0 }: { readonly unpriced?: number }) => ({ unpriced: Math.max(0, unpriced + by) });
  tx.setRun(count(tx.run));
  tx.setChain(count(tx.chain));
}

/** The caller guarantees at most one call per attempt, and only for one that settled without a cost. */
export function payLate(tx: DecisionDraft, event: Extract<Event, { type: 'paid_late' }>): void {
  const { attempt, costUsd, tokensIn, tokensOut, wasUnpriced } = event;
  const bill = { costUsd, tokensIn, tokensOut };
  pay(tx, bill);
  if (wasUnpriced && costUsd !== null) countUnpriced(tx, -1);
  const node = tx.chain.nodes.find((one) => one.last?.id === attempt);
  // Runs of earlier versions mark it even if they do not count it; their logs must replay to the same state.
  if (node?.last)
    tx.setNode(node.id, {
      last: { ...node.last, ...bill, isUnpriced: (wasUnpriced || tx.run.rules === undefined) && costUsd === null },
    });
}

/** Whether every agent attempt reported its cost. */
export function isCostKnown({ unpriced = 0 }: Pick<Run, 'unpriced'>): boolean {
  return unpriced === 0;
}
