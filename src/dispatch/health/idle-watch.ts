// Whether anything is under way that goes on by itself, and waiting until nothing is.

export interface WorkUnderWay {
  /** Plans, jobs, work on checkouts: anything that will start or end without a person. Of one project, or of all. */
  isBusy(project: string | null): boolean;
}

interface Waiter {
  readonly project: string | null;
  readonly done: (isAtRest: boolean) => void;
}

/** A timer of Node's that is longer rings at once. */
const longestMs = 2 ** 31 - 1;

export class IdleWatch {
  readonly #activity: WorkUnderWay;
  readonly #waiters = new Set<Waiter>();
  #isScheduled = false;
  #isClosed = false;

  constructor(activity: WorkUnderWay) {
    this.#activity = activity;
  }

  /** True once at rest, false when the time is up before that or nobody waits any more. */
  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.done(false), Math.min(timeoutMs, longestMs));
      const waiter: Waiter = {
        project,
        done: (isAtRest) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(isAtRest);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', () => waiter.done(false), { once: true });
      this.look();
    });
  }

  /** Nothing can come to rest any more: whoever waits is told so. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of [...this.#waiters]) waiter.done(false);
  }

  /** To be called whenever something may have come to rest. */
  look(): void {
    if (this.#isScheduled || this.#waiters.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const waiter of [...this.#waiters]) {
        if (!this.#activity.isBusy(waiter.project)) waiter.done(true);
      }
    });
  }
}
