// What the server goes by: the machine's time, or one that a test moves by hand.

export interface Clock {
  now(): number;
  /** Gives what takes it back. */
  after(delayMs: number, act: () => void): () => void;
}

export const machineClock: Clock = {
  now: () => Date.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs);
    return () => clearTimeout(timer);
  },
};

interface Due {
  readonly at: number;
  readonly act: () => void;
}

export class HandClock implements Clock {
  #now: number;
  readonly #due = new Set<Due>();

  constructor(startAt: number) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, act: () => void): () => void {
    const due = { at: this.#now + delayMs, act };
    this.#due.add(due);
    return () => {
      this.#due.delete(due);
    };
  }

  /** What falls due on the way happens at its own time, in order. */
  advance(byMs: number): void {
    const end = this.#now + byMs;
    for (let next = this.#next(end); next !== null; next = this.#next(end)) {
      this.#due.delete(next);
      this.#now = next.at;
      next.act();
    }
    this.#now = end;
  }

  #next(end: number): Due | null {
    let next: Due | null = null;
    for (const due of this.#due) if (due.at <= end && (next === null || due.at < next.at)) next = due;
    return next;
  }
}
