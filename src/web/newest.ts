// Messages of all threads by their numbers, which the store gives without gaps: m1, m2, m3 …
import type { Message, Store } from '../dispatch/index.js';

export function numberOf(id: string): number {
  return /^m\d{1,15}$/.test(id) ? Number(id.slice(1)) : 0;
}

/** 0 when there is none. */
export function newestNumber(store: Pick<Store, 'browsing'>): number {
  return store.browsing.newestMessage();
}

/** At most `limit` of those after `n`, oldest first. */
export function messagesAfter(store: Pick<Store, 'message'>, n: number, limit: number): readonly Message[] {
  const found: Message[] = [];
  for (let next = n + 1; found.length < limit; next += 1) {
    const message = store.message(`m${next}`);
    if (message === null) break;
    found.push(message);
  }
  return found;
}
