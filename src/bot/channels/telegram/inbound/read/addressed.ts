// In groups people mostly talk to each other, so the bot must be addressed.
import type { TelegramBot, TelegramChat, TelegramMessage } from './update-schema.js';

export interface AddressedWords {
  readonly text: string;
  readonly isForBot: boolean;
  /** Addressed to another bot, or a reply to another person. */
  readonly isForOthers: boolean;
  readonly repliesTo: number | null;
}

export function wordsOf(message: TelegramMessage, me: TelegramBot): AddressedWords {
  const { chat, reply_to_message: replied } = message;
  const said = message.text ?? message.caption ?? '';
  const command = /^\/\w{1,64}(?:@(\w{1,64}))?/.exec(said);
  const isOtherBots = command?.[1] !== undefined && !isName(command[1], me);
  const isNamed = mentions(said, me);
  const isReply = replied?.from?.id === me.id && !isTopicsOwn(message);
  const isForBot = !isOtherBots && (isPrivate(chat) || isNamed || isReply || command !== null);
  const isInReplyToOther = replied?.from !== undefined && !isReply && !isTopicsOwn(message);
  const isForOthers = isOtherBots || (!isForBot && isInReplyToOther);
  const repliesTo = isReply ? (replied?.message_id ?? null) : null;
  return { text: withoutName(said, me), isForBot, isForOthers, repliesTo };
}

export function isPrivate({ type }: TelegramChat): boolean {
  return type === 'private';
}

/** In a topic each message counts as a reply to the opening one. */
function isTopicsOwn({
  is_topic_message: isInTopic,
  message_thread_id: topic,
  reply_to_message: replied,
}: TelegramMessage) {
  return isInTopic === true && replied?.message_id === topic;
}

function isName(said: string, me: TelegramBot): boolean {
  return said.toLowerCase() === me.username.toLowerCase();
}

function mentions(said: string, me: TelegramBot): boolean {
  return [...said.matchAll(/(?<![\w/@.])@(\w{4,64})/g)].some(([, name = '']) => isName(name, me));
}

/** The name addresses the bot at either end; elsewhere it is text. */
function withoutName(said: string, me: TelegramBot): string {
  const name = `@${me.username}`;
  const isAt = (part: string) => part.toLowerCase() === name.toLowerCase();
  let text = said.trim();
  if (isAt(text.slice(0, name.length)) && !/^\w/.test(text.slice(name.length))) {
    text = text.slice(name.length).replace(/^[\s,:]+/, '');
  }
  if (isAt(text.slice(-name.length)) && !/[\w/]$/.test(text.slice(0, -name.length))) {
    text = text.slice(0, -name.length).replace(/[\s,]+$/, '');
  }
  return text;
}
