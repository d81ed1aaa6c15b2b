import type { TelegramBot, TelegramChat, TelegramMessage } from './update-schema.js';

/** A forum's General topic, which is the chat itself. */
const general = 1;

interface Placed {
  readonly chat: TelegramChat;
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message?: boolean | undefined;
}

/** Outside topics the id is only a chain of replies. */
export function threadOf({ chat, message_thread_id: topic, is_topic_message: isInTopic }: Placed): string {
  const base = threadOfChat(chat.id);
  return isInTopic === true && topic !== undefined && topic !== general ? `${base}:${topic}` : base;
}

export function threadOfChat(chat: number): string {
  return `tg:${chat}`;
}

export const inboxSource = 'telegram';

export function updateKey(me: TelegramBot, update: number): string {
  return `${me.id}:${update}`;
}

export function messageKey(
  me: TelegramBot,
  { chat, message_id: id }: Pick<TelegramMessage, 'chat' | 'message_id'>,
): string {
  return `m:${me.id}:${chat.id}:${id}`;
}

export function editKey(me: TelegramBot, { chat, message_id: id, edit_date: at }: TelegramMessage): string {
  return `e:${me.id}:${chat.id}:${id}:${at ?? 0}`;
}

export function pressKey(id: string): string {
  return `p:${id}`;
}

export function onceKey(me: TelegramBot, what: string, chat: number): string {
  return `once:${me.id}:${what}:${chat}`;
}
