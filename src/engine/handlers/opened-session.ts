// While a person has a step's session open, the run dispatches nothing: they work in its checkout.

import { resumeChains } from '../flow/advance.js';
import { whyBusy } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { isRunOver } from '../model/draft/transition.js';
import type { Event } from '../model/event.js';

export function openSession(
  tx: DecisionDraft,
  { node: id, key, by, processes }: Extract<Event, { type: 'session_opened' }>,
): string | null {
  const { opened } = tx.run;
  if (opened?.key === key) {
    tx.setRun({ opened: { ...opened, processes } });
    return null;
  }
  const node = tx.node(id);
  if (!node) return `no step ${id} here`;
  if (isRunOver(tx.run.status)) return 'the run is over';
  const why = whyBusy(tx);
  if (why !== null) return why;
  tx.setRun({ opened: { key, chain: tx.chain.key, node: id, step: node.template, by, since: tx.at, processes } });
  tx.notice({ type: 'session', key, step: node.template, by, state: 'open' });
  return null;
}

export function closeSession(tx: DecisionDraft, key: string, isLost: boolean): string | null {
  const { opened } = tx.run;
  if (opened?.key !== key) return 'superseded';
  tx.setRun({ opened: null });
  tx.notice({ type: 'session', key, step: opened.step, by: opened.by, state: isLost ? 'lost' : 'closed' });
  if (!isRunOver(tx.run.status)) resumeChains(tx);
  return null;
}
