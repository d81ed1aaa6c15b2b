// The chat platforms that config.yaml names, connected, and connected anew when it names them differently. A client is
// loaded only where its platform is used.
import type { Channel, Entrances } from './channel.js';
import type { Desk } from './request.js';

type Log = (message: string) => void;

export class Channels {
  readonly #desk: Desk;
  readonly #log: Log;
  #telegram: { readonly key: string; readonly channel: Channel } | null = null;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(desk: Desk, log: Log) {
    this.#desk = desk;
    this.#log = log;
  }

  get all(): readonly Channel[] {
    return this.#telegram === null ? [] : [this.#telegram.channel];
  }

  /** Of the one that is connected now. */
  readonly entrances: Entrances = () => this.#telegram?.channel.entrance ?? null;

  /** Brings them in line with the configuration; resolves once each is connected, or its first try has failed. */
  align(): Promise<void> {
    this.#turn = this.#turn
      .then(() => this.#alignTelegram())
      .catch((error: unknown) => this.#log(`channels: ${String(error)}`));
    return this.#turn;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    await this.#telegram?.channel.close();
    this.#telegram = null;
  }

  async #alignTelegram(): Promise<void> {
    const wanted = this.#isClosed ? null : this.#desk.config().channels.telegram;
    const key = wanted === null ? null : JSON.stringify(wanted);
    if (key === (this.#telegram?.key ?? null)) return;
    await this.#telegram?.channel.close();
    this.#telegram = null;
    if (wanted === null || key === null) return;
    const { startTelegram } = await import('./telegram/index.js');
    const channel = startTelegram(this.#desk, wanted, this.#log);
    this.#telegram = { key, channel };
    await channel.tried;
    this.#log(`${channel.name}: ${channel.problem ?? 'connected'}`);
  }
}
