// Slack's refusals as faults that a test plants, and its penalties for being too fast.
import type { Clock } from '../../fixture/clock.js';
import { FaultPlan, type NetworkFault, type PlantedFault } from '../../fixture/faults.js';

export type Fault =
  /** 429; every such call within the time is refused too, and counts as a violation. */
  | { readonly type: 'ratelimited'; readonly retryAfterS: number }
  | { readonly type: 'refuse'; readonly error: string; readonly more?: Readonly<Record<string, unknown>> }
  | { readonly type: 'status'; readonly code: number }
  | NetworkFault;

export interface Planted extends PlantedFault<Fault> {
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

export class Faults extends FaultPlan<Fault, Planted, string> {
  constructor(clock: Clock) {
    super(clock, 'apps.connections.open', ({ channel }) => channel);
  }

  /** From now on, for this method; posting is limited for each channel by itself. */
  punish(method: string, channel: string | null, retryAfterS: number): void {
    this.penalize(scopeOf(method, channel), retryAfterS);
  }

  /** Seconds that a penalty still lasts; 0: there is none. */
  penaltyLeftS(method: string, channel: string | null): number {
    return this.penaltyOfS([scopeOf(method, channel)]);
  }
}

export function scopeOf(method: string, channel: string | null): string {
  return method === 'chat.postMessage' ? `${method} ${channel ?? ''}` : method;
}
