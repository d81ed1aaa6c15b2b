// A platform's thread id contains its place, known before any row.
import type { Thread } from './message-types.js';

/** How one channel spells the places of its platform. */
export interface ThreadCodec {
  readonly name: string;
  /** Null: another channel's. */
  decode(id: string): Thread['address'] | null;
}

type Place = Pick<Thread, 'channel' | 'address'>;

/** Null: the id has no place (terminal, page). */
export function placeOf(codecs: readonly ThreadCodec[], id: string): Place | null {
  for (const codec of codecs) {
    const address = codec.decode(id);
    if (address !== null) return { channel: codec.name, address };
  }
  return null;
}

/** False: terminal and page read the store. */
export function isCarried({ channel }: Thread): boolean {
  return channel !== 'local' && channel !== 'web';
}

/** Rate-limited as one: a chat with its topics. */
export function laneOf(thread: Pick<Thread, 'id' | 'address'>): string {
  return thread.address['chat'] ?? thread.id;
}
