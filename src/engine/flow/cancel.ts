// Ends a run or story early: stops attempts, drops waiting work, closes questions.

import { supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Item } from '../model/model.js';
import { closeItem, dropWorktree, endRun } from './finish.js';
import { isUnderWay } from './loops/loop.js';

export function cancelRun(tx: DecisionDraft, reason: string): void {
  const waiting = tx.items.filter((item) => item.status === 'ready' || item.status === 'blocked');
  const unstarted = tx.run.live.filter((one) => one.startedAt === null);
  tx.reply({ type: 'aborting', dropped: waiting.length + unstarted.length });
  endEarly(tx, reason);
}

export function endEarly(tx: DecisionDraft, reason: string): void {
  const { run } = tx;
  for (const one of run.live) tx.effects.push({ type: 'cancel', attempt: one.attempt });
  tx.setRun({ live: [] });
  cancelChain(tx);
  const running = tx.items.filter(isUnderWay).map((item) => item.key);
  // Live attempts of a failed story's wave may remain.
  const chains = new Set(['', ...running, ...run.live.map((one) => one.chain)]);
  for (const key of chains) cancelOther(tx, key, reason);
  const unfinished = tx.items.filter(({ status }) => status !== 'done' && status !== 'cancelled');
  tx.moveItems(new Set(unfinished.map(({ key }) => key)), 'cancelled');
  endRun(tx, 'cancelled');
}

export function cancelChain(tx: DecisionDraft): void {
  for (const node of tx.chain.nodes) {
    const isLive = node.state === 'queued' || node.state === 'running' || node.state === 'needs_human';
    if (isLive) tx.moveNode(node.id, 'cancelled');
  }
}

export function dropItem(tx: DecisionDraft, item: Item, by: string, reason: string | null = null): void {
  const { key } = item;
  supersede(tx, (one) => one.chain === key || one.subject.type === 'next_item' || one.subject.type === 'items_failed');
  tx.moveItem(key, 'cancelled');
  tx.notice({ type: 'told', text: `${key} is given up (${by}${reason === null ? '' : `: ${reason}`}).` });
  if (tx.chain.key === key) cancelChain(tx);
  else if (item.startedAt !== null) cancelOther(tx, key, 'given up');
  dropWorktree(tx, item);
  if (item.status === 'failed') {
    tx.raise({ type: 'item_reopened', run: tx.run.id, chain: item.parent, at: tx.at, item: key });
  }
  closeItem(tx, item);
}

function cancelOther(tx: DecisionDraft, chain: string, reason: string): void {
  if (chain === tx.chain.key) return;
  tx.raise({ type: 'chain_cancelled', run: tx.run.id, chain, at: tx.at, reason });
}
