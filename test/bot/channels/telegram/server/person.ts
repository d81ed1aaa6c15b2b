// Somebody with a phone: writes, presses, forwards, and sees what a chat looks like.
import type { Api, Press } from './api.js';
import type { Entity } from './html.js';
import { memberJson } from './methods/chats.js';
import type { Update } from './updates.js';
import { chatJson, type Json, messageJson, seconds } from './wire.js';
import type { Chat, Message, NewMessage, Standing, StoredFile, User } from './world.js';

export interface How {
  readonly replyTo?: Message;
  /** The number of a topic. */
  readonly topic?: number;
}

/** What somebody did, and the update that the bot gets of it: null where the platform keeps it from the bot. */
export interface Said {
  readonly message: Message;
  readonly update: Update | null;
}

export interface Pressed {
  readonly press: Press;
  readonly update: Update | null;
}

/** What a message that is sent on behalf of a chat has as its sender. */
const anonymous: User = { id: 1087968824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };

export class Person {
  readonly user: User;
  readonly #api: Api;

  constructor(user: User, api: Api) {
    this.user = user;
    this.#api = api;
  }

  says(chat: Chat, text: string, how: How = {}): Said {
    return this.#post(chat, text, how, {});
  }

  sends(chat: Chat, file: StoredFile, how: How & { readonly caption?: string } = {}): Said {
    return this.#post(chat, how.caption ?? '', how, { file });
  }

  forwards(message: Message, chat: Chat, how: How = {}): Said {
    return this.#post(chat, message.text, how, { forwardOf: message, file: message.file, entities: message.entities });
  }

  /** An administrator who stays unnamed: the group is the sender. */
  saysForTheGroup(chat: Chat, text: string, how: How = {}): Said {
    return this.#post(chat, text, how, { from: anonymous, senderChat: chat });
  }

  posts(channel: Chat, text: string): Said {
    const message = this.#api.world.post({ chat: channel, topic: null, from: null, text, senderChat: channel });
    return { message, update: this.#api.updates.push('channel_post', messageJson(message)) };
  }

  edits(message: Message, text: string): Said {
    Object.assign(message, { text, entities: entitiesOf(text) });
    this.#api.world.edited(message);
    const isSeen = this.#isSeen(message);
    return { message, update: isSeen ? this.#api.updates.push('edited_message', messageJson(message)) : null };
  }

  deletes(message: Message): void {
    message.isDeleted = true;
  }

  /** By the words on a button that the message shows now. */
  presses(message: Message, label: string): Pressed {
    const button = message.buttons.flat().find((one) => one.text === label);
    if (!button?.callback_data) {
      const shown = message.buttons.flat().map((one) => one.text);
      throw new Error(`No button "${label}" below message ${message.id}; there are: ${shown.join(', ') || 'none'}`);
    }
    return this.pressesData(message, button.callback_data);
  }

  /** What a button held that a phone still showed when it was gone. */
  pressesData(message: Message, data: string): Pressed {
    const press: Press = { id: `${90_000 + this.#api.world.nextId()}`, at: this.#api.clock.now(), answer: null };
    this.#api.presses.set(press.id, press);
    const content = { id: press.id, from: this.user, message: messageJson(message), chat_instance: '1', data };
    return { press, update: this.#api.updates.push('callback_query', content) };
  }

  blocks(): Update | null {
    return this.#turns(true, 'member', 'kicked');
  }

  unblocks(): Update | null {
    return this.#turns(false, 'kicked', 'member');
  }

  /** The chat with the bot. */
  get chat(): Chat {
    return this.#api.world.chat(this.user.id);
  }

  #turns(isBlocked: boolean, before: Standing, after: Standing): Update | null {
    const { chat } = this;
    chat.isBlocked = isBlocked;
    return this.#api.updates.push('my_chat_member', standingJson(this.#api, { chat, by: this.user, before, after }));
  }

  #post(chat: Chat, text: string, { replyTo, topic }: How, more: Partial<NewMessage>): Said {
    if (topic !== undefined && !chat.topics.has(topic)) throw new Error(`${chat.title} has no topic ${topic}`);
    const message = this.#api.world.post({
      chat,
      topic: topic ?? replyTo?.topic ?? null,
      from: this.user,
      text,
      entities: entitiesOf(text),
      replyTo: replyTo?.id ?? null,
      ...more,
    });
    const isSeen = this.#isSeen(message);
    return { message, update: isSeen ? this.#api.updates.push('message', messageJson(message)) : null };
  }

  /** In a group a bot that is no administrator sees only what is meant for it. */
  #isSeen({ chat, text, replyTo }: Message): boolean {
    const { bot } = this.#api.world;
    const standing = chat.standings.get(bot.id);
    if (chat.type === 'private') return !chat.isBlocked;
    if (standing === undefined || standing === 'left' || standing === 'kicked') return false;
    if (standing === 'administrator') return true;
    const command = /^\/\w+(?:@(\w+))?/.exec(text);
    const isNamed = text.includes(`@${bot.username}`) || (command !== null && command[1] === undefined);
    return isNamed || (replyTo !== null && chat.messages.get(replyTo)?.from?.id === bot.id);
  }
}

export function standingJson(
  { world, clock }: Api,
  { chat, by, before, after }: { chat: Chat; by: User; before: Standing; after: Standing },
): Json {
  return {
    chat: chatJson(chat),
    from: by,
    date: seconds(clock.now()),
    old_chat_member: memberJson(world.bot, before),
    new_chat_member: memberJson(world.bot, after),
  };
}

/** Commands and names are marked by the platform itself. */
function entitiesOf(text: string): readonly Entity[] {
  const mark = (type: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map((one) => ({ type, offset: one.index, length: one[0].length }));
  return [
    ...mark('bot_command', /(?<![\w/])\/\w{1,32}(?:@\w+)?/g),
    ...mark('mention', /(?<![\w/])@\w{4,32}/g),
    ...mark('url', /https?:\/\/\S+/g),
  ].sort((a, b) => a.offset - b.offset);
}
