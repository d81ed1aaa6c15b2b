// One BullMQ worker per queue; all share the slots. Polls for queues of new sets of needs.
import { type Job as BullJob, DelayedError, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { homeDisk } from '../../../jobs/index.js';
import { anyNeeds, asTag, canServe, type Names } from '../protocol/redis-keys.js';
import { keepLocks } from './job-locks.js';
import { sharedSlots } from './slots.js';

export interface BullmqWorkersOptions {
  readonly redis: Redis;
  readonly taking: Redis;
  readonly names: Names;
  readonly name: string;
  readonly can: readonly string[];
  readonly concurrency: number;
  readonly lockMs: number;
  readonly process: (job: BullJob, token: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export interface BullmqWorkers {
  stop(): void;
  close(): Promise<void>;
  cut(): void;
  /** A job that did not come from BullMQ runs. Call the result when it ends. */
  occupy(): () => void;
}

const lookEveryMs = 2_000;
const mostQueues = 200;
const noSlotMs = 200;

export function openTakers(options: BullmqWorkersOptions): BullmqWorkers {
  const { redis, names, concurrency, onError } = options;
  const can = new Set(options.can.map(asTag));
  const workers = new Map<string, Worker>();
  const slots = sharedSlots(concurrency, onError);
  const locks = keepLocks({ redis, lockMs: options.lockMs, onError });
  let isOver = false;

  function serve(needs: string): void {
    if (workers.has(needs) || workers.size >= mostQueues || isOver) return;
    const worker: Worker = new Worker(names.queue(needs), (job, token) => process(worker, job, token ?? ''), {
      connection: options.taking,
      prefix: names.prefix,
      name: options.name,
      concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.lockMs,
      skipLockRenewal: true,
      // A stalled job may have begun; only Bosun decides about another attempt.
      maxStalledCount: 0,
      drainDelay: 2,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', onError);
    workers.set(needs, worker);
    slots.add(worker);
  }

  async function process(worker: Worker, job: BullJob, token: string): Promise<void> {
    if (!slots.take(worker)) {
      // A paused worker does not take it again: it stays the first.
      if (worker.isPaused()) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      await job.moveToDelayed(Date.now() + noSlotMs, token);
      throw new DelayedError();
    }
    const letGo = locks.keep(worker, job, token);
    try {
      await options.process(job, token);
    } finally {
      letGo();
      slots.give(worker);
    }
  }

  async function look(): Promise<void> {
    if (redis.status !== 'ready') return;
    const keys = await redis.smembers(names.needs);
    for (const key of keys) if (key !== anyNeeds && canServe(key, can)) serve(key);
  }

  serve('');
  if (can.has(homeDisk)) serve(homeDisk);
  // Only extra abilities form sets of needs that are not known in advance.
  const hasMore = [...can].some((one) => one !== homeDisk);
  const watch = hasMore ? setInterval(() => look().catch(onError), lookEveryMs).unref() : null;
  if (watch !== null) redis.on('ready', () => look().catch(onError));

  return {
    stop() {
      isOver = true;
      slots.stop();
    },
    async close() {
      isOver = true;
      if (watch !== null) clearInterval(watch);
      const closing = [...workers.values()].map((worker) => worker.close());
      slots.stop();
      await Promise.allSettled(closing);
    },
    occupy: () => slots.occupy(),
    cut() {
      locks.close();
      for (const worker of workers.values()) worker.disconnect().catch(onError);
    },
  };
}
