// Messages of all threads by their numbers, which the store gives without gaps: m1, m2, m3 …
import type { Message, Store } from '../dispatch/index.js';

type Messages = Pick<Store, 'message'>;

export function numberOf(id: string): number {
  return /^m\d{1,15}$/.test(id) ? Number(id.slice(1)) : 0;
}

/** 0 when there is none. Looks in steps that double, and then between the last two. */
export function newestNumber(store: Messages): number {
  const isThere = (n: number) => store.message(`m${n}`) !== null;
  let above = 1;
  while (above < 2 ** 40 && isThere(above)) above *= 2;
  let there = Math.floor(above / 2);
  while (above - there > 1) {
    const middle = Math.floor((there + above) / 2);
    if (isThere(middle)) there = middle;
    else above = middle;
  }
  return there;
}

/** At most `limit` of those after `n`, oldest first. */
export function messagesAfter(store: Messages, n: number, limit: number): readonly Message[] {
  const found: Message[] = [];
  for (let next = n + 1; found.length < limit; next += 1) {
    const message = store.message(`m${next}`);
    if (message === null) break;
    found.push(message);
  }
  return found;
}

/** Newest first. */
export function newestMessages(store: Messages, limit: number): readonly Message[] {
  const newest = newestNumber(store);
  return messagesAfter(store, Math.max(0, newest - limit), limit).toReversed();
}
