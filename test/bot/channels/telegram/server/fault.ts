// Faults that a test plants, by method and count, and the penalties that come of being too fast.
import type { Clock } from './clock.js';

export type Fault =
  /** 429; every call within the time is refused too, and counts as a violation. */
  | { readonly type: 'flood'; readonly retryAfterS: number; readonly scope?: 'chat' | 'bot' }
  | { readonly type: 'refuse'; readonly code: number; readonly description: string }
  /** The connection breaks: before anything happened, after it, or in the middle of the answer, nothing done or all. */
  | { readonly type: 'reset'; readonly at: 'request' | 'answer' | 'body' | 'body of nothing' }
  | { readonly type: 'slow'; readonly delayMs: number }
  /** Never answers. `acts`: but does what it was asked. */
  | { readonly type: 'hang'; readonly acts: boolean };

export interface Planted {
  /** `*`: any but getUpdates. */
  readonly method: string;
  readonly fault: Fault;
  readonly times?: number;
  /** So many calls go well before. */
  readonly after?: number;
  readonly chat?: number;
}

/** As the platform words them. */
export const faults = {
  flood: (retryAfterS: number): Fault => ({ type: 'flood', retryAfterS }),
  badGateway: { type: 'refuse', code: 502, description: 'Bad Gateway' },
  internal: { type: 'refuse', code: 500, description: 'Internal Server Error' },
  blocked: { type: 'refuse', code: 403, description: 'Forbidden: bot was blocked by the user' },
  chatNotFound: { type: 'refuse', code: 400, description: 'Bad Request: chat not found' },
  topicClosed: { type: 'refuse', code: 400, description: 'Bad Request: TOPIC_CLOSED' },
  unauthorized: { type: 'refuse', code: 401, description: 'Unauthorized' },
  conflict: {
    type: 'refuse',
    code: 409,
    description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  },
} as const satisfies Readonly<Record<string, Fault | ((seconds: number) => Fault)>>;

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

  next(method: string, chat: number | null): Fault | null {
    for (const one of this.#planted) {
      const { given } = one;
      const isMeant = given.method === method || (given.method === '*' && method !== 'getUpdates');
      if (!isMeant || one.left === 0 || (given.chat !== undefined && given.chat !== chat)) continue;
      if (one.before > 0) {
        one.before -= 1;
        continue;
      }
      one.left -= 1;
      return given.fault;
    }
    return null;
  }

  /** From now on, for the chat or for whatever has no chat by its method. */
  punish(method: string, chat: number | null, retryAfterS: number, scope: 'chat' | 'bot' = 'chat'): void {
    const until = this.#clock.now() + retryAfterS * 1000;
    const key = scope === 'bot' ? 'bot' : scopeOf(method, chat);
    this.#penalties.set(key, Math.max(until, this.#penalties.get(key) ?? 0));
  }

  /** Seconds that a penalty still lasts; 0: there is none. */
  penaltyLeftS(method: string, chat: number | null): number {
    const keys = chat === null ? [scopeOf(method, chat)] : [scopeOf(method, chat), 'bot'];
    const until = Math.max(...keys.map((key) => this.#penalties.get(key) ?? 0));
    return Math.max(0, Math.ceil((until - this.#clock.now()) / 1000));
  }
}

function scopeOf(method: string, chat: number | null): string {
  return chat === null ? `method ${method}` : `chat ${chat}`;
}
