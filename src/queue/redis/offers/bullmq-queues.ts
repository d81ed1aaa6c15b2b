import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueuedJob } from '../../../jobs/index.js';
import { anyNeeds, type Names, needsKey } from '../protocol/redis-keys.js';
import type { JobPayload } from './job-payload.js';

export interface QueuedOffer {
  readonly job: QueuedJob;
  readonly needs: readonly string[];
  readonly payload: JobPayload;
}

export interface BullmqQueues {
  offer(offers: readonly QueuedOffer[]): Promise<void>;
  /** Taken or not; each queue is read atomically. */
  ids(): Promise<ReadonlySet<string>>;
  remove(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const states = ['wait', 'prioritized', 'delayed', 'active'] as const;
const mostQueues = 200;
/** BullMQ's maximum. Without a priority a job would go first. */
const lowestPriority = 2_097_152;
const eventsKept = 100;
const removedAtOnce = 250;
const connectWithinMs = 5_000;

export interface BullmqQueuesOptions {
  readonly redis: Redis;
  readonly names: Names;
  readonly onRedisError: (error: unknown) => void;
  /** Its own errors, not those of Redis. */
  readonly onError: (error: unknown) => void;
}

export function openBullmqQueues({ redis, names, onRedisError, onError }: BullmqQueuesOptions): BullmqQueues {
  const queues = new Map<string, Queue>();

  function queueOf(needs: string): Queue {
    const known = queues.get(needs);
    if (known !== undefined) return known;
    const queue = new Queue(names.queue(needs), {
      connection: redis,
      prefix: names.prefix,
      skipMetasUpdate: true,
    });
    queue.on('error', onRedisError);
    queues.set(needs, queue);
    // BullMQ caches the first connection's result forever, so drop a queue whose connection failed.
    queue.waitUntilReady().catch(() => {
      queues.delete(needs);
      return queue.close().catch(onRedisError);
    });
    return queue;
  }

  /** Repeated, because Redis may have lost it: workers find queues by their needs. */
  async function announce(queue: Queue, needs: string): Promise<void> {
    const inReach = redis.sadd(names.needs, needs === '' ? anyNeeds : needs);
    await Promise.all([inReach, redis.hset(queue.toKey('meta'), 'opts.maxLenEvents', eventsKept)]);
  }

  async function all(): Promise<ReadonlyMap<string, Queue>> {
    if (redis.status !== 'ready') throw new Error('Redis is unreachable');
    for (const needs of await redis.smembers(names.needs)) {
      const isOurs = needs !== anyNeeds && needsKey(needs.split('+')) === needs;
      if (isOurs && queues.size < mostQueues) queueOf(needs);
    }
    queueOf('');
    return queues;
  }

  return {
    async offer(offers) {
      if (redis.status !== 'ready') throw new Error('Redis is unreachable');
      for (const [needs, some] of grouped(offers)) {
        if (queues.size >= mostQueues && !queues.has(needs)) {
          onError(new Error(`Jobs that need ${needs} do not start: there are more than ${mostQueues} sets of needs`));
          continue;
        }
        const queue = queueOf(needs);
        // One round trip: a worker that learns of the queue later still finds the jobs.
        await within(connectWithinMs, Promise.all([announce(queue, needs), queue.addBulk(some.map(asBullJob))]));
      }
    },
    async ids() {
      const found = new Set<string>();
      for (const [needs, queue] of await all()) {
        // Even if all jobs go to their workers directly.
        const ids = await within(
          connectWithinMs,
          announce(queue, needs).then(() => queue.getRanges([...states], 0, -1)),
        );
        for (const id of ids) found.add(id);
      }
      return found;
    },
    async remove(ids) {
      if (ids.length === 0) return;
      for (const queue of (await all()).values()) {
        for (let from = 0; from < ids.length; from += removedAtOnce) {
          const some = ids.slice(from, from + removedAtOnce);
          await within(connectWithinMs, Promise.all(some.map((id) => queue.remove(id))));
        }
      }
    },
    async close() {
      await Promise.allSettled([...queues.values()].map((queue) => within(connectWithinMs, queue.close())));
    },
  };
}

function asBullJob({ job, payload }: QueuedOffer) {
  return {
    name: job.project,
    data: payload,
    opts: {
      jobId: job.id,
      priority: Math.max(1, Math.min(lowestPriority, job.priority + 1)),
      attempts: 1,
      // BullMQ silently ignores an add with an id that it remembers.
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}

function grouped(offers: readonly QueuedOffer[]): ReadonlyMap<string, readonly QueuedOffer[]> {
  const groups = new Map<string, QueuedOffer[]>();
  for (const offer of offers) {
    const needs = needsKey(offer.needs);
    const group = groups.get(needs);
    if (group === undefined) groups.set(needs, [offer]);
    else group.push(offer);
  }
  return groups;
}

/** BullMQ waits for a connection without limit. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${ms / 1_000} s`)), ms);
    timer.unref();
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
