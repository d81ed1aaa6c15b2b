import type { BullmqOptions, BullmqQueue, BullmqWorker, BullmqWorkerOptions } from './bullmq/index.js';

export type { BullmqOptions, BullmqQueue, BullmqWorker, BullmqWorkerOptions, CrewMember } from './bullmq/index.js';
export { type QueueClock, systemClock } from './clock.js';
export { type EmbeddedOptions, type EmbeddedQueue, embeddedQueue } from './embedded.js';
export type * from './port.js';

/** BullMQ is loaded only where a Redis is named. */
export async function openBullmqQueue(options: BullmqOptions): Promise<BullmqQueue> {
  const { bullmqQueue } = await import('./bullmq/index.js');
  return bullmqQueue(options);
}

export async function openBullmqWorker(options: BullmqWorkerOptions): Promise<BullmqWorker> {
  const { bullmqWorker } = await import('./bullmq/index.js');
  return bullmqWorker(options);
}
