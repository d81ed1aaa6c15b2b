import { describe, expect, it } from 'vitest';
import { callBackoffMs, judge } from '../../../src/dispatch/webhooks/delivery-verdict.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
const tried = { tries: 1, at: now, now, backoffMs: () => minute };
const answer = (status: number | null, retryAfter: string | null = null) => ({
  status,
  retryAfter,
  problem: status === null ? 'ECONNRESET' : null,
});

describe('the verdict on a response', () => {
  it.each([
    [200, 'arrived'],
    [204, 'arrived'],
    [301, 'never'],
    [400, 'never'],
    [404, 'never'],
    [410, 'never'],
    [408, 'later'],
    [425, 'later'],
    [429, 'later'],
    [500, 'later'],
    [503, 'later'],
    [599, 'later'],
    [null, 'later'],
  ])('for status %s is %s', (status, kind) => {
    expect(judge(answer(status), tried).kind).toBe(kind);
  });

  it.each([
    ['seconds', 429, '600', 10 * minute],
    ['a date', 503, 'Thu, 01 Jan 2026 00:30:00 GMT', 30 * minute],
    ['less than the back-off', 429, '1', minute],
    ['a date that is over', 429, 'Wed, 31 Dec 2025 00:00:00 GMT', minute],
    ['more than a day', 429, '99999999', 24 * 60 * minute],
    ['nonsense', 429, 'soon', minute],
    ['a number below zero', 429, '-5', minute],
    ['a status that it does not belong to', 500, '600', minute],
  ])('honours Retry-After within limits: %s', (_what, status, retryAfter, afterMs) => {
    expect(judge(answer(status, retryAfter), tried)).toMatchObject({ kind: 'later', afterMs });
  });
});

describe('the backoff', () => {
  it('grows from a minute to six hours, with jitter', () => {
    for (const [tries, plain] of [
      [1, 1],
      [2, 2],
      [5, 16],
      [9, 256],
      [10, 360],
      [15, 360],
      [5_000, 360],
    ] as const) {
      const drawn = Array.from({ length: 50 }, () => callBackoffMs(tries) / minute);
      expect(Math.min(...drawn)).toBeGreaterThanOrEqual(plain * 0.8 - 0.001);
      expect(Math.max(...drawn)).toBeLessThanOrEqual(plain * 1.2 + 0.001);
      expect(new Set(drawn).size).toBeGreaterThan(10);
    }
  });
});
