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
  readonly caughtUp: () => Promise<void>;
  /** Runs slow work in the background and reports its errors. */
  readonly watch: (work: Promise<unknown>) => void;
}

export async function reconcile(parts: ReconcileParts): Promise<void> {
  const { redis, names, shelf, offers, hands, jobs } = parts;
  // Order matters: a job leaves Redis only after its envelope is stored, and later changes do not count.
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
  // Not awaited: fetching remote work may take long. `caughtUp` first: messages sent before a result come before it.
  for (const key of results) parts.watch(parts.caughtUp().then(() => hands.result(key)));
  for (const id of lost) parts.watch(hands.miss(id));
  await shelf.remove(unknown);
}

/** Withdraws jobs that no worker takes and reconsiders waiting ones. */
export async function rearrange({ shelf, offers }: Pick<ReconcileParts, 'shelf' | 'offers'>): Promise<void> {
  const misplaced = offers.misplaced();
  await shelf.remove(misplaced);
  offers.again(misplaced);
  offers.reconsider();
}

// The database is right about what there is to do, Redis about what is being done.
export interface RedisSnapshot {
  readonly inRedis: ReadonlySet<string>;
  /** After the snapshot. */
  readonly results: ReadonlySet<string>;
  readonly offered: readonly string[];
  readonly running: readonly string[];
  readonly isOpen: (id: string) => boolean;
}

export interface Differences {
  /** Never begun and gone: offer again. */
  readonly again: readonly string[];
  /** Begun and gone without an envelope. */
  readonly lost: readonly string[];
  readonly unknown: readonly string[];
}

export function compare({ inRedis, results, offered, running, isOpen }: RedisSnapshot): Differences {
  return {
    again: offered.filter((id) => !inRedis.has(id)),
    lost: running.filter((id) => !inRedis.has(id) && !results.has(id)),
    unknown: [...inRedis].filter((id) => !isOpen(id)),
  };
}
