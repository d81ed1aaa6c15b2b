// Each attempt's cost joins the sums of chain, run and project once.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { Event } from '../model/event.js';
import type { Run } from '../model/model.js';
import { paidFrom } from './spending-limits.js';

export interface Bill {
  readonly costUsd: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
}

/** An attempt that ends twice reports totals: the unpaid rest. */
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

/** Per chain too: a story's card shows its cost. */
export function countUnpriced(tx: DecisionDraft, by: 1 | -1): void {
  const count = ({ unpriced = 0 }: { readonly unpriced?: number }) => ({ unpriced: Math.max(0, unpriced + by) });
  tx.setRun(count(tx.run));
  tx.setChain(count(tx.chain));
}

/** Once per attempt that settled without a cost. */
export function payLate(tx: DecisionDraft, event: Extract<Event, { type: 'paid_late' }>): void {
  const { attempt, costUsd, tokensIn, tokensOut, wasUnpriced } = event;
  const bill = { costUsd, tokensIn, tokensOut };
  pay(tx, bill);
  if (wasUnpriced && costUsd !== null) countUnpriced(tx, -1);
  const node = tx.chain.nodes.find((one) => one.last?.id === attempt);
  // Logs of earlier versions must replay to the same state.
  if (node?.last)
    tx.setNode(node.id, {
      last: { ...node.last, ...bill, isUnpriced: (wasUnpriced || tx.run.rules === undefined) && costUsd === null },
    });
}

export function isCostKnown({ unpriced = 0 }: Pick<Run, 'unpriced'>): boolean {
  return unpriced === 0;
}
