// Limits running jobs per project and executor kind. A job over a limit keeps its place in that limit's line.
import { type Heap, heap } from './heap.js';

export interface Limits {
  readonly ofProject?: (project: string) => number | null;
  readonly ofKind?: (kind: string) => number | null;
}

interface Counted {
  readonly id: string;
  readonly project: string;
  readonly kind: string;
  readonly priority: number;
  readonly n: number;
}

export interface Quota<J extends Counted> {
  enter(job: J): boolean;
  /** Runs already, regardless of limits. */
  occupy(job: J): void;
  leave(id: string): readonly J[];
  remove(id: string): boolean;
}

export function quota<J extends Counted>({ ofProject, ofKind }: Limits): Quota<J> {
  const inside = new Map<string, J>();
  const counts = new Map<string, number>();
  const waiting = new Map<string, J>();
  const queues = new Map<string, Heap<J>>();

  const keysOf = (job: J) => [`project ${job.project}`, `kind ${job.kind}`] as const;

  function fullKey(job: J): string | null {
    const [project, kind] = keysOf(job);
    if (isFull(project, ofProject?.(job.project))) return project;
    return isFull(kind, ofKind?.(job.kind)) ? kind : null;
  }

  function isFull(key: string, limit: number | null | undefined): boolean {
    return limit !== null && limit !== undefined && (counts.get(key) ?? 0) >= limit;
  }

  function count(job: J, by: 1 | -1): void {
    for (const key of keysOf(job)) {
      const next = (counts.get(key) ?? 0) + by;
      if (next === 0) counts.delete(key);
      else counts.set(key, next);
    }
  }

  function occupy(job: J): void {
    inside.set(job.id, job);
    count(job, 1);
  }

  function park(job: J, key: string): void {
    const queue = queues.get(key) ?? heap<J>(isBefore);
    queues.set(key, queue);
    queue.push(job);
    waiting.set(job.id, job);
  }

  function enter(job: J): boolean {
    const full = fullKey(job);
    if (full === null) occupy(job);
    else park(job, full);
    return full === null;
  }

  function enterNext(key: string): readonly J[] {
    const queue = queues.get(key);
    const entered: J[] = [];
    for (let job = queue?.pop(); job !== undefined; job = queue?.pop()) {
      if (waiting.get(job.id) !== job) continue;
      const full = fullKey(job);
      if (full === key) {
        queue?.push(job);
        return entered;
      }
      waiting.delete(job.id);
      if (enter(job)) entered.push(job);
    }
    queues.delete(key);
    return entered;
  }

  return {
    enter,
    occupy,
    leave(id) {
      const job = inside.get(id);
      if (job === undefined) return [];
      inside.delete(id);
      count(job, -1);
      return keysOf(job).flatMap(enterNext);
    },
    remove: (id) => waiting.delete(id),
  };
}

function isBefore(a: Counted, b: Counted): boolean {
  return a.priority === b.priority ? a.n < b.n : a.priority < b.priority;
}
