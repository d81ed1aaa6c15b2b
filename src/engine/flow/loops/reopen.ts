// Reopens the stories that the route's words name, else all finished ones. A new list comes first.

import { goBack } from '../../chain/chain.js';
import type { DecisionDraft } from '../../model/draft/draft.js';
import type { Again, Item, Node } from '../../model/model.js';
import { hasBody } from '../../workflow/node-kinds.js';
import { isDoneHere, itemsOf } from './loop.js';

export interface Return {
  readonly from: Node;
  readonly target: Node;
  readonly words: readonly string[];
  /** Null: a person's note has the reason. */
  readonly why: Again | null;
}

export function returnTo(tx: DecisionDraft, { from, target, words, why }: Return): void {
  goBack(tx, from, target);
  const isLoopAhead = tx.chain.nodes.some((node) => hasBody(node) && node.state === 'waiting');
  if (isLoopAhead) tx.setChain({ again: why });
  if (hasBody(target)) reopen(tx, target, words);
}

/** The loop was reached again without new stories. */
export function reopenAll(tx: DecisionDraft, loop: Node): void {
  const isOver = ({ status }: Item) => status === 'done' || status === 'cancelled';
  if (loop.generation > 1 && itemsOf(tx, loop).every(isOver)) reopen(tx, loop, []);
}

/** Leaves out stories given up, or done before the run. */
function reopen(tx: DecisionDraft, loop: Node, words: readonly string[]): void {
  const done = itemsOf(tx, loop).filter(isDoneHere);
  const named = done.filter(({ key }) => words.some((text) => names(text, key)));
  const again = named.length > 0 ? named : done;
  const reopened = new Set(again.map(({ key }) => key));
  tx.moveItems(reopened, 'ready');
  tx.items = tx.items.map((item) => (reopened.has(item.key) ? { ...item, isReopened: true } : item));
  const keys = again.map(({ key }) => key).join(', ');
  if (keys !== '') tx.notice({ type: 'told', text: `${loop.template} is walked again: ${keys}.` });
}

/** Whole words: US-12 does not name US-1. */
function names(text: string, key: string): boolean {
  const words: readonly string[] = text.toLowerCase().match(/[a-z0-9][\w.-]*/g) ?? [];
  return words.some((word) => word.replace(/[.-]+$/, '') === key.toLowerCase());
}
