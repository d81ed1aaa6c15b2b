// What the rest of dispatch needs kept. One writer; every change to disk is one `commit`.
import type { Attempt, Effect, Event, Interaction, Item, Run, State, Workflow } from '../../engine/index.js';
import type { Job } from '../job.js';
import type { BrowsingRows } from './browsing.js';
import type { NewCall } from './calls.js';
import type { CountRows } from './counts.js';
import type { DeliveryRows } from './deliveries.js';
import type { DeliveryEndRows } from './delivery-ends.js';
import type { HistoryReader } from './history.js';
import type { InboxReader } from './inbox.js';
import type { Extension } from './jobs.js';
import type { MessageReader } from './outbox.js';
import type { PageRows } from './paging.js';
import type { RecordReader } from './records.js';
import type { RunReader } from './runs.js';
import type { SpendingReader } from './spending.js';
import type { ThreadReader } from './threads.js';
import type { Want, WantRows } from './wants.js';

/** Where messages go and come from: one chat, or one topic or thread in it. */
export interface Thread {
  readonly id: string;
  readonly channel: string;
  /** What the channel's adapter needs to find the place again. */
  readonly address: Readonly<Record<string, string>>;
  /** The project that was chosen here with `use`. */
  readonly project: string | null;
  readonly quiet: boolean;
}

export interface Button {
  readonly label: string;
  /** `i12-3.approve` for an interaction, `m31.0` for a message's own offer. */
  readonly press: string;
}

/** A message without markup. Lines are plain text; a channel's adapter renders them. */
export interface View {
  readonly kind: string;
  readonly text: string;
  readonly buttons: readonly Button[];
  /** What each of the message's own buttons says when pressed, as if it had been typed. */
  readonly offers: readonly string[];
  readonly rings: boolean;
  /** Long output goes as a file beside the text. */
  readonly file: { readonly name: string; readonly text: string } | null;
}

export interface NewMessage {
  readonly thread: string;
  readonly run: string | null;
  readonly interaction: string | null;
  /** Messages of one card replace each other: the next one edits the last. */
  readonly card: string | null;
  readonly view: View;
  readonly at: number;
}

export interface Message extends NewMessage {
  /** `m31`. */
  readonly id: string;
  readonly edits: string | null;
}

export interface Inbound {
  /** Unique for its source: the platform's own id, or one that the sender drew. */
  readonly source: string;
  readonly externalId: string;
  readonly thread: string;
  readonly by: string | null;
  readonly body: InboundBody;
  readonly at: number;
  /** Other ids of the same message: a copy may come under any one of them. */
  readonly aliases?: readonly string[];
}

export type InboundBody =
  | { readonly type: 'text'; readonly text: string; readonly replyTo: string | null }
  | { readonly type: 'press'; readonly press: string; readonly text: string | null }
  | { readonly type: 'command'; readonly name: string; readonly args: unknown };

export interface InboxRow extends Inbound {
  readonly id: number;
}

export interface AuditBreak {
  readonly seq: number;
  readonly why: string;
}

export interface StoredEvent {
  readonly seq: number;
  readonly event: Event;
}

/** A line of a chain's history, with when it was and who caused it. */
export interface StoredRecord {
  readonly run: string;
  /** Empty for the run's own chain. */
  readonly chain: string;
  readonly at: number;
  /** null: nobody in particular. */
  readonly by: string | null;
  readonly record: Extract<Effect, { type: 'record' }>['record'];
}

export interface AttemptRow {
  readonly attempt: Attempt;
  readonly run: string;
  readonly chain: string;
  readonly node: string;
  readonly checkpoint: string | null;
}

/** What an attempt cost, when it came back. */
export interface Spent extends Sum {
  readonly project: string;
  readonly at: number;
  /** Whose day it counts for; null or left out: the machine's. */
  readonly zone?: string | null;
  /** Of an attempt that was settled without its cost: its row is told. */
  readonly late?: { readonly attempt: string; readonly costUsd: number | null };
}

export interface Sum {
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** Of a project: on the day of a moment, on the last seven with that one, and of all time. */
export interface Spending {
  readonly today: Sum;
  readonly week: Sum;
  readonly ever: Sum;
}

/** All attempts of one node; a cost of null: none of them told any. */
export interface NodeCost {
  readonly chain: string;
  readonly node: string;
  readonly attempts: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

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
  readonly spent?: readonly Spent[];
  /** What addresses outside are told of it. */
  readonly calls?: readonly NewCall[];
  /** What only a channel can do, and which of that is done. */
  readonly wants?: readonly Want[];
  readonly wantsDone?: readonly number[];
  /** Threads that know of an outage; null: it is over, and they know that too. */
  readonly outage?: readonly string[] | null;
}

export interface Spine {
  readonly run: Run;
  readonly items: readonly Item[];
  readonly interactions: readonly Interaction[];
  readonly workflow: Workflow;
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
  readonly wants: WantRows;
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
