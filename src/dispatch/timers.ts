// Things to do later, behind one timer at the earliest of them; and a clock that stands still while the machine sleeps.
import { type QueueClock, systemClock } from './queue/index.js';

export interface TimerOptions {
  /** By which times are meant: the wall's, or an `activeClock`'s. */
  readonly now?: () => number;
  readonly after?: QueueClock['after'];
  readonly onError?: (error: unknown) => void;
}

export interface Timers {
  /** Calls once at or soon after that time; setting a key again moves it. */
  set(key: string, at: number, call: () => void): void;
  clear(key: string): void;
  close(): void;
}

/** A timer of Node's cannot wait longer than 25 days. */
const longestMs = 24 * 3_600_000;

export function timers(options: TimerOptions = {}): Timers {
  const { now = systemClock.now, after = systemClock.after } = options;
  const report = options.onError ?? ((error) => process.emitWarning(`timer: ${String(error)}`));
  const due = new Map<string, { readonly at: number; readonly call: () => void }>();
  let armed: { readonly at: number; readonly stop: () => void } | null = null;

  function arm(): void {
    let at = Number.POSITIVE_INFINITY;
    for (const entry of due.values()) at = Math.min(at, entry.at);
    if (armed?.at === at) return;
    armed?.stop();
    armed = due.size === 0 ? null : { at, stop: after(Math.min(longestMs, Math.max(0, at - now())), ring) };
  }

  function ring(): void {
    armed = null;
    const time = now();
    const rung = [...due].filter(([, entry]) => entry.at <= time).sort(([, a], [, b]) => a.at - b.at);
    for (const [key, entry] of rung) {
      // One that rang before it may have moved or cleared this one.
      if (due.get(key) !== entry) continue;
      due.delete(key);
      try {
        entry.call();
      } catch (error) {
        report(error);
      }
    }
    arm();
  }

  return {
    set(key, at, call) {
      due.set(key, { at, call });
      arm();
    },
    clear(key) {
      if (due.delete(key)) arm();
    },
    close() {
      due.clear();
      arm();
    },
  };
}

export interface ActiveClock {
  /** Milliseconds that the machine was awake since the clock was made. */
  now(): number;
  close(): void;
}

/** Time is taken in steps, and a step that is far too long was a sleep: it counts as `capMs`. */
export function activeClock(clock: QueueClock = systemClock, tickMs = 5_000, capMs = 3 * tickMs): ActiveClock {
  let last = clock.now();
  let activeMs = 0;
  let stop = clock.after(tickMs, tick);

  function now(): number {
    const time = clock.now();
    activeMs += Math.min(capMs, Math.max(0, time - last));
    last = time;
    return activeMs;
  }

  function tick(): void {
    now();
    stop = clock.after(tickMs, tick);
  }

  return { now, close: () => stop() };
}
