import { backoffMs } from '../../base/index.js';

export interface WebhookResponse {
  readonly status: number | null;
  readonly retryAfter: string | null;
  readonly problem: string | null;
}

export type DeliveryVerdict =
  | { readonly kind: 'arrived' }
  | { readonly kind: 'later'; readonly afterMs: number; readonly problem: string }
  | { readonly kind: 'never'; readonly problem: string };

export interface Tried {
  readonly tries: number;
  readonly at: number;
  readonly now: number;
  readonly backoffMs: (tries: number) => number;
}

const maxTries = 15;
const maxAgeMs = 3 * 24 * 3_600_000;
const callBackoff = { firstMs: 60_000, mostMs: 6 * 3_600_000 };
/** A receiver must not postpone forever. */
const maxRetryAfterMs = 24 * 3_600_000;

export function judge(answer: WebhookResponse, tried: Tried): DeliveryVerdict {
  const { status } = answer;
  if (status !== null && status >= 200 && status < 300) return { kind: 'arrived' };
  const problem = answer.problem ?? `HTTP ${status}`;
  if (status !== null && status >= 300 && status < 400) {
    return { kind: 'never', problem: `${problem}: it redirects, and Bosun follows no redirects` };
  }
  if (status !== null && status < 500 && !retried.has(status)) return { kind: 'never', problem };
  const { tries, at, now, backoffMs } = tried;
  if (tries >= maxTries || now - at > maxAgeMs) return { kind: 'never', problem: `${problem}, after ${tries} tries` };
  const asked = status === 429 || status === 503 ? retryAfterMs(answer.retryAfter, now) : 0;
  return { kind: 'later', afterMs: Math.max(backoffMs(tries), asked), problem };
}

const retried = new Set([408, 425, 429]);

/** One minute to six hours; jitter spreads calls that failed together. */
export function callBackoffMs(tries: number): number {
  return Math.round(backoffMs(tries, callBackoff) * (0.8 + 0.4 * Math.random()));
}

function retryAfterMs(said: string | null, now: number): number {
  if (said === null) return 0;
  const ms = /^\s*\d{1,9}\s*$/.test(said) ? Number(said) * 1000 : Date.parse(said.slice(0, 100)) - now;
  return Number.isFinite(ms) ? Math.max(0, Math.min(ms, maxRetryAfterMs)) : 0;
}
