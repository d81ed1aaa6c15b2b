// Derives a thread's place from its id. A chat platform's thread id contains its place, so it is known before a row
// exists.
import type { Thread } from './message-types.js';

/** How one channel spells the places of its platform. */
export interface ThreadCodec {
  readonly name: string;
  /** null: the id is of another channel. */
  decode(id: string): Thread['address'] | null;
}

type Place = Pick<Thread, 'channel' | 'address'>;

/** null: the id contains no place, as in the terminal and on the web page. */
export function placeOf(codecs: readonly ThreadCodec[], id: string): Place | null {
  for (const codec of codecs) {
    const address = codec.decode(id);
    if (address !== null) return { channel: codec.name, address };
  }
  return null;
}

/** True if messages are sent to a platform; the terminal and the web page read the store. */
export function isCarried({ channel }: Thread): boolean {
  return channel !== 'local' && channel !== 'web';
}

/** The unit of the platform's rate limit: a chat with all its topics. */
export function laneOf(thread: Pick<Thread, 'id' | 'address'>): string {
  return thread.address['chat'] ?? thread.id;
}
