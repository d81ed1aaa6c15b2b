import type { QueueClock } from '../../src/base/index.js';

/** Time that stands still until the test moves it; what is due on the way is called in order. */
export function stoppedClock(begin = 1_000) {
  let now = begin;
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
  function move(ms: number): void {
    const until = now + ms;
    for (;;) {
      const next = [...calls].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      now = next.at;
      calls.delete(next);
      next.call();
    }
    now = until;
  }
  return { clock, move, waiting: () => calls.size };
}
