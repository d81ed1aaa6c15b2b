import { expect, it, vi } from 'vitest';
import { machineClock, systemClock } from '../../src/base/index.js';

it.each([
  ['machineClock', machineClock],
  ['systemClock', systemClock],
])("%s does not fire early for a delay beyond Node's longest timer", (_, clock) => {
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
