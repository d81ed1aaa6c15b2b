// Chats, their topics and members, and what is shown in them beside messages.
import { chatOf, type Methods, type Request, writableChatOf } from '../api.js';
import { flagOf, isRecord, numberOf, partOf, textOf } from '../params.js';
import { badRequest } from '../refusal.js';
import { chatJson } from '../wire.js';
import type { User } from '../world.js';
import { mayManage } from './messages.js';

const actions = new Set(
  'typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker find_location record_video_note upload_video_note'.split(
    ' ',
  ),
);
const pressLastsMs = 15_000;

export const chatMethods: Methods = {
  getMe: ({ api }) => ({ ...api.world.bot, ...abilities }),

  getChat: (request) => ({ ...chatJson(chatOf(request)), accent_color_id: 0, max_reaction_count: 11 }),

  getChatMember(request) {
    const { world } = request.api;
    const chat = chatOf(request);
    const user = world.users.get(numberOf(request.params, 'user_id') ?? 0);
    if (!user) throw badRequest('invalid user_id specified');
    return memberJson(user, chat.standings.get(user.id) ?? (chat.user === user ? 'member' : 'left'));
  },

  sendChatAction(request) {
    const chat = writableChatOf(request);
    if (!actions.has(textOf(request.params, 'action'))) throw badRequest('wrong parameter action in request');
    const topic = numberOf(request.params, 'message_thread_id');
    // Other than for messages, General is known here.
    if (topic !== null && !chat.topics.has(topic) && !(chat.isForum && topic === 1)) {
      throw badRequest('message thread not found');
    }
    return true;
  },

  createForumTopic(request) {
    const { world } = request.api;
    const chat = writableChatOf(request);
    const name = textOf(request.params, 'name');
    if (!chat.isForum) throw badRequest('the chat is not a forum');
    if (!mayManage(chat, world.bot.id, 'can_manage_topics')) throw badRequest('not enough rights to create a topic');
    if (name === '' || name.length > 128) throw badRequest('topic name must be 1-128 characters long');
    const service = { forum_topic_created: { name, icon_color: 7322096 } };
    const opened = world.post({ chat, topic: null, from: world.bot, text: '', service });
    chat.topics.set(opened.id, { id: opened.id, name, isClosed: false });
    return { message_thread_id: opened.id, name, icon_color: 7322096 };
  },

  answerCallbackQuery({ api, params }) {
    const press = api.presses.get(textOf(params, 'callback_query_id'));
    if (!press || press.answer !== null || api.clock.now() - press.at > pressLastsMs) {
      throw badRequest('query is too old and response timeout expired or query ID is invalid');
    }
    const text = textOf(params, 'text');
    if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
    press.answer = { text, isAlert: flagOf(params, 'show_alert') };
    return true;
  },

  setMyCommands(request) {
    const given = partOf(request.params, 'commands');
    if (!Array.isArray(given)) throw badRequest('can\'t find field "commands"');
    if (given.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH');
    request.api.commands.set(scopeOf(request), given.map(readCommand));
    return true;
  },

  getMyCommands: (request) => request.api.commands.get(scopeOf(request)) ?? [],

  deleteMyCommands(request) {
    request.api.commands.delete(scopeOf(request));
    return true;
  },
};

const abilities = {
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
};

export function memberJson(user: User, status: string) {
  const rights = ['can_delete_messages', 'can_pin_messages', 'can_manage_topics'];
  const all = Object.fromEntries(rights.map((right) => [right, true]));
  return { user, status, ...(status === 'administrator' ? { can_be_edited: false, ...all } : {}) };
}

function readCommand(given: unknown) {
  const command = isRecord(given) ? String(given['command'] ?? '') : '';
  const description = isRecord(given) ? String(given['description'] ?? '') : '';
  if (!/^\/?[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
  if (description.length < 1 || description.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
  return { command: command.replace('/', ''), description };
}

function scopeOf({ params, api }: Request): string {
  const scope = partOf(params, 'scope');
  const language = textOf(params, 'language_code');
  const type = isRecord(scope) ? String(scope['type']) : 'default';
  const chat =
    isRecord(scope) && scope['chat_id'] !== undefined ? `:${api.world.chat(Number(scope['chat_id'])).id}` : '';
  return `${type}${chat}${language === '' ? '' : `/${language}`}`;
}
