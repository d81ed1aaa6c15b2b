import type {
  BullmqOptions,
  BullmqQueue,
  BullmqWorker,
  BullmqWorkerOptions,
  LeaseLink,
  LivingHome,
  RedisLook,
} from './redis/index.js';

export { type EmbeddedOptions, type EmbeddedQueue, embeddedQueue } from './embedded/embedded-queue.js';
export * from './port.js';
export type {
  BullmqOptions,
  BullmqQueue,
  BullmqWorker,
  BullmqWorkerOptions,
  LeaseLink,
  LeaseLook,
  ListedWorker,
  LivingHome,
  RedisLook,
  SeenWorker,
  StoredLease,
} from './redis/index.js';
export type { Limits } from './waiting/quota.js';

/** Lazy: only homes with Redis need BullMQ. */
export async function loadBullmq(): Promise<(options: BullmqOptions) => BullmqQueue> {
  return (await import('./redis/index.js')).bullmqQueue;
}

export async function openBullmqQueue(options: BullmqOptions): Promise<BullmqQueue> {
  const { bullmqQueue } = await import('./redis/index.js');
  return bullmqQueue(options);
}

export async function openBullmqWorker(options: BullmqWorkerOptions): Promise<BullmqWorker> {
  const { bullmqWorker } = await import('./redis/index.js');
  return bullmqWorker(options);
}

export async function lookAtRedis(url: string, home: string): Promise<RedisLook> {
  return (await import('./redis/index.js')).inspectRedis(url, home);
}

export async function homesIn(url: string): Promise<readonly LivingHome[]> {
  return (await import('./redis/index.js')).homesIn(url);
}

export async function openLeaseLink(url: string, home: string, timeoutMs: number): Promise<LeaseLink> {
  return (await import('./redis/index.js')).openLeaseLink(url, home, timeoutMs);
}
export type { OpenQueue, RuntimeQueue } from './runtime-queue.js';
