// Faults that a test plants, by method and count, and the penalties that come of being too fast.
import type { Clock } from '../../telegram/server/clock.js';

export type Fault =
  /** 429; every such call within the time is refused too, and counts as a violation. */
  | { readonly type: 'ratelimited'; readonly retryAfterS: number }
  | { readonly type: 'refuse'; readonly error: string; readonly more?: Readonly<Record<string, unknown>> }
  | { readonly type: 'status'; readonly code: number }
  /** The connection breaks: before anything happened, after it, or in the middle of the answer, nothing done or all. */
  | { readonly type: 'reset'; readonly at: 'request' | 'answer' | 'body' | 'body of nothing' }
  | { readonly type: 'slow'; readonly delayMs: number }
  /** Never answers. `acts`: but does what it was asked. */
  | { readonly type: 'hang'; readonly acts: boolean };

export interface Planted {
  /** `*`: any but apps.connections.open. */
  readonly method: string;
  readonly fault: Fault;
  readonly times?: number;
  /** So many calls go well before. */
  readonly after?: number;
  readonly channel?: string;
}

export const faults = {
  ratelimited: (retryAfterS: number): Fault => ({ type: 'ratelimited', retryAfterS }),
  refuse: (error: string, more: Readonly<Record<string, unknown>> = {}): Fault => ({ type: 'refuse', error, more }),
  slow: (delayMs: number): Fault => ({ type: 'slow', delayMs }),
  status: (code: number): Fault => ({ type: 'status', code }),
  lostAnswer: { type: 'reset', at: 'answer' },
  lostRequest: { type: 'reset', at: 'request' },
  cutAnswer: { type: 'reset', at: 'body' },
} as const;

export class Faults {
  readonly #clock: Clock;
  #planted: { readonly given: Planted; before: number; left: number }[] = [];
  readonly #penalties = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  plant(given: Planted): void {
    this.#planted.push({ given, before: given.after ?? 0, left: given.times ?? 1 });
  }

  clear(): void {
    this.#planted = [];
    this.#penalties.clear();
  }

  next(method: string, channel: string | null): Fault | null {
    for (const one of this.#planted) {
      const { given } = one;
      const isMeant = given.method === method || (given.method === '*' && method !== 'apps.connections.open');
      if (!isMeant || one.left === 0 || (given.channel !== undefined && given.channel !== channel)) continue;
      if (one.before > 0) {
        one.before -= 1;
        continue;
      }
      one.left -= 1;
      return given.fault;
    }
    return null;
  }

  /** From now on, for this method; posting is limited for each channel by itself. */
  punish(method: string, channel: string | null, retryAfterS: number): void {
    const until = this.#clock.now() + retryAfterS * 1000;
    const key = scopeOf(method, channel);
    this.#penalties.set(key, Math.max(until, this.#penalties.get(key) ?? 0));
  }

  /** Seconds that a penalty still lasts; 0: there is none. */
  penaltyLeftS(method: string, channel: string | null): number {
    const until = this.#penalties.get(scopeOf(method, channel)) ?? 0;
    return Math.max(0, Math.ceil((until - this.#clock.now()) / 1000));
  }
}

export function scopeOf(method: string, channel: string | null): string {
  return method === 'chat.postMessage' ? `${method} ${channel ?? ''}` : method;
}
