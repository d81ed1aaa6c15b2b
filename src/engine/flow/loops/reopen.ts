// Ways back onto or over a loop: the loop is walked again, and so are its stories. Which of them is told from the words
// that came with the route, or from a new list of stories; where neither names any, it is all that are done.
import { goBack } from '../../chain/chain.js';
import type { DecisionDraft } from '../../model/draft.js';
import type { Again, Item, Node } from '../../model/model.js';
import { isDoneHere, itemsOf } from './loop.js';

export interface Return {
  readonly from: Node;
  readonly target: Node;
  /** What was said on the way: it may name stories. */
  readonly words: readonly string[];
  /** What the stories are told of it; null where a person's note says it. */
  readonly why: Again | null;
}

export function returnTo(tx: DecisionDraft, { from, target, words, why }: Return): void {
  goBack(tx, from, target);
  const isLoopAhead = tx.chain.nodes.some(({ kind, state }) => kind === 'loop' && state === 'waiting');
  if (isLoopAhead) tx.setChain({ again: why });
  if (target.kind === 'loop') reopen(tx, target, words);
}

/** A loop is reached again and nothing in it is left to do: no new list came, so its stories are done again. */
export function reopenAll(tx: DecisionDraft, loop: Node): void {
  const isOver = ({ status }: Item) => status === 'done' || status === 'cancelled';
  if (loop.generation > 1 && itemsOf(tx, loop).every(isOver)) reopen(tx, loop, []);
}

/** One that a person gave up stays so, and so does one that was done before the run began. */
function reopen(tx: DecisionDraft, loop: Node, words: readonly string[]): void {
  const done = itemsOf(tx, loop).filter(isDoneHere);
  const named = done.filter(({ key }) => words.some((text) => names(text, key)));
  const again = named.length > 0 ? named : done;
  for (const { key } of again) {
    tx.moveItem(key, 'ready');
    tx.setItem(key, { isReopened: true });
  }
  const keys = again.map(({ key }) => key).join(', ');
  if (keys !== '') tx.notice({ type: 'told', text: `${loop.template} is walked again: ${keys}.` });
}

/** As a word of its own: US-1 is not named by US-12. */
function names(text: string, key: string): boolean {
  const words: readonly string[] = text.toLowerCase().match(/[a-z0-9][\w.-]*/g) ?? [];
  return words.some((word) => word.replace(/[.-]+$/, '') === key.toLowerCase());
}
