import type { JobRows, NeedsOf } from '../jobs/index.js';
import type { RecoverableQueue } from './port.js';
import type { BullmqQueue } from './redis/redis-queue.js';
import type { Limits } from './waiting/quota.js';

/** Only a queue with remote workers has the optional members. */
export type RuntimeQueue = RecoverableQueue & Partial<Pick<BullmqQueue, 'listWorkers' | 'onOffer' | 'problem'>>;

export interface QueueParts {
  readonly jobs: JobRows;
  readonly leaseMs: number;
  readonly limits: Limits;
  readonly needsOf: NeedsOf;
  readonly onProblem: (problem: string | null) => void;
  readonly onError: (error: unknown) => void;
}

export type OpenQueue = (parts: QueueParts) => RuntimeQueue;
