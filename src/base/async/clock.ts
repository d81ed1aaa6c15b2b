export interface Clock {
  now(): number;
  /** Returns a function that cancels it. */
  after(ms: number, act: () => void): () => void;
}

/** Node's longest timer; it fires a longer one after 1 ms. */
const maxTimerMs = 2 ** 31 - 1;

export const machineClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(maxTimerMs, ms));
    return () => clearTimeout(timer);
  },
};

/** The queue's clock, which a test can replace. */
export interface QueueClock {
  now(): number;
  /** Monotonic: unaffected by clock changes; stops while the machine sleeps, and is no date. */
  steady(): number;
  /** Calls back once; the result cancels it. Keeps no process alive. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: QueueClock = {
  now: Date.now,
  steady: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(maxTimerMs, ms));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Waits for the work up to a time limit. */
export async function atMost(clock: QueueClock, ms: number, work: Promise<unknown>): Promise<void> {
  const waits: (() => void)[] = [];
  const tooLong = new Promise<void>((resolve) => waits.push(clock.after(ms, resolve)));
  await Promise.race([work, tooLong]);
  for (const stop of waits) stop();
}
