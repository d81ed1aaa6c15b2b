// What had failed lives again, because a person said how it goes on.

import { supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Node } from '../model/model.js';
import { wakeOthers } from './advance.js';
import { hasRoom, loopOf, markBlocked } from './loops/loop.js';

/**
 * Beside a story that is running, a revived one waits for its turn. No answer about a step that stands still is taken
 * meanwhile, so these cards close; the story asks again once it runs.
 */
export function revive(step: DecisionDraft): void {
  const { run, item } = step;
  if (run.held || run.status === 'failed') wakeOthers(step);
  step.setRun({ held: false });
  if (run.status === 'failed') step.moveRun('running');
  if (item?.status !== 'failed') return;
  const waitsForTurn = !hasRoom(step, loopOf(item));
  step.moveItem(item.key, waitsForTurn ? 'ready' : 'running');
  if (waitsForTurn) closeCardsOfStill(step);
  supersede(step, (one) => one.subject.type === 'next_item' || one.subject.type === 'items_failed');
  step.raise({ type: 'item_reopened', run: step.run.id, chain: item.parent, at: step.at, item: item.key });
}

/** An agent that is still at work keeps its question, and so does a checkout that waits for an answer. */
function closeCardsOfStill(step: DecisionDraft): void {
  const { key, nodes } = step.chain;
  const isStill = ({ state }: Node) => state === 'needs_human' || state === 'failed' || state === 'cancelled';
  const still = new Set(nodes.filter(isStill).map(({ id }) => id));
  supersede(step, (one) => one.chain === key && one.node !== null && still.has(one.node));
}

/** A loop and a run that had failed live again, because something in them does. */
export function reopenLoop(step: DecisionDraft, key: string): void {
  const loop = step.node(step.items.find((item) => item.key === key)?.loop ?? '');
  if (loop?.state === 'failed') {
    step.moveNode(loop.id, 'ready');
    step.moveNode(loop.id, 'running');
  }
  if (loop) markBlocked(step, loop);
  if (step.run.status === 'failed') step.moveRun('running');
}

const moreInsertions = 10;

/** A person's word makes a node ready, with its budgets whole and its question closed. */
export function freshen(step: DecisionDraft, node: Node): Node {
  const { id } = node;
  supersede(step, (one) => one.chain === step.chain.key && one.node === id);
  if (node.state !== 'ready') step.moveNode(id, 'ready', { attempt: 1, abandons: 0 });
  const edges = Object.entries(step.chain.edges).filter(([edge]) => !edge.startsWith(`${node.template}>`));
  step.setChain({ edges: Object.fromEntries(edges) });
  if (step.item) step.setItem(step.item.key, { rejections: 0 });
  const { counters, insertionLimit } = step.run;
  if (counters.insertions >= insertionLimit) step.setRun({ insertionLimit: insertionLimit + moreInsertions });
  // Whoever was told last died before it could act on it, so the next one is told again.
  const { last } = node;
  const isLost = last?.outcome === 'crashed' || last?.outcome === 'timeout' || last?.outcome === 'cancelled';
  if (isLost && node.state !== 'ready') step.setChain({ notes: [...last.notes, ...step.chain.notes] });
  return step.setNode(id, {});
}
