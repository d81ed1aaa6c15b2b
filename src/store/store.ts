import type { Event, State, Workflow } from '../engine/index.js';
import type { Extension, Job } from '../jobs/index.js';
import type { NewCall } from './jobs/webhook-calls.js';
import type { ChannelRequest, ChannelRequestRows } from './messages/channel-requests.js';
import type { DeliveryRows } from './messages/deliveries.js';
import type { DeliveryEndRows } from './messages/delivery-counts.js';
import type { InboxRows } from './messages/inbox.js';
import type { Message, NewMessage, Thread } from './messages/message-types.js';
import type { MessageReader } from './messages/outbox.js';
import type { ThreadReader } from './messages/threads.js';
import type { BrowsingRows } from './runs/browsing.js';
import type { RecordReader } from './runs/chain-records.js';
import type { CountRows } from './runs/counts.js';
import type { HistoryReader } from './runs/history.js';
import type { PageRows } from './runs/paging.js';
import type { RunReader, RunRows } from './runs/run-rows.js';
import type { AttemptSpending, StoredRecord } from './runs/run-types.js';
import type { SpendingReader } from './runs/spending.js';

/** Null: the outage is over and all threads know. */
export interface OutageNews {
  readonly told: readonly string[] | null;
}

export interface Batch {
  readonly events: readonly Event[];
  /** Unchanged rows share their reference. */
  readonly states: readonly { readonly before: State | null; readonly after: State }[];
  readonly snapshots: readonly { readonly hash: string; readonly workflow: Workflow }[];
  readonly jobs: readonly Job[];
  readonly cancels: readonly string[];
  readonly extensions: readonly Extension[];
  readonly messages: readonly NewMessage[];
  readonly threads: readonly Thread[];
  readonly follows: readonly { readonly run: string; readonly thread: string }[];
  readonly inboxDone: readonly number[];
  readonly records: readonly StoredRecord[];
  readonly spent: readonly AttemptSpending[];
  readonly calls: readonly NewCall[];
  readonly wants: readonly ChannelRequest[];
  readonly wantsDone: readonly number[];
  readonly outage: OutageNews | null;
}

export interface HomeReader
  extends HistoryReader,
    RecordReader,
    RunReader,
    SpendingReader,
    MessageReader,
    ThreadReader {
  readonly browsing: BrowsingRows;
  readonly counts: CountRows;
  readonly pages: PageRows;
  readonly homeId: string;
  readonly path: string;
}

/** For dispatch; bot and web name the smaller ports that they use. */
export interface Store extends HomeReader, RunRows, InboxRows {
  /** Atomic and synced. Returns a message per new one; for an unchanged card edit, the one already shown. */
  commit(batch: Batch): readonly Message[];

  readonly deliveries: DeliveryRows & DeliveryEndRows;
  readonly wants: ChannelRequestRows;

  /** False: another Bosun may be active, and writes throw. */
  isActive(): boolean;
  close(): void;
}
