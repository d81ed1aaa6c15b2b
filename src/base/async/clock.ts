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
