export interface Clock {
  now(): number;
  after(ms: number, act: () => void): () => void;
}

/** Node's longest timer; a longer one fires after 1 ms. */
const maxTimerMs = 2 ** 31 - 1;

export const machineClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(maxTimerMs, ms));
    return () => clearTimeout(timer);
  },
};

export interface QueueClock {
  now(): number;
  /** Monotonic, no date; stops while the machine sleeps. */
  steady(): number;
  /** The result cancels it. A pending timer keeps no process alive. */
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

export async function atMost(clock: QueueClock, ms: number, work: Promise<unknown>): Promise<void> {
  const waits: (() => void)[] = [];
  const tooLong = new Promise<void>((resolve) => waits.push(clock.after(ms, resolve)));
  await Promise.race([work, tooLong]);
  for (const stop of waits) stop();
}
