// `tg:-100…` is a chat, `tg:-100…:7` a topic.
import type { ThreadIds, TopicRules } from '../../../config/index.js';

const threadId = /^tg:(-?\d{1,20})(?::(\d{1,15}))?$/;
/** Only a supergroup's general thread may create topics. */
const general = /^tg:(-100\d+)$/;
/** A forum's first topic is the chat itself. */
const firstTopic = 1;

export const telegramThreads: ThreadIds = {
  decode(id) {
    const found = threadId.exec(id);
    if (found === null) return null;
    const [, chat = '', topic] = found;
    return topic === undefined || topic === String(firstTopic) ? { chat } : { chat, topic };
  },
  boundThread: ({ chat, topic }) => (topic === null || topic === firstTopic ? `tg:${chat}` : `tg:${chat}:${topic}`),
  privateThread: (account) => `tg:${account}`,
  isPrivateChat: (chat) => !chat.startsWith('-'),
  runThread: null,
};

export const telegramTopics: TopicRules = {
  hostOf: (thread) => general.exec(thread)?.[1] ?? null,
  /** Telegram sends no event: a failed send is the only sign. */
  isGone: (problem) => /thread not found|TOPIC_(DELETED|ID_INVALID)/i.test(problem),
};

export function chatOf(thread: string): string {
  return telegramThreads.decode(thread)?.['chat'] ?? thread;
}
