// The platform's limits, as windows over the calls of a chat and of the bot. Only what was let through counts.
import type { Clock } from '../../fixture/clock.js';

export interface Window {
  readonly calls: number;
  readonly perMs: number;
}

export interface Rates {
  readonly perChat: readonly Window[];
  readonly perGroup: readonly Window[];
  readonly overall: readonly Window[];
}

export const platformRates: Rates = {
  perChat: [{ calls: 1, perMs: 1_000 }],
  perGroup: [{ calls: 20, perMs: 60_000 }],
  overall: [{ calls: 30, perMs: 1_000 }],
};

export class RateGuard {
  readonly #clock: Clock;
  readonly #rates: Rates;
  readonly #passed = new Map<string, number[]>();

  constructor(clock: Clock, rates: Rates) {
    this.#clock = clock;
    this.#rates = rates;
  }

  /** Seconds to wait; 0: it may pass, and is counted. */
  waitS(chat: number, isGroup: boolean): number {
    const { perChat, perGroup, overall } = this.#rates;
    const own = isGroup ? [...perChat, ...perGroup] : perChat;
    const waits = [...own.map((one) => this.#wait(`${chat}`, one)), ...overall.map((one) => this.#wait('all', one))];
    const waitMs = Math.max(0, ...waits);
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    for (const key of [`${chat}`, 'all']) this.#passed.set(key, [...this.#times(key), this.#clock.now()].slice(-200));
    return 0;
  }

  #wait(key: string, window: Window): number {
    const now = this.#clock.now();
    const within = this.#times(key).filter((at) => at > now - window.perMs);
    const oldest = within.at(-window.calls);
    return oldest === undefined ? 0 : oldest + window.perMs - now;
  }

  #times(key: string): readonly number[] {
    return this.#passed.get(key) ?? [];
  }
}
