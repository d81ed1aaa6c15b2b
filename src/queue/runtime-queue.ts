// The queue as the runtime sees it, embedded or on Redis.

import type { JobRows, NeedsOf } from '../jobs/index.js';
import type { RecoverableQueue } from './port.js';
import type { BullmqQueue } from './redis/redis-queue.js';
import type { Limits } from './waiting/quota.js';

/** What a room works with; a crew and offers only where its workers may be elsewhere. */
export type RoomQueue = RecoverableQueue & Partial<Pick<BullmqQueue, 'crew' | 'onOffer' | 'problem'>>;

export interface QueueParts {
  readonly jobs: JobRows;
  readonly leaseMs: number;
  readonly limits?: Limits;
  /** Asked when a job is put on offer, and again as long as it lies there. */
  readonly needsOf?: NeedsOf;
  /** Told in a sentence when something is wrong with what it stands on, and null when it is right again. */
  readonly onProblem: (problem: string | null) => void;
  readonly onError: (error: unknown) => void;
}

export type OpenQueue = (parts: QueueParts) => RoomQueue;
