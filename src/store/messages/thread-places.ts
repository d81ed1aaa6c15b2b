// Where a thread is, as far as its id or its row tells. A thread of a chat platform carries its place in its id, so that
// it is found before anybody wrote a row for it.
import type { Thread } from './message-types.js';

const telegramId = /^tg:(-?\d{1,20})(?::(\d{1,15}))?$/;
/** A channel, a conversation or a person; in it the thread that begins with this message, one that Bosun opens, or what one person alone sees. */
const slackId = /^sl:([A-Z0-9]{2,40})(?::(?:(\d{1,12}\.\d{1,8})|(r\d{1,12}|c[0-9a-f]{8,40})|@([A-Z0-9]{2,40})))?$/;

/** `row`: what is stored of it; what people chose there, and the address of those whose id tells none. */
export function placedThread(id: string, row: Thread | null): Thread | null {
  const place = telegramPlace(id) ?? slackPlace(id);
  if (place === null) return row;
  return { id, ...place, project: row?.project ?? null, quiet: row?.quiet ?? false };
}

type Place = Pick<Thread, 'channel' | 'address'>;

function telegramPlace(id: string): Place | null {
  const found = telegramId.exec(id);
  if (found === null) return null;
  const [, chat = '', topic] = found;
  // The first topic of a forum is the chat itself.
  return { channel: 'telegram', address: topic === undefined || topic === '1' ? { chat } : { chat, topic } };
}

/** `opened`: Bosun's own first message there tells where it is; `only`: the one who sees what is said. */
function slackPlace(id: string): Place | null {
  const found = slackId.exec(id);
  if (found === null) return null;
  const [, chat = '', ts, opened, only] = found;
  const named = { ...(ts && { ts }), ...(opened && { opened }), ...(only && { only }) };
  return { channel: 'slack', address: { chat, ...named } };
}

/** Somebody carries what is said there; the terminal and the web read it where it is stored. */
export function isCarried({ channel }: Thread): boolean {
  return channel !== 'local' && channel !== 'web';
}

/** What a platform counts calls for: a chat with all its topics. */
export function laneOf(thread: Thread): string {
  return thread.address['chat'] ?? thread.id;
}
