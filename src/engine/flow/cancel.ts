// Ending a run or a story before its end: what runs is killed, what waits is dropped, every open question is closed.

import { supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Item } from '../model/model.js';
import { closeItem, dropWorktree, endRun } from './finish.js';
import { isUnderWay } from './loops/loop.js';

export function cancelRun(step: DecisionDraft, reason: string): void {
  const { run } = step;
  const waiting = step.items.filter((item) => item.status === 'ready' || item.status === 'blocked');
  const unstarted = run.live.filter((one) => one.startedAt === null);
  step.reply({ type: 'aborting', dropped: waiting.length + unstarted.length });
  for (const one of run.live) step.effects.push({ type: 'cancel', attempt: one.attempt });
  step.setRun({ live: [] });
  cancelChain(step);
  const running = step.items.filter(isUnderWay).map((item) => item.key);
  // One may have failed while others of its wave still ran.
  const chains = new Set(['', ...running, ...run.live.map((one) => one.chain)]);
  for (const key of chains) cancelOther(step, key, reason);
  for (const item of step.items) {
    if (item.status !== 'done' && item.status !== 'cancelled') step.moveItem(item.key, 'cancelled');
  }
  endRun(step, 'cancelled');
}

export function cancelChain(step: DecisionDraft): void {
  for (const node of step.chain.nodes) {
    const isLive = node.state === 'queued' || node.state === 'running' || node.state === 'needs_human';
    if (isLive) step.moveNode(node.id, 'cancelled');
  }
}

/** A person gives a story up; the loop goes on without it. */
export function dropItem(step: DecisionDraft, item: Item, by: string, reason: string | null = null): void {
  const { key } = item;
  supersede(
    step,
    (one) => one.chain === key || one.subject.type === 'next_item' || one.subject.type === 'items_failed',
  );
  step.moveItem(key, 'cancelled');
  step.notice({ type: 'told', text: `${key} is given up (${by}${reason === null ? '' : `: ${reason}`}).` });
  if (step.chain.key === key) cancelChain(step);
  else if (item.startedAt !== null) cancelOther(step, key, 'given up');
  dropWorktree(step, item);
  if (item.status === 'failed') {
    step.raise({ type: 'item_reopened', run: step.run.id, chain: item.parent, at: step.at, item: key });
  }
  closeItem(step, item);
}

function cancelOther(step: DecisionDraft, chain: string, reason: string): void {
  if (chain === step.chain.key) return;
  step.raise({ type: 'chain_cancelled', run: step.run.id, chain, at: step.at, reason });
}
