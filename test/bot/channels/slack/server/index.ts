// A Slack on this machine, for the real Bolt: Web API, Socket Mode, signed requests, faults, and people at the other end.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, machineClock } from '../../fixture/clock.js';
import type { Api } from './api.js';
import { Faults, type Planted } from './fault.js';
import { type Envelope, tell } from './happen.js';
import { type Addresses, type Answer, type Forgery, Hooks } from './hooks.js';
import { type Outside, serve } from './http.js';
import { Ledger } from './ledger.js';
import { appMethods } from './methods/app.js';
import { messageMethods } from './methods/messages.js';
import { placeMethods } from './methods/places.js';
import { streamMethods } from './methods/streams.js';
import { viewMethods } from './methods/views.js';
import { type Delivery, Outbox, type Patience, slackPatience } from './outbox.js';
import { Person } from './person.js';
import { RateGuard, type Rates } from './rates.js';
import { ofBot, type Shown, screenText, shown, viewText } from './screen.js';
import { Sockets } from './sockets.js';
import { Tickets } from './tickets.js';
import { allScopes, type Tokens } from './tokens.js';
import { type Channel, type Json, type Message, type Team, type User, type View, World } from './world.js';

export { type Clock, HandClock } from '../../fixture/clock.js';
export { type Fault, faults, type Planted } from './fault.js';
export type { Happened } from './happen.js';
export type { Addresses, Answer, Forgery } from './hooks.js';
export type { Call, Ledger } from './ledger.js';
export type { Attempt, Delivery, Patience } from './outbox.js';
export type { Person, Submitted } from './person.js';
export { type Rates, slackRates } from './rates.js';
export type { Shown } from './screen.js';
export type { Connection, DisconnectReason } from './sockets.js';
export type { Channel, Message, User, View } from './world.js';

export interface SlackOptions {
  readonly clock?: Clock;
  /** Refuses what comes faster; left out: nothing is too fast. */
  readonly rates?: Rates;
  readonly port?: number;
  /** How long Slack waits for an acknowledgement, and when it tries again. */
  readonly patience?: Partial<Patience>;
  /** Of the bot's token; left out: all that there are. */
  readonly scopes?: readonly string[];
  readonly pingEveryMs?: number;
}

export const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5';
const appId = 'A0BOSUN';
const botId = 'B0BOSUN';
const team: Team = { id: 'T0HARBOUR', name: 'Harbour', domain: 'harbour' };
const bot: User = {
  id: 'U0BOSUN',
  name: 'bosun',
  realName: 'Bosun',
  teamId: team.id,
  isBot: true,
  isRestricted: false,
  isUltraRestricted: false,
  isDeleted: false,
};

export async function startSlack(options: SlackOptions = {}): Promise<Slack> {
  const { clock = machineClock, rates, port = 0, patience = {}, scopes = allScopes, pingEveryMs = 10_000 } = options;
  const sockets = new Sockets({ clock, pingEveryMs, appId });
  const outbox = new Outbox({ clock, patience: { ...slackPatience, ...patience }, way: sockets });
  const api: Api = {
    world: new World(team, bot, clock),
    outbox,
    clock,
    tickets: new Tickets(clock),
    appId,
    botId,
    root: '',
    editWindowMs: null,
    openSocket: () => `${api.root.replace('http', 'ws')}/link/?ticket=${sockets.ticket()}&app_id=${appId}`,
  };
  const tokens: Tokens = {
    bot: 'xoxb-100-200-server-on-this-machine',
    app: 'xapp-1-A0BOSUN-100-server-on-this-machine',
    scopes: new Set(scopes),
    appScopes: new Set(['connections:write']),
    standing: 'fine',
    appStanding: 'fine',
  };
  const outside: Outside = {
    api,
    methods: { ...messageMethods, ...streamMethods, ...placeMethods, ...viewMethods, ...appMethods },
    tokens,
    faults: new Faults(clock),
    ledger: new Ledger(),
    rates: rates ? new RateGuard(clock, rates) : null,
    isDown: false,
  };
  const server = serve(outside);
  server.on('upgrade', (request, socket) => {
    if (outside.isDown) socket.destroy();
    else sockets.upgrade(request, socket);
  });
  await listen(server, port);
  api.root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new Slack({ api, outside, sockets, server });
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

interface Parts {
  readonly api: Api;
  readonly outside: Outside;
  readonly sockets: Sockets;
  readonly server: Server;
}

export class Slack {
  readonly appId = appId;
  readonly botId = botId;
  readonly team = team;
  readonly bot = bot;
  readonly signingSecret = signingSecret;
  readonly tokens: Tokens;
  readonly ledger: Ledger;
  readonly sockets: Sockets;
  readonly world: World;
  readonly #api: Api;
  readonly #outside: Outside;
  readonly #server: Server;
  #hooks: Hooks | null = null;
  #ids = 0;

  constructor({ api, outside, sockets, server }: Parts) {
    this.#api = api;
    this.#outside = outside;
    this.#server = server;
    this.sockets = sockets;
    this.tokens = outside.tokens;
    this.ledger = outside.ledger;
    this.world = api.world;
  }

  /** As the client's `slackApiUrl`. */
  get apiUrl(): string {
    return `${this.#api.root}/api/`;
  }

  /** All that the app was told, oldest first. */
  get deliveries(): readonly Delivery[] {
    return this.#api.outbox.all;
  }

  async close(): Promise<void> {
    this.#api.outbox.close();
    this.sockets.drop();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  // Who is there.

  person(id: string, name: string, more: Partial<User> = {}): Person {
    return new Person(this.world.addUser({ id, name: name.toLowerCase(), realName: name, ...more }), this.#api);
  }

  /** With these people and the bot in it. */
  channel(name: string, people: readonly Person[], more: Partial<Channel> = {}): Channel {
    this.#ids += 1;
    const members = new Set([...people.map((one) => one.id), bot.id]);
    const id = `C0${String(this.#ids).padStart(4, '0')}`;
    return this.world.addChannel({ id, name, kind: 'channel', members, ...more });
  }

  userGroup(id: string, handle: string, people: readonly Person[]): void {
    this.world.groups.set(id, { id, handle, name: handle, users: new Set(people.map((one) => one.id)) });
  }

  // Faults.

  plant(given: Planted): void {
    this.#outside.faults.plant(given);
  }

  clearFaults(): void {
    this.#outside.faults.clear();
  }

  limit(rates: Rates | null): void {
    this.#outside.rates = rates ? new RateGuard(this.#api.clock, rates) : null;
  }

  /** Nothing gets through and the sockets are cut, until it comes up. */
  goDown(): void {
    this.#outside.isDown = true;
    this.sockets.drop();
    this.#server.closeAllConnections();
  }

  comeUp(): void {
    this.#outside.isDown = false;
  }

  closeEditsAfter(windowMs: number | null): void {
    this.#api.editWindowMs = windowMs;
  }

  // What the app is told.

  /** From now on by signed requests; null: by sockets. */
  postTo(addresses: Addresses | null): void {
    const { clock } = this.#api;
    this.#hooks = addresses ? new Hooks({ clock, secret: signingSecret, addresses }) : null;
    this.#api.outbox.way = this.#hooks ?? this.sockets;
  }

  /** Any event, of another workspace too. */
  tell(event: Json, more: Envelope = {}): Delivery {
    return tell(this.#api, event, more);
  }

  /** The same envelope once more. */
  repeat(delivery: Delivery): void {
    this.#api.outbox.repeat(delivery);
  }

  async verifyUrl(): Promise<Answer> {
    return await this.#needHooks().verify();
  }

  /** Straight to the app's address for events, spoilt as told. */
  async forge(payload: object, forgery: Forgery = {}): Promise<Answer> {
    return await this.#needHooks().forge(payload, forgery);
  }

  #needHooks(): Hooks {
    if (this.#hooks) return this.#hooks;
    throw new Error('There is no address to post to; call postTo first');
  }

  // What people see.

  /** `threadTs` null: only the top level; left out: all. */
  screen(channel: Channel, threadTs?: string | null): readonly Shown[] {
    return shown(this.world, channel, threadTs);
  }

  read(channel: Channel, threadTs?: string | null): string {
    return screenText(this.world, channel, threadTs);
  }

  readView(view: View): string {
    return viewText(this.world, view);
  }

  /** Those of the bot that are still there. */
  sent(channel: Channel, threadTs?: string | null): readonly Message[] {
    return ofBot(this.world, channel, threadTs);
  }

  status(channel: Channel, threadTs: string): string {
    return this.world.statuses.get(`${channel.id}:${threadTs}`) ?? '';
  }

  until(what: string, isSo: () => boolean, limitMs?: number): Promise<void> {
    return this.ledger.until(what, isSo, limitMs);
  }
}
