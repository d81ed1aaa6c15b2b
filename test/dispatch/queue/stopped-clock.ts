import type { QueueClock } from '../../../src/dispatch/queue/index.js';

/** Time that stands still until the test moves it. */
export function stoppedClock() {
  let now = 1_000;
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  const clock: QueueClock = {
    now: () => now,
    steady: () => now,
    after(ms, call) {
      const entry = { at: now + ms, call };
      calls.add(entry);
      return () => void calls.delete(entry);
    },
  };
  return {
    clock,
    waiting: () => calls.size,
    move(ms: number) {
      now += ms;
      for (const entry of [...calls].sort((a, b) => a.at - b.at)) {
        if (entry.at <= now && calls.delete(entry)) entry.call();
      }
    },
  };
}
