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

/** Told threads; null: over, and they know. */
export interface OutageNews {
  readonly told: readonly string[] | null;
}

export interface Batch {
  readonly events: readonly Event[];
  /** Before and after; unchanged rows by reference. */
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
  /** New ones, and rows of finished ones. */
  readonly wants: readonly ChannelRequest[];
  readonly wantsDone: readonly number[];
  readonly outage: OutageNews | null;
}

/** All that may be read of runs, messages and threads, and nothing that changes them. */
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

/** All of it, as dispatch has it; bot and web name the ports that they use. */
export interface Store extends HomeReader, RunRows, InboxRows {
  /** Atomic and synced. A message per new one; an unchanged card edit returns the one shown. */
  commit(batch: Batch): readonly Message[];

  readonly deliveries: DeliveryRows & DeliveryEndRows;
  readonly wants: ChannelRequestRows;

  /** False: another Bosun may act, and writes throw. */
  isActive(): boolean;
  close(): void;
}
