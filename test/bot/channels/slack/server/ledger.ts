// Every call, with its time and what came of it: what tests count.
import type { Params } from './params.js';

export interface Call {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  readonly channel: string | null;
  readonly values: Params;
  /** Made although an earlier answer said to wait longer. */
  readonly isViolation: boolean;
  /** `ok`, Slack's word of a refusal, or a word for a fault; null while it goes on. */
  came: string | null;
}

export class Ledger {
  readonly #calls: Call[] = [];

  add(call: Omit<Call, 'number' | 'came'>): Call {
    const added: Call = { ...call, number: this.#calls.length + 1, came: null };
    this.#calls.push(added);
    return added;
  }

  calls(method?: string, channel?: string): readonly Call[] {
    return this.#calls.filter(
      (one) => (method === undefined || one.method === method) && (channel === undefined || one.channel === channel),
    );
  }

  count(method: string, channel?: string): number {
    return this.calls(method, channel).length;
  }

  get violations(): readonly Call[] {
    return this.#calls.filter((one) => one.isViolation);
  }

  /** The most that were made within any window of this length. */
  mostWithin(windowMs: number, method: string, channel?: string): number {
    const times = this.calls(method, channel).map((one) => one.at);
    let most = 0;
    let from = 0;
    times.forEach((at, index) => {
      while (at - (times[from] ?? at) >= windowMs) from += 1;
      most = Math.max(most, index - from + 1);
    });
    return most;
  }

  /** Between two calls one after the other; Infinity where there are none. */
  smallestGapMs(method: string, channel?: string): number {
    const times = this.calls(method, channel).map((one) => one.at);
    return times.slice(1).reduce((least, at, index) => Math.min(least, at - (times[index] ?? at)), Infinity);
  }

  clear(): void {
    this.#calls.length = 0;
  }
}
