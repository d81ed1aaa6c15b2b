// People on a Slack of this machine: in a thread of the channel where the project lives, or alone with the bot.
import {
  type Channel,
  type Message,
  type Person,
  type Slack,
  startSlack,
} from '../../bot/channels/slack/server/index.js';
import { atEnd } from './ends.js';
import { type Name, type Place, type Post, type Seen, screenOf, until, type Writing } from './place.js';

export interface SlackSide {
  readonly slack: Slack;
  /** Of the configuration. */
  readonly channel: Readonly<Record<string, unknown>>;
  readonly chat: Readonly<Record<string, unknown>>;
  readonly thread: Place;
  readonly alone: Place;
}

export async function slackSide(mode: 'socket' | 'http' = 'socket'): Promise<SlackSide> {
  const slack = await startSlack();
  atEnd(() => slack.close());
  const people = { ada: slack.person('U0ADA', 'Ada'), bob: slack.person('U0BOB', 'Bob') };
  const channel = slack.channel('shop', [people.ada, people.bob]);
  const tokens = { bot_token: slack.tokens.bot, app_token: slack.tokens.app, signing_secret: slack.signingSecret };
  return {
    slack,
    channel: { ...tokens, api_url: slack.apiUrl, mode },
    chat: { slack: channel.id },
    thread: new Desktops('Slack, in a thread', { slack, people, channel }),
    alone: new Desktops('Slack, alone with the bot', { slack, people, channel: people.ada.chat }),
  };
}

interface Parts {
  readonly slack: Slack;
  readonly people: Readonly<Record<Name, Person>>;
  readonly channel: Channel;
}

class Desktops implements Place {
  readonly name: string;
  readonly #parts: Parts;
  /** What the thread begins with. */
  #root: Message | null = null;

  constructor(name: string, parts: Parts) {
    this.name = name;
    this.#parts = parts;
  }

  seen(): readonly Seen[] {
    const { slack, channel } = this.#parts;
    const own = slack.bot.realName;
    return slack
      .screen(channel)
      .filter(({ by }) => by === own)
      .map(({ ts, text, buttons }) => ({ key: ts, words: text, buttons }));
  }

  toasts(): readonly string[] {
    return [];
  }

  async says(who: Name, words: string): Promise<void> {
    this.#speaks(who, words);
  }

  async calls(who: Name, words: string): Promise<void> {
    const { slack, channel } = this.#parts;
    this.#speaks(who, words, channel.kind === 'im' ? '' : `<@${slack.bot.id}> `);
  }

  /** Below the message, in its thread: in a chat of two that is one of its own. */
  async replies(who: Name, to: string, words: string): Promise<void> {
    const { people, channel } = this.#parts;
    people[who].says(channel, typed(words), { thread: this.#message(to) });
  }

  async presses(who: Name, on: string, label: string): Promise<void> {
    this.#parts.people[who].presses(this.#message(on), label);
  }

  async pressesAndWrites(who: Name, on: string, { label, words, meanwhile }: Writing): Promise<void> {
    const person = this.#parts.people[who];
    await this.presses(who, on, label);
    await until(
      () => `a window asks for words. ${screenOf(this)}`,
      () => person.modal !== null,
    );
    const { modal } = person;
    if (modal === null) throw new Error('The window is gone');
    await meanwhile?.();
    const field = fieldOf(modal.json['blocks']);
    const { action, errors } = await person.submits(modal, { [field]: words });
    if (action !== 'closed' && action !== 'clear') throw new Error(`${action}: ${JSON.stringify(errors)}`);
  }

  holds(on: string, label: string): (who: Name) => Promise<void> {
    const { people } = this.#parts;
    const message = this.#message(on);
    const button = people.ada.button(message, label);
    return async (who) => void people[who].pressesButton(message, button);
  }

  reopened(): void {
    // The platform shows what it showed before.
  }

  posts(): readonly Post[] {
    const { slack, channel } = this.#parts;
    const all = slack.sent(channel).filter(({ ephemeralTo }) => ephemeralTo === null);
    return all.map(({ ts }) => ({ lane: channel.id, id: ts }));
  }

  /** What is said first opens the thread. */
  #speaks(who: Name, words: string, called = ''): void {
    const { people, channel } = this.#parts;
    const thread = this.#root === null || channel.kind === 'im' ? {} : { thread: this.#root };
    const { message } = people[who].says(channel, `${called}${typed(words)}`, thread);
    this.#root ??= message;
  }

  #message(key: string): Message {
    const { slack, channel } = this.#parts;
    const message = slack.sent(channel).find(({ ts }) => ts === key);
    if (!message) throw new Error(`There is no message ${key}`);
    return message;
  }
}

function fieldOf(blocks: unknown): string {
  const inputs = Array.isArray(blocks) ? blocks.filter((one) => one.type === 'input') : [];
  if (inputs.length !== 1) throw new Error(`The window has ${inputs.length} fields`);
  return String(inputs[0].block_id);
}

/** What a client sends of that. */
function typed(words: string): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(/https?:\/\/\S+/g, (url) => `<${url}>`);
}
