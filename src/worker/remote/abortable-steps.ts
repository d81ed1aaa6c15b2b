// On abort each step rejects at once, although its work may run a little longer.

export class StepsStopped extends Error {}

export interface AbortableSteps {
  readonly signal: AbortSignal;
  take<T>(work: Promise<T>): Promise<T>;
  /** All started work has ended, aborted or not. */
  ended(): Promise<void>;
}

export function stepsUntil(signal: AbortSignal): AbortableSteps {
  const begun = new Set<Promise<unknown>>();
  return {
    signal,
    take(work) {
      const over = work.then(
        () => undefined,
        () => undefined,
      );
      begun.add(over);
      void over.then(() => begun.delete(over));
      return unlessAborted(work, signal);
    },
    async ended() {
      await Promise.all(begun);
    },
  };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new StepsStopped());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const end = () => signal.removeEventListener('abort', stop);
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
