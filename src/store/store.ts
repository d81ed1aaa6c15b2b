// What the rest of dispatch needs kept. One writer; every change to disk is one `commit`.

import type { Event, State, Workflow } from '../engine/index.js';
import type { Extension, Job } from '../jobs/index.js';
import type { NewCall } from './jobs/webhook-calls.js';
import type { ChannelRequest, ChannelRequestRows } from './messages/channel-requests.js';
import type { DeliveryRows } from './messages/deliveries.js';
import type { DeliveryEndRows } from './messages/delivery-counts.js';
import type { InboxReader } from './messages/inbox.js';
import type { Message, NewMessage, Thread } from './messages/message-types.js';
import type { MessageReader } from './messages/outbox.js';
import type { ThreadReader } from './messages/threads.js';
import type { BrowsingRows } from './runs/browsing.js';
import type { RecordReader } from './runs/chain-records.js';
import type { CountRows } from './runs/counts.js';
import type { HistoryReader } from './runs/history.js';
import type { PageRows } from './runs/paging.js';
import type { RunReader } from './runs/run-rows.js';
import type { AttemptSpending, StoredRecord } from './runs/run-types.js';
import type { SpendingReader } from './runs/spending.js';

/** The whole of one flush. */
export interface Batch {
  readonly events: readonly Event[];
  /** What each touched run and chain was and became; rows are told apart by reference. */
  readonly states: readonly { readonly before: State | null; readonly after: State }[];
  readonly snapshots: readonly { readonly hash: string; readonly workflow: Workflow }[];
  readonly jobs: readonly Job[];
  /** What is wanted of jobs that may be at work; on record before anybody tells their workers. */
  readonly cancels?: readonly string[];
  readonly extensions?: readonly Extension[];
  readonly messages: readonly NewMessage[];
  readonly threads: readonly Thread[];
  readonly follows: readonly { readonly run: string; readonly thread: string }[];
  readonly inboxDone: readonly number[];
  readonly records?: readonly StoredRecord[];
  readonly spent?: readonly AttemptSpending[];
  /** What addresses outside are told of it. */
  readonly calls?: readonly NewCall[];
  /** What only a channel can do, and which of that is done. */
  readonly wants?: readonly ChannelRequest[];
  readonly wantsDone?: readonly number[];
  /** Threads that know of an outage; null: it is over, and they know that too. */
  readonly outage?: readonly string[] | null;
}

export interface Store
  extends HistoryReader,
    RecordReader,
    RunReader,
    SpendingReader,
    InboxReader,
    MessageReader,
    ThreadReader {
  /**
   * Written and synced when it returns, or nothing of it is. Gives for each new message the one that is stored, in the
   * same order. An edit of a card that changes nothing is not stored again: it gives the message that the card shows,
   * whose id is an old one.
   */
  commit(batch: Batch): readonly Message[];

  /** What is carried to chat platforms, and how far it got. */
  readonly deliveries: DeliveryRows & DeliveryEndRows;
  /** What channels still have to do. */
  readonly wants: ChannelRequestRows;
  /** What pages for people ask. */
  readonly browsing: BrowsingRows;
  /** How much is under way. */
  readonly counts: CountRows;
  /** Long lists in pieces. */
  readonly pages: PageRows;

  readonly homeId: string;
  readonly path: string;
  /** False once another Bosun may have taken over; what writes throws then. */
  isActive(): boolean;
  close(): void;
}
