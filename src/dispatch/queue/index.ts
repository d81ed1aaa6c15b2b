import type { BullmqOptions, BullmqQueue, BullmqWorker, BullmqWorkerOptions, RedisLook } from './bullmq/index.js';

export type {
  BullmqOptions,
  BullmqQueue,
  BullmqWorker,
  BullmqWorkerOptions,
  CrewMember,
  RedisLook,
} from './bullmq/index.js';
export { type QueueClock, systemClock } from './clock.js';
export { type EmbeddedOptions, type EmbeddedQueue, embeddedQueue } from './embedded.js';
export type * from './port.js';

/** BullMQ is loaded only where a Redis is named. */
export async function loadBullmq(): Promise<(options: BullmqOptions) => BullmqQueue> {
  return (await import('./bullmq/index.js')).bullmqQueue;
}

export async function openBullmqQueue(options: BullmqOptions): Promise<BullmqQueue> {
  const { bullmqQueue } = await import('./bullmq/index.js');
  return bullmqQueue(options);
}

export async function openBullmqWorker(options: BullmqWorkerOptions): Promise<BullmqWorker> {
  const { bullmqWorker } = await import('./bullmq/index.js');
  return bullmqWorker(options);
}

/** What a Redis at that address is like, and who takes jobs of this home there. */
export async function lookAtRedis(url: string, home: string): Promise<RedisLook> {
  return (await import('./bullmq/index.js')).lookAtRedis(url, home);
}
