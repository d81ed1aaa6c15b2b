// Queued in their chat's lane.
import type { Api } from 'grammy';
import type { Courier, PostResult } from '../../../delivery/index.js';
import { grammySignal } from '../client.js';
import { answerTo } from '../outbound/carrier-answer.js';

/** Rate limits may last hours, and the topic is still wanted. */
const maxWaitMs = 24 * 3_600_000;

export interface TopicCalls {
  /** `posted`: with the topic id. */
  create(chat: string, name: string): Promise<PostResult>;
  look(chat: string, topic: number): Promise<PostResult>;
}

export function topicCalls(courier: Pick<Courier, 'errand'>, api: Api): TopicCalls {
  return {
    create(chat, name) {
      const call = async (lane: string, signal: AbortSignal): Promise<PostResult> => {
        try {
          const { message_thread_id: topic } = await api.createForumTopic(lane, name, {}, grammySignal(signal));
          return { kind: 'posted', place: '', ids: [String(topic)], isWhole: true };
        } catch (error) {
          return answerTo(error, 'send');
        }
      };
      return courier.errand(chat, call, maxWaitMs);
    },
    look(chat, topic) {
      const call = async (lane: string, signal: AbortSignal): Promise<PostResult> => {
        try {
          await api.sendChatAction(lane, 'typing', { message_thread_id: topic }, grammySignal(signal));
          return { kind: 'unchanged' };
        } catch (error) {
          return answerTo(error, 'other');
        }
      };
      return courier.errand(chat, call, maxWaitMs);
    },
  };
}

export function isTopicGone(posted: PostResult): boolean {
  return posted.kind === 'refused' && /thread not found|TOPIC_(DELETED|ID_INVALID)/i.test(posted.why);
}

export function whyNoTopic(posted: PostResult): string {
  if (posted.kind === 'moved') return 'This group has another id now; ask again.';
  const why = posted.kind === 'refused' ? posted.why : 'Telegram gave no number for it';
  if (/not a forum/i.test(why)) return 'This group has no topics. Turn them on in its settings, and ask again.';
  if (/TOPIC_CLOSED/.test(why)) return 'Its topic here is closed. Open it again, or delete it and ask again.';
  if (/not enough rights|ADMIN_REQUIRED|rights to/i.test(why)) {
    return `Telegram does not let me make a topic here: ${why}.\nMake me an administrator who may manage topics, and ask again.`;
  }
  return `No topic was made: ${why}.`;
}
