import { supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Node } from '../model/model.js';
import { wakeOthers } from './advance.js';
import { hasRoom, loopOf, markBlocked } from './loops/loop.js';

/** Without room the story waits, and its cards close, because answers could not act; it asks when it runs. */
export function revive(tx: DecisionDraft): void {
  const { run, item } = tx;
  if (run.held || run.status === 'failed') wakeOthers(tx);
  tx.setRun({ held: false });
  if (run.status === 'failed') tx.moveRun('running');
  if (item?.status !== 'failed') return;
  const waitsForTurn = !hasRoom(tx, loopOf(item));
  tx.moveItem(item.key, waitsForTurn ? 'ready' : 'running');
  if (waitsForTurn) closeCardsOfStill(tx);
  supersede(tx, (one) => one.subject.type === 'next_item' || one.subject.type === 'items_failed');
  tx.raise({ type: 'item_reopened', run: tx.run.id, chain: item.parent, at: tx.at, item: item.key });
}

/** Keeps questions of running agents and about the checkout. */
function closeCardsOfStill(tx: DecisionDraft): void {
  const { key, nodes } = tx.chain;
  const isStill = ({ state }: Node) => state === 'needs_human' || state === 'failed' || state === 'cancelled';
  const still = new Set(nodes.filter(isStill).map(({ id }) => id));
  supersede(tx, (one) => one.chain === key && one.node !== null && still.has(one.node));
}

export function reopenLoop(tx: DecisionDraft, key: string): void {
  const loop = tx.node(tx.items.find((item) => item.key === key)?.loop ?? '');
  if (loop?.state === 'failed') {
    tx.moveNode(loop.id, 'ready');
    tx.moveNode(loop.id, 'running');
  }
  if (loop) markBlocked(tx, loop);
  if (tx.run.status === 'failed') tx.moveRun('running');
}

const moreInsertions = 10;

export function freshen(tx: DecisionDraft, node: Node): Node {
  const { id } = node;
  supersede(tx, (one) => one.chain === tx.chain.key && one.node === id);
  if (node.state !== 'ready') tx.moveNode(id, 'ready', { attempt: 1, abandons: 0 });
  const edges = Object.entries(tx.chain.edges).filter(([edge]) => !edge.startsWith(`${node.template}>`));
  tx.setChain({ edges: Object.fromEntries(edges) });
  if (tx.item) tx.setItem(tx.item.key, { rejections: 0 });
  const { counters, insertionLimit } = tx.run;
  if (counters.insertions >= insertionLimit) tx.setRun({ insertionLimit: insertionLimit + moreInsertions });
  // The attempt died before it acted on its notes, so the next one gets them.
  const { last } = node;
  const isLost = last?.outcome === 'crashed' || last?.outcome === 'timeout' || last?.outcome === 'cancelled';
  if (isLost && node.state !== 'ready') tx.setChain({ notes: [...last.notes, ...tx.chain.notes] });
  return tx.setNode(id, {});
}
