// Idle: no work that goes on without a person.

export interface WorkUnderWay {
  isBusy(project: string | null): boolean;
}

interface Waiter {
  readonly project: string | null;
  readonly done: (isAtRest: boolean) => void;
}

/** Node fires longer timers at once. */
const longestMs = 2 ** 31 - 1;

export class IdleWatch {
  readonly #activity: WorkUnderWay;
  readonly #waiters = new Set<Waiter>();
  #isScheduled = false;
  #isClosed = false;

  constructor(activity: WorkUnderWay) {
    this.#activity = activity;
  }

  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#isClosed || signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.done(false), Math.min(timeoutMs, longestMs));
      const waiter: Waiter = {
        project,
        done: (isAtRest) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          this.#waiters.delete(waiter);
          resolve(isAtRest);
        },
      };
      const onAbort = () => waiter.done(false);
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.look();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const waiter of [...this.#waiters]) waiter.done(false);
  }

  /** Coalesces. */
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
