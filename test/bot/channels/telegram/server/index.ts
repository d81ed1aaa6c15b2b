// A Bot API server on this machine, for the real client: calls, updates, faults, and people at the other end.
import type { AddressInfo } from 'node:net';
import { type Clock, machineClock } from '../../fixture/clock.js';
import type { Api, Command } from './api.js';
import { Faults, type Planted } from './fault.js';
import { serve } from './http.js';
import { Ledger } from './ledger.js';
import { chatMethods } from './methods/chats.js';
import { messageMethods } from './methods/messages.js';
import { receivingMethods } from './methods/receiving.js';
import { Person, standingJson } from './person.js';
import { RateGuard, type Rates } from './rates.js';
import { fromBot, type Shown, shown } from './screen.js';
import { Updates } from './updates.js';
import { Webhook, type WebhookInfo } from './webhook.js';
import { messageJson } from './wire.js';
import { type Chat, type Message, type Standing, type Topic, type User, World } from './world.js';

export { type Clock, HandClock } from '../../fixture/clock.js';
export { type Fault, faults, type Planted } from './fault.js';
export { type Entity, type Parsed, parseHtml } from './html.js';
export type { Call, Ledger } from './ledger.js';
export type { Person, Pressed, Said } from './person.js';
export { platformRates, type Rates } from './rates.js';
export type { Shown } from './screen.js';
export type { Update, Updates } from './updates.js';
export type { Button, Chat, Message, StoredFile, User } from './world.js';

export interface TelegramOptions {
  readonly clock?: Clock;
  /** Refuses what comes faster; left out: nothing is too fast. */
  readonly rates?: Rates;
  readonly port?: number;
}

export const botToken = '7000000001:AAtest-token_for_a_server_on_this_machine';
const bot: User = { id: 7_000_000_001, is_bot: true, first_name: 'Bosun', username: 'bosun_test_bot' };

export async function startTelegram({
  clock = machineClock,
  rates,
  port = 0,
}: TelegramOptions = {}): Promise<Telegram> {
  const world = new World(bot, clock);
  const updates = new Updates(clock);
  const webhook = new Webhook(updates, clock);
  const api: Api = { world, updates, clock, webhook, presses: new Map(), commands: new Map() };
  const planted = new Faults(clock);
  const ledger = new Ledger();
  const server = serve({
    token: botToken,
    api,
    methods: { ...messageMethods, ...chatMethods, ...receivingMethods },
    faults: planted,
    ledger,
    rates: rates ? new RateGuard(clock, rates) : null,
    clock,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return new Telegram({ api, planted, ledger, apiRoot: `http://127.0.0.1:${address.port}`, stop });
}

interface Parts {
  readonly api: Api;
  readonly planted: Faults;
  readonly ledger: Ledger;
  readonly apiRoot: string;
  readonly stop: () => Promise<void>;
}

export class Telegram {
  readonly token = botToken;
  readonly bot = bot;
  readonly apiRoot: string;
  readonly ledger: Ledger;
  readonly updates: Updates;
  readonly world: World;
  readonly stop: () => Promise<void>;
  readonly #api: Api;
  readonly #planted: Faults;

  constructor({ api, planted, ledger, apiRoot, stop }: Parts) {
    this.#api = api;
    this.#planted = planted;
    this.ledger = ledger;
    this.apiRoot = apiRoot;
    this.updates = api.updates;
    this.world = api.world;
    this.stop = stop;
  }

  plant(given: Planted): void {
    this.#planted.plant(given);
  }

  clearFaults(): void {
    this.#planted.clear();
  }

  /** With a private chat that the bot may write to, as after "Start". */
  person(id: number, name: string, more: Partial<User> = {}): Person {
    const user: User = { id, is_bot: false, first_name: name, username: name.toLowerCase(), ...more };
    this.world.users.set(id, user);
    this.world.addChat({ id, type: 'private', title: name, user });
    return new Person(user, this.#api);
  }

  group(id: number, title: string, standing: Standing = 'member'): Chat {
    return this.world.addChat({ id, type: 'group', title, standings: new Map([[bot.id, standing]]) });
  }

  forum(id: number, title: string, standing: Standing = 'administrator'): Chat {
    const standings = new Map([[bot.id, standing]]);
    return this.world.addChat({ id, type: 'supergroup', title, isForum: true, standings });
  }

  channel(id: number, title: string): Chat {
    return this.world.addChat({ id, type: 'channel', title, standings: new Map([[bot.id, 'administrator']]) });
  }

  /** Opened by a person. */
  topic(chat: Chat, name: string, by: Person): Topic {
    const service = { forum_topic_created: { name, icon_color: 7322096 } };
    const opened = this.world.post({ chat, topic: null, from: by.user, text: '', service });
    const topic = { id: opened.id, name, isClosed: false };
    chat.topics.set(topic.id, topic);
    return topic;
  }

  /** A group becomes a large one, under another id; the bot is told in both. */
  migrate(group: Chat, id: number): Chat {
    const standings = new Map(group.standings);
    const moved = this.world.addChat({ id, type: 'supergroup', title: group.title, standings });
    const tell = (chat: Chat, service: Readonly<Record<string, number>>) =>
      this.updates.push('message', messageJson(this.world.post({ chat, topic: null, from: null, text: '', service })));
    tell(group, { migrate_to_chat_id: id });
    group.movedTo = id;
    tell(moved, { migrate_from_chat_id: group.id });
    return moved;
  }

  /** The bot's place in a chat changes: added, made administrator, thrown out. */
  seat(chat: Chat, standing: Standing, by: Person): void {
    const before = chat.standings.get(bot.id) ?? 'left';
    chat.standings.set(bot.id, standing);
    this.updates.push('my_chat_member', standingJson(this.#api, { chat, by: by.user, before, after: standing }));
  }

  /** What a person sees; `topic`: only there, null for General. */
  screen(chat: Chat, topic?: number | null): readonly Shown[] {
    return shown(chat, topic);
  }

  /** Those of the bot that are still there. */
  sent(chat: Chat, topic?: number | null): readonly Message[] {
    return fromBot(chat, bot.id, topic);
  }

  webhook(): WebhookInfo {
    return this.#api.webhook.info();
  }

  until(what: string, isSo: () => boolean, limitMs?: number): Promise<void> {
    return this.ledger.until(what, isSo, limitMs);
  }

  commands(scope = 'default'): readonly Command[] {
    return this.#api.commands.get(scope) ?? [];
  }
}
