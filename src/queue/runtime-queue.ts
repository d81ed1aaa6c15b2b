import type { JobRows, NeedsOf } from '../jobs/index.js';
import type { RecoverableQueue } from './port.js';
import type { BullmqQueue } from './redis/redis-queue.js';
import type { Limits } from './waiting/quota.js';

/**
 * The queue as the runtime sees it, embedded or on Redis. Only a queue with remote workers has `listWorkers`, `onOffer` and
 * `problem`.
 */
export type RuntimeQueue = RecoverableQueue & Partial<Pick<BullmqQueue, 'listWorkers' | 'onOffer' | 'problem'>>;

export interface QueueParts {
  readonly jobs: JobRows;
  readonly leaseMs: number;
  readonly limits: Limits;
  /** Asked when a job is offered, and again while it is on offer. */
  readonly needsOf: NeedsOf;
  /** Receives a sentence when the queue's backend has a problem, and null when it works again. */
  readonly onProblem: (problem: string | null) => void;
  readonly onError: (error: unknown) => void;
}

export type OpenQueue = (parts: QueueParts) => RuntimeQueue;
