// Claims of one turn of the event loop are written together.
import type { Claim, JobRows } from '../../../jobs/index.js';

export interface Claims {
  /** False: it does not wait any more. Rejects when the store failed: then nothing was claimed. */
  claim(claim: Claim): Promise<boolean>;
}

interface Waiting {
  readonly claim: Claim;
  readonly resolve: (isMine: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Whoever reads Redis for this home: holds nothing itself. */
const instance = 'bullmq';

export function claimsOf(jobs: JobRows, until: () => number): Claims {
  let waiting: Waiting[] = [];

  function write(): void {
    const all = waiting;
    waiting = [];
    try {
      const bodies = jobs.exchange(
        [],
        all.map(({ claim }) => claim),
        instance,
        until(),
      );
      for (const [at, { resolve }] of all.entries()) resolve(typeof bodies[at] === 'string');
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }

  return {
    claim(claim) {
      if (waiting.length === 0) queueMicrotask(write);
      return new Promise((resolve, reject) => waiting.push({ claim, resolve, reject }));
    },
  };
}

// Rows of jobs that are over: those of one turn of the event loop are put on record together.
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
