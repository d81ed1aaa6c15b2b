// Brings Bosun's book and Redis together again: after a start, after each connect, and every few seconds.
import type { Redis } from 'ioredis';
import type { JobRows } from '../../jobs/index.js';
import type { BullmqQueues } from './offers/bullmq-queues.js';
import type { ReadyJobs } from './offers/ready-jobs.js';
import type { Names } from './protocol/redis-keys.js';
import { listResults } from './protocol/results.js';
import type { JobRegistry } from './registry/job-registry.js';

export interface ReconcileParts {
  readonly redis: Redis;
  readonly names: Names;
  readonly shelf: BullmqQueues;
  readonly offers: ReadyJobs;
  readonly hands: JobRegistry;
  readonly jobs: JobRows;
  readonly now: () => number;
  /** When all that was said until now has been heard. */
  readonly caughtUp: () => Promise<void>;
  /** For what lasts: it is not waited for, and what fails in it is told. */
  readonly watch: (work: Promise<unknown>) => void;
}

export async function reconcile(parts: ReconcileParts): Promise<void> {
  const { redis, names, shelf, offers, hands, jobs } = parts;
  // In this order: what leaves Redis has left its envelope before, and what came later is no concern of this look.
  const before = parts.now();
  const running = hands.running();
  const inRedis = await shelf.ids();
  const results = await listResults(redis, names);
  hands.flush();
  const open = new Set(jobs.known());
  const { again, lost, unknown } = compare({
    ...{ inRedis, running },
    results: new Set(results.map(({ id }) => id)),
    offered: offers.offeredBefore(before),
    isOpen: (id) => open.has(id) || hands.has(id),
  });
  offers.again(again);
  await rearrange(parts);
  // Work from another machine is fetched first, and what is lost has its processes ended, which may take long: neither the
  // others nor the next look wait for it.
  // And what was told before it lay there is heard before.
  for (const key of results) parts.watch(parts.caughtUp().then(() => hands.result(key)));
  for (const id of lost) parts.watch(hands.miss(id));
  await shelf.remove(unknown);
}

/** Who is there, or what is needed, has changed: what lies where nobody takes it is taken back, and what waits is looked at. */
export async function rearrange({ shelf, offers }: Pick<ReconcileParts, 'shelf' | 'offers'>): Promise<void> {
  const misplaced = offers.misplaced();
  await shelf.remove(misplaced);
  offers.again(misplaced);
  offers.reconsider();
}

// What to do where Bosun's book and Redis differ. Bosun's book is right about what there is to do, Redis about what is
// being done.
export interface RedisSnapshot {
  /** What lay in Redis at one moment, taken or not. */
  readonly inRedis: ReadonlySet<string>;
  /** Envelopes that lay there after that moment. */
  readonly results: ReadonlySet<string>;
  /** On offer since before that moment, and not begun. */
  readonly offered: readonly string[];
  /** Begun before that moment, and not settled. */
  readonly running: readonly string[];
  /** Whether Bosun has any work under that id. */
  readonly isOpen: (id: string) => boolean;
}

export interface Differences {
  /** Never begun, and gone: to be offered again under the same id. */
  readonly again: readonly string[];
  /** Begun and gone, without an envelope: its worker's claim is lost. */
  readonly lost: readonly string[];
  /** Bosun knows nothing of it. */
  readonly unknown: readonly string[];
}

export function compare({ inRedis, results, offered, running, isOpen }: RedisSnapshot): Differences {
  return {
    again: offered.filter((id) => !inRedis.has(id)),
    lost: running.filter((id) => !inRedis.has(id) && !results.has(id)),
    unknown: [...inRedis].filter((id) => !isOpen(id)),
  };
}
