// What delivery needs of a chat platform, and what it is given.

import type { Clock } from '../../base/index.js';
import type { DeliveryRows, Thread } from '../../store/index.js';
import type { OutgoingMessage, PostResult } from './outgoing-message.js';
import type { Limits } from './pace.js';

/** One chat platform, as far as delivery is concerned. */
export interface Carrier {
  readonly channel: string;
  /** The peer that the platform counts calls for: a forum with all its topics is one. */
  laneOf(thread: Thread): string;
  limitsOf(lane: string): Limits;
  /** For all lanes together. */
  readonly limits: Limits;
  /** What the platform counts by itself, for all lanes together: a budget for each such kind of call. */
  readonly kinds?: Readonly<Record<string, Limits>>;
  /** Of which kind its next call is; null: of none that is counted by itself. */
  kindOf?(parcel: OutgoingMessage): string | null;
  /** Its place as far as it can be relied upon while its next call is under way; null: it has none yet. */
  placeUnderWay(parcel: OutgoingMessage): string | null;
  /** Makes at most one call: the next one that brings the parcel nearer to its end. */
  post(parcel: OutgoingMessage, signal: AbortSignal): Promise<PostResult>;
  /** Asks for nothing but a sign that the platform is there, of which nobody sees anything; left out: there is no such call. */
  probe?(signal: AbortSignal): Promise<PostResult>;
  typing(thread: Thread, lane: string, signal: AbortSignal): Promise<PostResult>;
}

/** The rows that are read and written for it; each change is on disk when the call returns. */
export type CourierRows = Omit<
  DeliveryRows,
  'messageAt' | 'failed' | 'counts' | 'threadAt' | 'untold' | 'told' | 'belongTo'
>;

export interface CourierParts {
  readonly carrier: Carrier;
  readonly rows: CourierRows;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** It will never arrive, and was no mere progress. */
  readonly onFailed: (parcel: OutgoingMessage, why: string) => void;
  /** `parcel`: what it was about, where it was about one. */
  readonly onError: (error: unknown, parcel?: OutgoingMessage) => void;
  /** False once another Bosun may carry these messages: no call begins then. */
  readonly isActive?: () => boolean;
  /** How many messages of one chat wait in memory; the others wait on disk. */
  readonly maxWaiting?: number;
}
