import type { Claim, JobRows } from '../../../jobs/index.js';

export interface Claims {
  /** False: no longer waiting. Rejects if the store failed, and then nothing is claimed. */
  claim(claim: Claim): Promise<boolean>;
}

interface Waiting {
  readonly claim: Claim;
  readonly resolve: (isMine: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Fixed: the queue itself holds no jobs. */
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

export interface Endings {
  add(id: string): void;
  has(id: string): boolean;
  /** Throws if the store failed; the next flush repeats the ends. */
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
      // The next end retries; until then the attempts' rows show that they are over.
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
