// Messages of all threads by their numbers, which the store gives without gaps: m1, m2, m3 …
import type { Message, Store } from '../../store/index.js';

export function numberOf(id: string): number {
  return /^m\d{1,15}$/.test(id) ? Number(id.slice(1)) : 0;
}

/** 0 when there is none. */
export function newestNumber(store: Pick<Store, 'browsing'>): number {
  return store.browsing.newestMessage();
}

export interface Page {
  readonly messages: readonly Message[];
  /** Behind which the next page begins. */
  readonly last: number;
}

/** So many are looked at in one go by whoever may see few of them. */
const mostLookedAt = 500;

/** At most `limit` of those behind `n` and up to `newest` that the reader may see, oldest first; they may be none yet. */
export function messagesAfter(store: Pick<Store, 'message'>, n: number, newest: number, limit: number): Page {
  const messages: Message[] = [];
  let last = n;
  const end = Math.min(newest, n + mostLookedAt);
  while (last < end && messages.length < limit) {
    last += 1;
    const message = store.message(`m${last}`);
    if (message !== null) messages.push(message);
  }
  return { messages, last };
}
