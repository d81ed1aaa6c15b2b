// One BullMQ worker for each queue that this worker can serve, all of them sharing its slots. Which queues there are is
// looked up again and again, as jobs with other needs come up.
import { type Job as BullJob, DelayedError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { anyNeeds, asTag, canServe, type Names } from './names.js';

export interface TakersOptions {
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

export interface Takers {
  /** Takes no more; what was taken goes on. */
  stop(): void;
  /** Takes no more, and resolves when what was taken has ended. */
  close(): Promise<void>;
  /** Lets go of Redis, whether or not it answers. */
  cut(): void;
}

const lookEveryMs = 2_000;
const mostQueues = 200;
const noSlotMs = 200;

export function openTakers(options: TakersOptions): Takers {
  const { redis, names, concurrency, onError } = options;
  const can = new Set(options.can.map(asTag));
  const workers = new Map<string, Worker>();
  let busy = 0;
  let isClosed = false;
  let isStopped = false;

  function serve(needs: string): void {
    if (workers.has(needs) || workers.size >= mostQueues || isClosed || isStopped) return;
    const worker = new Worker(names.queue(needs), (job, token) => process(job, token ?? ''), {
      connection: options.taking,
      prefix: names.prefix,
      name: options.name,
      concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.lockMs,
      // Whoever took it may have begun: another try is Bosun's to decide.
      maxStalledCount: 0,
      drainDelay: 2,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', onError);
    workers.set(needs, worker);
    if (busy >= concurrency && workers.size > 1) void worker.pause(true).catch(onError);
  }

  async function process(job: BullJob, token: string): Promise<void> {
    if (busy >= concurrency) {
      await job.moveToDelayed(Date.now() + noSlotMs, token);
      throw new DelayedError();
    }
    busy += 1;
    if (busy === concurrency) pauseAll();
    try {
      await options.process(job, token);
    } finally {
      busy -= 1;
      if (busy === concurrency - 1) resumeAll();
    }
  }

  /** With one queue BullMQ's own limit is enough. */
  function pauseAll(): void {
    if (workers.size > 1) for (const worker of workers.values()) worker.pause(true).catch(onError);
  }

  function resumeAll(): void {
    if (isClosed || isStopped) return;
    for (const worker of workers.values()) {
      if (worker.isPaused()) worker.resume().catch(onError);
    }
  }

  async function look(): Promise<void> {
    if (redis.status !== 'ready') return;
    const keys = await redis.smembers(names.needs);
    for (const key of keys) if (key !== anyNeeds && canServe(key, can)) serve(key);
  }

  const watch = can.size === 0 ? null : setInterval(() => look().catch(onError), lookEveryMs).unref();
  serve('');
  if (watch !== null) redis.on('ready', () => look().catch(onError));

  return {
    stop() {
      isStopped = true;
      for (const worker of workers.values()) worker.pause(true).catch(onError);
    },
    async close() {
      isClosed = true;
      if (watch !== null) clearInterval(watch);
      await Promise.allSettled([...workers.values()].map((worker) => worker.close()));
    },
    cut() {
      for (const worker of workers.values()) worker.disconnect().catch(onError);
    },
  };
}
