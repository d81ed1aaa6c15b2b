// People with phones on a Telegram of this machine: in a topic where the project lives, or alone with the bot.
import {
  type Chat,
  type Message,
  type Person,
  startTelegram,
  type Telegram,
} from '../../bot/channels/telegram/server/index.js';
import { atEnd } from './ends.js';
import { type Name, type Place, type Post, type Seen, screenOf, until, type Writing } from './place.js';

export interface TelegramSide {
  readonly telegram: Telegram;
  /** Of the configuration. */
  readonly channel: Readonly<Record<string, unknown>>;
  readonly chat: Readonly<Record<string, unknown>>;
  readonly topic: Place;
  readonly alone: Place;
  /** What Ada's phone shows of that chat. */
  readonly phone: () => ReturnType<Telegram['screen']>;
}

export async function telegramSide(): Promise<TelegramSide> {
  const telegram = await startTelegram();
  atEnd(() => telegram.stop());
  const people = { ada: telegram.person(1000, 'Ada'), bob: telegram.person(1001, 'Bob') };
  const forum = telegram.forum(-1001234, 'Work');
  const { id: topic } = telegram.topic(forum, 'shop', people.ada);
  return {
    telegram,
    channel: { token: telegram.token, api_root: telegram.apiRoot },
    chat: { telegram: forum.id, topic },
    topic: new Phones('Telegram, in a topic', { telegram, people, chat: forum, topic }),
    alone: new Phones('Telegram, alone with the bot', { telegram, people, chat: people.ada.chat, topic: null }),
    phone: () => telegram.screen(people.ada.chat),
  };
}

interface Parts {
  readonly telegram: Telegram;
  readonly people: Readonly<Record<Name, Person>>;
  readonly chat: Chat;
  readonly topic: number | null;
}

class Phones implements Place {
  readonly name: string;
  readonly #parts: Parts;

  constructor(name: string, parts: Parts) {
    this.name = name;
    this.#parts = parts;
  }

  seen(): readonly Seen[] {
    return this.#sent().map(({ id, text, buttons }) => ({
      key: `${id}`,
      words: text,
      buttons: buttons.flat().map((one) => one.text),
    }));
  }

  toasts(): readonly string[] {
    return this.#parts.telegram.ledger.calls('answerCallbackQuery').map(({ values }) => `${values['text'] ?? ''}`);
  }

  async says(who: Name, words: string): Promise<void> {
    const { people, chat, topic } = this.#parts;
    people[who].says(chat, words, topic === null ? {} : { topic });
  }

  calls(who: Name, words: string): Promise<void> {
    const { telegram, topic } = this.#parts;
    return this.says(who, topic === null ? words : `@${telegram.bot.username} ${words}`);
  }

  async replies(who: Name, to: string, words: string): Promise<void> {
    const { people, chat } = this.#parts;
    people[who].says(chat, words, { replyTo: this.#message(to) });
  }

  async presses(who: Name, on: string, label: string): Promise<void> {
    this.#parts.people[who].presses(this.#message(on), label);
  }

  async pressesAndWrites(who: Name, on: string, { label, words, meanwhile }: Writing): Promise<void> {
    const before = this.#sent().length;
    await this.presses(who, on, label);
    const asks = () =>
      this.#sent()
        .slice(before)
        .findLast(({ text }) => /\nReply to this message, for /.test(text));
    await until(
      () => `it asks for words. ${screenOf(this)}`,
      () => asks() !== undefined,
    );
    await meanwhile?.();
    await this.replies(who, `${asks()?.id}`, words);
  }

  holds(on: string, label: string): (who: Name) => Promise<void> {
    const message = this.#message(on);
    const data = message.buttons.flat().find((one) => one.text === label)?.callback_data ?? '';
    return async (who) => void this.#parts.people[who].pressesData(message, data);
  }

  reopened(): void {
    // The platform shows what it showed before.
  }

  posts(): readonly Post[] {
    return this.#sent().map(({ chat, id }) => ({ lane: `${chat.id}`, id: `${id}` }));
  }

  #sent(): readonly Message[] {
    const { telegram, chat, topic } = this.#parts;
    return telegram.sent(chat, topic);
  }

  #message(key: string): Message {
    const message = this.#sent().find(({ id }) => `${id}` === key);
    if (!message) throw new Error(`There is no message ${key}`);
    return message;
  }
}
