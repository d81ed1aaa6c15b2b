// Derives a thread's place from its id or row. A chat platform's thread id contains its place, so it is known before a
// row exists.
import type { Thread } from './message-types.js';

const telegramId = /^tg:(-?\d{1,20})(?::(\d{1,15}))?$/;
/**
 * A channel, conversation or person; then optionally the thread that begins with a message, one that Bosun opens, or a
 * message that only one person sees.
 */
const slackId = /^sl:([A-Z0-9]{2,40})(?::(?:(\d{1,12}\.\d{1,8})|(r\d{1,12}|c[0-9a-f]{8,40})|@([A-Z0-9]{2,40})))?$/;

/** `row` supplies people's choices for the thread, and the address if the id contains none. */
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
  // A forum's first topic is the chat itself.
  return { channel: 'telegram', address: topic === undefined || topic === '1' ? { chat } : { chat, topic } };
}

/** `opened`: Bosun's first message there determines the place; `only`: the one person who sees it. */
function slackPlace(id: string): Place | null {
  const found = slackId.exec(id);
  if (found === null) return null;
  const [, chat = '', ts, opened, only] = found;
  const named = { ...(ts && { ts }), ...(opened && { opened }), ...(only && { only }) };
  return { channel: 'slack', address: { chat, ...named } };
}

/** True if messages are sent to a platform; the terminal and the web page read the store. */
export function isCarried({ channel }: Thread): boolean {
  return channel !== 'local' && channel !== 'web';
}

/** The unit of the platform's rate limit: a chat with all its topics. */
export function laneOf(thread: Thread): string {
  return thread.address['chat'] ?? thread.id;
}
