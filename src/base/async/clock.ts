export interface Clock {
  now(): number;
  /** Gives what takes it back. */
  after(ms: number, act: () => void): () => void;
}

/** Node counts no further. */
const maxTimerMs = 2 ** 31 - 1;

export const machineClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(maxTimerMs, ms));
    return () => clearTimeout(timer);
  },
};

/** The time and the one way to wait that the queue knows, so that a test can hand in its own. */
export interface QueueClock {
  now(): number;
  /** Goes on evenly, however the clock of the machine is set; stands still while the machine sleeps, and is no date. */
  steady(): number;
  /** Calls back once, later; the result takes that back. Keeps no process alive. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: QueueClock = {
  now: Date.now,
  steady: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Waits for the work, but no longer than that. */
export async function atMost(clock: QueueClock, ms: number, work: Promise<unknown>): Promise<void> {
  const waits: (() => void)[] = [];
  const tooLong = new Promise<void>((resolve) => waits.push(clock.after(ms, resolve)));
  await Promise.race([work, tooLong]);
  for (const stop of waits) stop();
}
