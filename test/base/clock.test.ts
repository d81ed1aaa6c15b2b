import { expect, it, vi } from 'vitest';
import { machineClock, systemClock } from '../../src/base/index.js';

it.each([
  ['machineClock', machineClock],
  ['systemClock', systemClock],
])('%s does not fire at once for a delay beyond the longest timer of Node', (_, clock) => {
  vi.useFakeTimers();
  try {
    const call = vi.fn();
    clock.after(30 * 86_400_000, call);
    vi.advanceTimersByTime(86_400_000);
    expect(call).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
