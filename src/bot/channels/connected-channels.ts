// Connects the platforms named in config.yaml and reconnects when their settings change. Loads only the clients in use.
import { type Log, logAbout } from '../../base/index.js';
import type { BotServices } from '../services.js';
import type { Channel, WebhookReceivers } from './channel.js';

type Name = 'telegram' | 'slack';
type Connect = (services: BotServices, log: Log) => Promise<Channel | null>;

const connects: Readonly<Record<Name, Connect>> = {
  async telegram(services, log) {
    const wanted = services.config().channels.telegram;
    return wanted && (await import('./telegram/index.js')).startTelegram(services, wanted, log);
  },
  async slack(services, log) {
    const wanted = services.config().channels.slack;
    return wanted && (await import('./slack/index.js')).startSlack(services, wanted, log);
  },
};
const names = ['telegram', 'slack'] as const satisfies readonly Name[];

interface Connected {
  readonly settings: string;
  readonly channel: Channel;
}

export class Channels {
  readonly #services: BotServices;
  readonly #log: Log;
  readonly #connected = new Map<Name, Connected>();
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(services: BotServices, log: Log) {
    this.#services = services;
    this.#log = log;
  }

  get all(): readonly Channel[] {
    return [...this.#connected.values()].map(({ channel }) => channel);
  }

  readonly entrances: WebhookReceivers = (name) => this.#connected.get(name)?.channel.entrance ?? null;

  /** Applies the current configuration; resolves once each channel is connected or its first attempt has failed. */
  align(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      await Promise.all(names.map((name) => this.#align(name)));
    });
    return this.#turn;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Closing also ends the wait for a first connection, on which #turn may depend.
    await this.#closeAll();
    await this.#turn;
    await this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    const all = this.all;
    this.#connected.clear();
    await Promise.all(all.map((channel) => channel.close()));
  }

  /** A failing channel must not stop the others. */
  async #align(name: Name): Promise<void> {
    try {
      await this.#reconnect(name);
    } catch (error) {
      this.#log(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
        channel: name,
        level: 'error',
      });
    }
  }

  async #reconnect(name: Name): Promise<void> {
    const wanted = this.#isClosed ? null : this.#services.config().channels[name];
    const settings = JSON.stringify(wanted);
    const before = this.#connected.get(name);
    if (settings === (before?.settings ?? 'null')) return;
    await before?.channel.close();
    this.#connected.delete(name);
    const channel =
      wanted === null ? null : await connects[name](this.#services, logAbout(this.#log, { channel: name }));
    if (channel === null) return;
    this.#connected.set(name, { settings, channel });
    await channel.tried;
    this.#log(`${name}: ${channel.problem ?? 'connected'}`, { channel: name });
  }
}
