import type { Clock } from '../../base/index.js';
import type { DeliveryRows, Thread } from '../../store/index.js';
import type { OutgoingMessage, PostResult } from './outgoing-message.js';
import type { Limits } from './pace.js';

export interface Carrier {
  readonly channel: string;
  /** The rate limit's unit: a forum is one lane with its topics. */
  laneOf(thread: Thread): string;
  limitsOf(lane: string): Limits;
  readonly limits: Limits;
  /** Kinds that the platform limits separately, across all lanes. */
  readonly kinds?: Readonly<Record<string, Limits>>;
  kindOf?(parcel: OutgoingMessage): string | null;
  /** Stored before the call, so that a crash leaves no stale edit target; null: none yet. */
  placeUnderWay(parcel: OutgoingMessage): string | null;
  /** At most one call: the next step. */
  post(parcel: OutgoingMessage, signal: AbortSignal): Promise<PostResult>;
  probe?(signal: AbortSignal): Promise<PostResult>;
  typing(thread: Thread, lane: string, signal: AbortSignal): Promise<PostResult>;
}

/** Each change is on disk at the return. */
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
  /** Failed for good; not called for progress. */
  readonly onFailed: (parcel: OutgoingMessage, why: string) => void;
  readonly onError: (error: unknown, parcel?: OutgoingMessage) => void;
  /** False: another Bosun may deliver, so no call starts. */
  readonly isActive: () => boolean;
  /** Per chat in memory; the rest is on disk. */
  readonly maxWaiting: number;
}
