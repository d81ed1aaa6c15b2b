import type { Redis } from 'ioredis';
import type { JobRows } from '../../jobs/index.js';
import type { BullmqQueues } from './offers/bullmq-queues.js';
import type { ReadyJobs } from './offers/ready-jobs.js';
import type { Grants } from './protocol/grants.js';
import type { Names } from './protocol/redis-keys.js';
import { listResults } from './protocol/results.js';
import type { JobRegistry } from './registry/job-registry.js';

export interface ReconcileParts {
  readonly redis: Redis;
  readonly names: Names;
  readonly shelf: BullmqQueues;
  readonly grants: Grants;
  readonly offers: ReadyJobs;
  readonly hands: JobRegistry;
  readonly jobs: JobRows;
  readonly now: () => number;
  readonly caughtUp: () => Promise<void>;
  readonly watch: (work: Promise<unknown>) => void;
}

export async function reconcile(parts: ReconcileParts): Promise<void> {
  const { redis, names, shelf, grants, offers, hands, jobs } = parts;
  // Order matters: a job leaves Redis only after its envelope is stored. Later changes do not count.
  const before = parts.now();
  const running = hands.running();
  const onShelf = await shelf.ids();
  const granted = await grants.ids();
  const results = await listResults(redis, names);
  hands.flush();
  const open = new Set(jobs.known());
  const { again, lost, unknown } = compare({
    ...{ inRedis: new Set([...onShelf, ...granted]), running },
    results: new Set(results.map(({ id }) => id)),
    offered: offers.offeredBefore(before),
    isOpen: (id) => open.has(id) || hands.has(id),
  });
  offers.again(again);
  await rearrange(parts);
  // Not awaited: fetching remote work may take long. `caughtUp` first, for messages sent before a result.
  for (const key of results) parts.watch(parts.caughtUp().then(() => hands.result(key)));
  for (const id of lost) parts.watch(hands.miss(id));
  for (const id of unknown) grants.drop(id);
  await shelf.remove(unknown.filter((id) => onShelf.has(id)));
}

export async function rearrange({ shelf, offers }: Pick<ReconcileParts, 'shelf' | 'offers'>): Promise<void> {
  const misplaced = offers.misplaced();
  await shelf.remove(misplaced);
  offers.again(misplaced);
  offers.reconsider();
}

// The database knows the work to do, Redis the work in progress.
export interface RedisSnapshot {
  readonly inRedis: ReadonlySet<string>;
  readonly results: ReadonlySet<string>;
  readonly offered: readonly string[];
  readonly running: readonly string[];
  readonly isOpen: (id: string) => boolean;
}

export interface Differences {
  /** Gone before they began: offer again. */
  readonly again: readonly string[];
  /** Gone after they began, without an envelope. */
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
