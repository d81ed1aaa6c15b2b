// Messages that the bot sends, edits and deletes.
import { type Methods, type Request, writableChatOf } from '../api.js';
import { readMarkup, readPlace, readText, showsPreview } from '../content.js';
import { flagOf, maxUploadBytes, numberOf, partOf, textOf } from '../params.js';
import { badRequest, refuse } from '../refusal.js';
import { messageJson } from '../wire.js';
import type { Chat, Message, StoredFile } from '../world.js';

const deletableMs = 48 * 3_600_000;

export const messageMethods: Methods = {
  sendMessage(request) {
    const place = readPlace(request);
    const { text, entities } = readText(request, 'text');
    return post(request, { ...place, text, entities, showsPreview: showsPreview(request, text) });
  },

  sendDocument(request) {
    const place = readPlace(request);
    const { text, entities } = readText(request, 'caption');
    return post(request, { ...place, text, entities, file: readFile(request) });
  },

  sendPhoto(request) {
    const place = readPlace(request);
    const { text, entities } = readText(request, 'caption');
    const file = readFile(request, 'photo');
    if (!/\.(?:png|jpe?g|webp)$/.test(file.name)) throw badRequest('IMAGE_PROCESS_FAILED');
    return post(request, { ...place, text, entities, file });
  },

  editMessageText(request) {
    const message = editable(request);
    const { text, entities } = readText(request, 'text');
    if (message.file !== null) throw badRequest('there is no text in the message to edit');
    const { buttons } = readMarkup(request);
    refuseSame(message, [text, entities, buttons]);
    Object.assign(message, { text, entities, buttons, showsPreview: showsPreview(request, text) });
    request.api.world.edited(message);
    return messageJson(message);
  },

  editMessageReplyMarkup(request) {
    const message = editable(request);
    const { buttons } = readMarkup(request);
    refuseSame(message, [message.text, message.entities, buttons]);
    message.buttons = buttons;
    request.api.world.edited(message);
    return messageJson(message);
  },

  deleteMessage(request) {
    const { api } = request;
    const message = found(request, 'delete');
    const isOwn = message.from?.id === api.world.bot.id;
    const mayAll = message.chat.type !== 'private' && mayManage(message.chat, api.world.bot.id, 'can_delete_messages');
    const isOld = api.clock.now() - message.at > deletableMs;
    if (isOld || !(isOwn || mayAll || message.chat.type === 'private')) {
      throw badRequest("message can't be deleted for everyone");
    }
    message.isDeleted = true;
    return true;
  },

  pinChatMessage(request) {
    const message = found(request, 'pin');
    if (message.chat.type !== 'private' && !mayManage(message.chat, request.api.world.bot.id, 'can_pin_messages')) {
      throw badRequest('not enough rights to manage pinned messages in the chat');
    }
    message.isPinned = true;
    return true;
  },

  setMessageReaction(request) {
    const message = found(request, 'react');
    const given = partOf(request.params, 'reaction');
    const emoji = Array.isArray(given) ? given.map((one: unknown) => emojiOf(one)) : [];
    if (emoji.length > 1) throw badRequest('REACTIONS_TOO_MANY');
    const [first = null] = emoji;
    if (first !== null && !reactions.has(first)) throw badRequest('REACTION_INVALID');
    message.reaction = first;
    return true;
  },
};

/** Those that every chat knows, which a bot may use. */
const reactions = new Set(
  [
    ...'👍👎🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣💔🤨😐🍓🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝🤗🫡🎅🎄💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾😡',
  ].concat(['❤', '⚡', '🏆', '✍', '☃', '❤‍🔥', '👨‍💻', '🤷‍♂', '🤷', '🤷‍♀']),
);

function emojiOf(given: unknown): string {
  return typeof given === 'object' && given !== null && 'emoji' in given ? String(given.emoji) : '';
}

type Posted = Pick<Message, 'chat' | 'topic' | 'replyTo' | 'text' | 'entities'> & Partial<Message>;

function post(request: Request, given: Posted) {
  const { world } = request.api;
  const { buttons, forcesReply } = readMarkup(request);
  const isSilent = flagOf(request.params, 'disable_notification');
  return messageJson(world.post({ from: world.bot, ...given, buttons, forcesReply, isSilent }));
}

function readFile({ params, api }: Request, name = 'document'): StoredFile {
  const given = textOf(params, name);
  const upload = params.uploads.get(/^attach:\/\/(.+)$/.exec(given)?.[1] ?? name);
  if (!upload) {
    const known = api.world.file(given);
    if (known) return known;
    throw badRequest(given === '' ? `there is no ${name} in the request` : 'wrong file identifier/HTTP URL specified');
  }
  if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
  if (upload.bytes.length > maxUploadBytes) throw refuse(413, 'Request Entity Too Large');
  return api.world.addFile(upload.name, upload.bytes);
}

function found(request: Request, what: 'edit' | 'delete' | 'pin' | 'react'): Message {
  const chat = writableChatOf(request);
  const message = chat.messages.get(numberOf(request.params, 'message_id') ?? 0);
  if (!message || message.isDeleted) throw badRequest(`message to ${what} not found`);
  return message;
}

function editable(request: Request): Message {
  const message = found(request, 'edit');
  if (message.from?.id !== request.api.world.bot.id || message.forwardOf !== null) {
    throw badRequest("message can't be edited");
  }
  return message;
}

function refuseSame(message: Message, next: readonly unknown[]): void {
  if (JSON.stringify([message.text, message.entities, message.buttons]) !== JSON.stringify(next)) return;
  const what = 'specified new message content and reply markup are exactly the same as a current content';
  throw badRequest(`message is not modified: ${what} and reply markup of the message`);
}

export function mayManage(chat: Chat, id: number, right: string): boolean {
  const standing = chat.standings.get(id);
  return standing === 'creator' || (standing === 'administrator' && !chat.lacks.has(right));
}
