// Serializes work per name, such as a checkout.

/** Follow-up work beyond this many rounds is an endless loop. */
const maxDrainRounds = 100;

interface KeyedQueueParts {
  readonly onError: (name: string, error: unknown) => void;
  readonly onEmpty: (name: string) => void;
}

export class KeyedQueue {
  readonly #last = new Map<string, Promise<void>>();
  readonly #parts: KeyedQueueParts;

  constructor(parts: KeyedQueueParts) {
    this.#parts = parts;
  }

  /** A failure does not block the queue. */
  add(name: string, work: () => Promise<void>): void {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work).catch((error: unknown) => this.#parts.onError(name, error));
    this.#last.set(name, mine);
    void mine.then(() => {
      if (this.#last.get(name) !== mine) return;
      this.#last.delete(name);
      this.#parts.onEmpty(name);
    });
  }

  has(name: string): boolean {
    return this.#last.has(name);
  }

  async drain(): Promise<void> {
    for (let round = 0; this.#last.size > 0 && round < maxDrainRounds; round++) {
      await Promise.allSettled(this.#last.values());
    }
  }
}

/** By key, across the process: parallel git commands in one repository fail on its locks. */
const last = new Map<string, Promise<unknown>>();

/** Waits for earlier calls; null if `signal` aborts before `act` is called. */
export async function inTurn<T>(key: string, act: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
  const before = last.get(key) ?? Promise.resolve();
  const { promise: done, resolve: finish } = gate();
  const mine = before.then(() => done);
  last.set(key, mine);
  try {
    await orAborted(before, signal);
    return signal?.aborted ? null : await act();
  } finally {
    finish();
    void mine.then(() => {
      if (last.get(key) === mine) last.delete(key);
    });
  }
}

function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function orAborted(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await before);
  const { promise: aborted, resolve } = gate();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', resolve, { once: true });
  await Promise.race([before, aborted]);
  signal.removeEventListener('abort', resolve);
}
