// Every call, with its time and what came of it: what tests count.
import type { Params } from './params.js';

export interface Call {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  readonly chat: number | null;
  readonly values: Params['values'];
  /** Made although an earlier answer said to wait longer. */
  readonly isViolation: boolean;
  /** `ok`, a number that the platform refused with, or a word for a fault; null while it goes on. */
  came: 'ok' | 'reset' | 'hang' | number | null;
}

/** What a chat's budget is spent on. */
const budgeted = /^(send|edit|copy|forward|delete|pin|setMessageReaction)/;

export class Ledger {
  readonly #calls: Call[] = [];

  add(call: Omit<Call, 'number' | 'came'>): Call {
    const added: Call = { ...call, number: this.#calls.length + 1, came: null };
    this.#calls.push(added);
    return added;
  }

  calls(method?: string, chat?: number): readonly Call[] {
    return this.#calls.filter(
      (one) => (method === undefined || one.method === method) && (chat === undefined || one.chat === chat),
    );
  }

  count(method: string, chat?: number): number {
    return this.calls(method, chat).length;
  }

  /** Sends, edits, typing and the like; of one chat, or of all. */
  spent(chat?: number): readonly Call[] {
    return this.calls(undefined, chat).filter((one) => budgeted.test(one.method));
  }

  get violations(): readonly Call[] {
    return this.#calls.filter((one) => one.isViolation);
  }

  /** The most that were made within any window of this length. */
  mostWithin(windowMs: number, chat?: number): number {
    const times = this.spent(chat).map((one) => one.at);
    let most = 0;
    let from = 0;
    times.forEach((at, index) => {
      while (at - (times[from] ?? at) >= windowMs) from += 1;
      most = Math.max(most, index - from + 1);
    });
    return most;
  }

  /** Between two calls one after the other; Infinity where there are none. */
  smallestGapMs(chat?: number): number {
    const times = this.spent(chat).map((one) => one.at);
    return times.slice(1).reduce((least, at, index) => Math.min(least, at - (times[index] ?? at)), Infinity);
  }

  clear(): void {
    this.#calls.length = 0;
  }
}
