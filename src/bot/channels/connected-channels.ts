// Reconnects when settings change. Loads only clients in use.
import { type Log, logAbout } from '../../base/index.js';
import type { BotServices } from '../services.js';
import type { Channel, WebhookReceivers } from './channel.js';
import type { ChannelKind } from './channel-kind.js';

interface Connected {
  readonly settings: string;
  readonly channel: Channel;
}

export class Channels {
  readonly #services: BotServices;
  readonly #kinds: readonly ChannelKind[];
  readonly #log: Log;
  readonly #connected = new Map<string, Connected>();
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(services: BotServices, kinds: readonly ChannelKind[], log: Log) {
    this.#services = services;
    this.#kinds = kinds;
    this.#log = log;
  }

  get all(): readonly Channel[] {
    return [...this.#connected.values()].map(({ channel }) => channel);
  }

  readonly entrances: WebhookReceivers = (name) => this.#connected.get(name)?.channel.entrance ?? null;

  align(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      await Promise.all(this.#kinds.map((kind) => this.#align(kind)));
    });
    return this.#turn;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Ends the wait for a first connection too, on which #turn may depend.
    await this.#closeAll();
    await this.#turn;
    await this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    const all = this.all;
    this.#connected.clear();
    await Promise.all(all.map((channel) => channel.close()));
  }

  /** One failing channel must not stop the others. */
  async #align(kind: ChannelKind): Promise<void> {
    const { name } = kind;
    try {
      await this.#reconnect(kind);
    } catch (error) {
      this.#log(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
        channel: name,
        level: 'error',
      });
    }
  }

  async #reconnect(kind: ChannelKind): Promise<void> {
    const { name } = kind;
    const wanted = this.#isClosed ? null : (this.#services.config().channels[name] ?? null);
    const settings = JSON.stringify(wanted);
    const before = this.#connected.get(name);
    if (settings === (before?.settings ?? 'null')) return;
    await before?.channel.close();
    this.#connected.delete(name);
    if (wanted === null) return;
    const channel = await kind.start(this.#services, wanted, logAbout(this.#log, { channel: name }));
    this.#connected.set(name, { settings, channel });
    await channel.tried;
    this.#log(`${name}: ${channel.problem ?? 'connected'}`, { channel: name });
  }
}
