import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { pause } from '../../src/base/async/pause.js';

const longMs = 600_000;

it('a pause resolves at once when its signal aborts before or during it', async () => {
  await pause(longMs, AbortSignal.abort());
  const ending = new AbortController();
  const waiting = pause(longMs, ending.signal);
  ending.abort();
  await waiting;
});

it('a pause leaves no abort listener on a signal that outlives it', async () => {
  const { signal } = new AbortController();
  vi.useFakeTimers();
  const waiting = pause(longMs, signal);
  vi.advanceTimersByTime(longMs);
  vi.useRealTimers();
  await waiting;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
