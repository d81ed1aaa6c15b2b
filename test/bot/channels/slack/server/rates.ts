// Slack's limits: posting by channel with a small burst, all else by the method's tier. Only what was let through counts.
import type { Clock } from '../../fixture/clock.js';
import { scopeOf } from './fault.js';

export interface Rates {
  readonly post: { readonly perMs: number; readonly burst: number };
  /** Calls in a minute, by method; a method that is not here is not limited. */
  readonly perMinute: Readonly<Record<string, number>>;
}

const [tier2, tier3, tier4] = [20, 50, 100];

export const slackRates: Rates = {
  post: { perMs: 1_000, burst: 3 },
  perMinute: {
    'chat.update': tier3,
    'chat.delete': tier3,
    'chat.postEphemeral': tier4,
    'chat.startStream': tier2,
    'chat.appendStream': tier4,
    'chat.stopStream': tier2,
    'reactions.add': tier3,
    'reactions.remove': tier2,
    'conversations.info': tier3,
    'conversations.open': tier3,
    'conversations.replies': tier3,
    'conversations.history': tier3,
    'conversations.members': tier4,
    'conversations.list': tier2,
    'users.info': tier4,
    'users.list': tier2,
    'usergroups.list': tier2,
    'usergroups.users.list': tier2,
    'views.open': tier4,
    'views.update': tier4,
    'views.push': tier4,
    'views.publish': tier4,
    'files.getUploadURLExternal': tier4,
    'files.completeUploadExternal': tier4,
    'files.info': tier4,
    'bots.info': tier3,
    'team.info': tier3,
    'assistant.threads.setStatus': 600,
  },
};

const minuteMs = 60_000;

export class RateGuard {
  readonly #clock: Clock;
  readonly #rates: Rates;
  readonly #passed = new Map<string, number[]>();
  /** When a channel's budget for posting is whole again. */
  readonly #wholeAt = new Map<string, number>();

  constructor(clock: Clock, rates: Rates) {
    this.#clock = clock;
    this.#rates = rates;
  }

  /** Seconds to wait; 0: it may pass, and is counted. */
  waitS(method: string, channel: string | null): number {
    if (method === 'chat.postMessage') return this.#postWaitS(scopeOf(method, channel));
    const most = this.#rates.perMinute[method];
    if (most === undefined) return 0;
    const now = this.#clock.now();
    const within = (this.#passed.get(method) ?? []).filter((at) => at > now - minuteMs);
    const oldest = within.at(-most);
    if (oldest !== undefined) return Math.ceil((oldest + minuteMs - now) / 1000);
    this.#passed.set(method, [...within, now]);
    return 0;
  }

  #postWaitS(key: string): number {
    const { perMs, burst } = this.#rates.post;
    const now = this.#clock.now();
    const next = Math.max(now, this.#wholeAt.get(key) ?? 0) + perMs;
    const overMs = next - now - burst * perMs;
    if (overMs > 0) return Math.ceil(overMs / 1000);
    this.#wholeAt.set(key, next);
    return 0;
  }
}
