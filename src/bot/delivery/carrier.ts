// The interface that a chat platform implements for delivery, and the parts that delivery is built from.

import type { Clock } from '../../base/index.js';
import type { DeliveryRows, Thread } from '../../store/index.js';
import type { OutgoingMessage, PostResult } from './outgoing-message.js';
import type { Limits } from './pace.js';

export interface Carrier {
  readonly channel: string;
  /** The peer that the platform rate-limits: a forum with all its topics is one lane. */
  laneOf(thread: Thread): string;
  limitsOf(lane: string): Limits;
  /** Shared by all lanes. */
  readonly limits: Limits;
  /** Extra budgets across all lanes, for kinds of calls that the platform counts separately. */
  readonly kinds?: Readonly<Record<string, Limits>>;
  /** null: the next call has no budget of its own. */
  kindOf?(parcel: OutgoingMessage): string | null;
  /** The place to store before the call, so that a crash mid-call leaves no stale edit target; null: no place yet. */
  placeUnderWay(parcel: OutgoingMessage): string | null;
  /** Makes at most one call, the next step of delivery. */
  post(parcel: OutgoingMessage, signal: AbortSignal): Promise<PostResult>;
  /** An invisible call that checks whether the platform responds. */
  probe?(signal: AbortSignal): Promise<PostResult>;
  typing(thread: Thread, lane: string, signal: AbortSignal): Promise<PostResult>;
}

/** The rows that delivery reads and writes; each change is on disk when the call returns. */
export type CourierRows = Omit<
  DeliveryRows,
  'messageAt' | 'failed' | 'counts' | 'threadAt' | 'untold' | 'told' | 'belongTo'
>;

export const usualMaxWaiting = 500;

export interface CourierParts {
  readonly carrier: Carrier;
  readonly rows: CourierRows;
  readonly clock: Clock;
  readonly random: () => number;
  /** The message failed for good. Not called for progress. */
  readonly onFailed: (parcel: OutgoingMessage, why: string) => void;
  readonly onError: (error: unknown, parcel?: OutgoingMessage) => void;
  /** False once another Bosun may deliver these messages: no call starts then. */
  readonly isActive: () => boolean;
  /** Messages per chat held in memory; the rest stay on disk. */
  readonly maxWaiting: number;
}
