// Bosun may be down: repeats a question until an answer or a timeout.

import type { QueueClock } from '../../../base/index.js';
import { BosunError } from '../../../base/index.js';

export interface Question<T> {
  readonly clock: QueueClock;
  readonly signal?: AbortSignal;
  readonly everyMs: number;
  readonly withinMs: number;
  readonly say: () => void;
  readonly unanswered: () => T;
}

export interface AskedAgain<T> {
  readonly answered: Promise<T>;
  answer(value: T): void;
  refuse(error: Error): void;
}

export function askWithRetry<T>({ clock, signal, everyMs, withinMs, say, unanswered }: Question<T>): AskedAgain<T> {
  let settle: { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void } | null = null;
  const answered = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  let stopSaying: () => void = () => undefined;
  const stopWaiting = clock.after(withinMs, () => {
    try {
      answer(unanswered());
    } catch (error) {
      refuse(error);
    }
  });
  const leave = () => refuse(ended());

  function end(): void {
    stopSaying();
    stopWaiting();
    signal?.removeEventListener('abort', leave);
  }

  function answer(value: T): void {
    end();
    settle?.resolve(value);
  }

  function refuse(error: unknown): void {
    end();
    settle?.reject(error);
  }

  function repeat(): void {
    say();
    stopSaying = clock.after(everyMs, repeat);
  }

  signal?.addEventListener('abort', leave);
  if (signal?.aborted === true) leave();
  else repeat();
  return { answered, answer, refuse };
}

function ended(): BosunError {
  return new BosunError('not_now', 'The attempt ended before Bosun answered');
}
