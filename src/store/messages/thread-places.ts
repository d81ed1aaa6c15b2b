// A platform's thread id contains its place, so the place is known before any row.
import type { Thread } from './message-types.js';

export interface ThreadCodec {
  readonly name: string;
  decode(id: string): Thread['address'] | null;
}

type Place = Pick<Thread, 'channel' | 'address'>;

/** Null: no place (terminal, page). */
export function placeOf(codecs: readonly ThreadCodec[], id: string): Place | null {
  for (const codec of codecs) {
    const address = codec.decode(id);
    if (address !== null) return { channel: codec.name, address };
  }
  return null;
}

/** Terminal and page read the store instead. */
export function isCarried({ channel }: Thread): boolean {
  return channel !== 'local' && channel !== 'web';
}

/** A platform limits the rate of a chat together with its topics. */
export function laneOf(thread: Pick<Thread, 'id' | 'address'>): string {
  return thread.address['chat'] ?? thread.id;
}
