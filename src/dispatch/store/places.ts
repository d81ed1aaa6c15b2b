// Where a thread is, as far as its id or its row tells. A thread of a chat platform carries its place in its id, so that
// it is found before anybody wrote a row for it.
import type { Thread } from './port.js';

const telegramId = /^tg:(-?\d{1,20})(?::(\d{1,15}))?$/;

/** `row`: what is stored of it; what people chose there, and the address of those whose id tells none. */
export function placedThread(id: string, row: Thread | null): Thread | null {
  const found = telegramId.exec(id);
  if (found === null) return row;
  const [, chat = '', topic] = found;
  // The first topic of a forum is the chat itself.
  const address = topic === undefined || topic === '1' ? { chat } : { chat, topic };
  return { id, channel: 'telegram', address, project: row?.project ?? null, quiet: row?.quiet ?? false };
}

/** Somebody carries what is said there; the terminal and the web read it where it is stored. */
export function isCarried({ channel }: Thread): boolean {
  return channel !== 'local' && channel !== 'web';
}

/** What a platform counts calls for: a chat with all its topics. */
export function laneOf(thread: Thread): string {
  return thread.address['chat'] ?? thread.id;
}
