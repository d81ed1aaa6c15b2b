// Telegram's refusals as faults that a test plants, and its penalties for being too fast.
import type { Clock } from '../../fixture/clock.js';
import { FaultPlan, type NetworkFault, type PlantedFault } from '../../fixture/faults.js';

export type Fault =
  /** 429; every call within the time is refused too, and counts as a violation. */
  | { readonly type: 'flood'; readonly retryAfterS: number; readonly scope?: 'chat' | 'bot' }
  | { readonly type: 'refuse'; readonly code: number; readonly description: string }
  | NetworkFault;

export interface Planted extends PlantedFault<Fault> {
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

export class Faults extends FaultPlan<Fault, Planted, number> {
  constructor(clock: Clock) {
    super(clock, 'getUpdates', ({ chat }) => chat);
  }

  /** From now on, for the chat or for whatever has no chat by its method. */
  punish(method: string, chat: number | null, retryAfterS: number, scope: 'chat' | 'bot' = 'chat'): void {
    this.penalize(scope === 'bot' ? 'bot' : scopeOf(method, chat), retryAfterS);
  }

  /** Seconds that a penalty still lasts; 0: there is none. */
  penaltyLeftS(method: string, chat: number | null): number {
    return this.penaltyOfS(chat === null ? [scopeOf(method, chat)] : [scopeOf(method, chat), 'bot']);
  }
}

function scopeOf(method: string, chat: number | null): string {
  return chat === null ? `method ${method}` : `chat ${chat}`;
}
