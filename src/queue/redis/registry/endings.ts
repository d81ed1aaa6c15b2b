// Rows of jobs that are over: those of one turn of the event loop are put on record together.
import type { JobRows } from '../../../jobs/index.js';

export interface Endings {
  add(id: string): void;
  /** Whether it is over, and not on record yet. */
  has(id: string): boolean;
  /** Throws when the store failed; then they are kept. */
  flush(): void;
}

export function endingsOf(jobs: Pick<JobRows, 'forget'>, onError: (error: unknown) => void): Endings {
  const ended = new Set<string>();
  let isComing = false;

  function flush(): void {
    if (ended.size === 0) return;
    jobs.forget([...ended]);
    ended.clear();
  }

  function flushSafely(): void {
    isComing = false;
    try {
      flush();
    } catch (error) {
      // The next one that ends brings it along; until then the attempts' own rows tell.
      onError(error);
    }
  }

  return {
    add(id) {
      ended.add(id);
      if (isComing) return;
      isComing = true;
      setImmediate(flushSafely);
    },
    has: (id) => ended.has(id),
    flush,
  };
}
