// Messages and chats as they go over the wire.
import type { Chat, Message } from './world.js';

export type Json = Readonly<Record<string, unknown>>;

export function chatJson(chat: Chat): Json {
  if (chat.user !== null) {
    const { first_name, username } = chat.user;
    return { id: chat.id, type: chat.type, first_name, ...(username === undefined ? {} : { username }) };
  }
  return { id: chat.id, type: chat.type, title: chat.title, ...(chat.isForum ? { is_forum: true } : {}) };
}

/** `depth`: a message that is replied to is told without the one that it replies to itself. */
export function messageJson(message: Message, depth = 1): Json {
  const { chat, from, senderChat, editedAt, topic } = message;
  return {
    message_id: message.id,
    ...(from === null ? {} : { from }),
    ...(senderChat === null ? {} : { sender_chat: chatJson(senderChat) }),
    chat: chatJson(chat),
    date: seconds(message.at),
    ...(editedAt === null ? {} : { edit_date: seconds(editedAt) }),
    ...(topic === null ? {} : { message_thread_id: topic, is_topic_message: true }),
    ...forwardJson(message.forwardOf),
    ...(depth > 0 ? repliedJson(message) : {}),
    ...contentJson(message),
    ...(message.buttons.length > 0 ? { reply_markup: { inline_keyboard: message.buttons } } : {}),
    ...message.service,
  };
}

function contentJson({ file, text, entities }: Message): Json {
  const [textKey, entitiesKey] = file === null ? ['text', 'entities'] : ['caption', 'caption_entities'];
  return {
    ...(file === null
      ? {}
      : {
          document: {
            file_id: file.id,
            file_unique_id: `u-${file.id}`,
            file_name: file.name,
            file_size: file.sizeBytes,
          },
        }),
    ...(text === '' ? {} : { [textKey]: text }),
    ...(entities.length === 0 ? {} : { [entitiesKey]: entities }),
  };
}

function repliedJson(message: Message): Json {
  if (message.replyTo !== null) {
    const replied = message.chat.messages.get(message.replyTo);
    return replied && !replied.isDeleted ? { reply_to_message: messageJson(replied, 0) } : {};
  }
  // In a topic whatever replies to nothing replies to the message that opened the topic.
  const opened = message.topic === null ? undefined : message.chat.messages.get(message.topic);
  return opened && opened.id !== message.id ? { reply_to_message: messageJson(opened, 0) } : {};
}

function forwardJson(of: Message | null): Json {
  if (of === null) return {};
  const date = seconds(of.at);
  if (of.from !== null) return { forward_origin: { type: 'user', sender_user: of.from, date } };
  return { forward_origin: { type: 'channel', chat: chatJson(of.chat), message_id: of.id, date } };
}

export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
