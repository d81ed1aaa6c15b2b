// One process writes bosun.db; others may read.
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { JobRows } from '../jobs/index.js';
import { type Checkpoints, checkpointSettings, checkpoints } from './file/checkpoints.js';
import { connect, readPragma, setPragma } from './file/connection.js';
import { epochFence, gated, inactive } from './file/epoch.js';
import { fileGate } from './file/file-gate.js';
import { inspection } from './file/inspection.js';
import { migrate, requireCurrent } from './file/migrations.js';
import { holdWriting } from './file/sole-writer.js';
import { explained, guarded } from './file/sqlite-failure.js';
import { type JobWriter, jobRows } from './jobs/job-rows.js';
import { type CallRows, type CallWriter, callRows } from './jobs/webhook-calls.js';
import { type ChannelRequestRows, type ChannelRequestWriter, wantRows } from './messages/channel-requests.js';
import { deliveryRows } from './messages/deliveries.js';
import { countedDeliveries } from './messages/delivery-counts.js';
import { type Inbox, inbox } from './messages/inbox.js';
import type { Message } from './messages/message-types.js';
import { type Outbox, outbox } from './messages/outbox.js';
import type { ThreadCodec } from './messages/thread-places.js';
import { type OutageRows, type OutageWriter, outageRows, type Threads, threads } from './messages/threads.js';
import { type BrowsingRows, browsingRows } from './runs/browsing.js';
import { type RecordRows, recordRows } from './runs/chain-records.js';
import { type CountRows, countRows } from './runs/counts.js';
import { type History, history } from './runs/history.js';
import { type PageRows, pageRows } from './runs/paging.js';
import { runReader } from './runs/run-rows.js';
import { type SpendingRows, spendingRows } from './runs/spending.js';
import { stateWriter } from './runs/write-states.js';
import type { Batch, Store } from './store.js';

export interface OpenOptions {
  /** A message in a thread of no channel is only read. */
  readonly threads: readonly ThreadCodec[];
  /** Stored at the first opening, random if absent; later the stored one. */
  readonly homeId?: string;
  readonly readonly?: boolean;
  readonly maxBytes?: number;
  /** False: another Bosun may act. Nothing is written or handed out. */
  readonly isActive?: () => boolean;
  /** Before the caller sees it. */
  readonly onFailure?: (error: unknown) => void;
  /** Once on disk. */
  readonly onWritten?: () => void;
}

export interface SqliteStore extends Store {
  readonly jobs: JobRows;
  readonly calls: CallRows;
  readonly outage: OutageRows;
  /** After a throw nothing is written. */
  checkFile(): void;
  /** Writes without effect, to test writing. */
  probe(): void;
}

const busyTimeoutMs = 5_000;
/** SQLite waits on the event loop, so briefly; callers retry. */
const liveBusyTimeoutMs = 100;
// Page splits make SQLite walk its cache: larger costs more.
const cacheKiB = 16_384;
const walKeptBytes = 64 * 1024 * 1024;

export function openStore(path: string, options: OpenOptions): SqliteStore {
  let db: Database | null = null;
  let giveBack: () => void = () => undefined;
  try {
    if (options.readonly !== true) giveBack = holdWriting(path);
    db = options.readonly === true ? openReader(path) : openWriter(path, options);
    const opened = store(db, path, options);
    return { ...opened, close: () => closeBoth(opened.close, giveBack) };
  } catch (error) {
    db?.close();
    giveBack();
    throw explained(error, path);
  }
}

function closeBoth(close: () => void, giveBack: () => void): void {
  close();
  giveBack();
}

function openReader(path: string): Database {
  const db = connect(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  return prepared(db, () => requireCurrent(db, path));
}

/** Exported for the store's own tests too; other code needs no bare connection. */
export function openWriter(path: string, options: Pick<OpenOptions, 'maxBytes'>): Database {
  // Here, so that others can never read it; side files get the same mode.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const db = connect(path, { timeout: busyTimeoutMs });
  return prepared(db, () => {
    setPragma(db, 'journal_mode', 'WAL');
    setPragma(db, 'synchronous', 'FULL');
    setPragma(db, 'cache_size', -cacheKiB);
    setPragma(db, 'foreign_keys', 'ON');
    setPragma(db, 'journal_size_limit', walKeptBytes);
    migrate(db, path);
    if (options.maxBytes !== undefined) limitSize(db, options.maxBytes);
    setPragma(db, 'busy_timeout', liveBusyTimeoutMs);
  });
}

function prepared(db: Database, prepare: () => void): Database {
  try {
    prepare();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function limitSize(db: Database, maxBytes: number): void {
  const pageBytes = readPragma(db, 'page_size');
  setPragma(db, 'max_page_count', Math.max(1, Math.floor(maxBytes / pageBytes)));
}

function store(db: Database, path: string, options: OpenOptions): SqliteStore {
  const { homeId, isActive, onFailure, onWritten = () => undefined } = options;
  const chats = threads(db, options.threads);
  const deliveries = countedDeliveries(db, deliveryRows(db, chats.placed));
  const parts: Parts = {
    history: history(db),
    inbox: inbox(db),
    jobs: jobRows(db),
    calls: callRows(db),
    deliveries,
    outbox: outbox(db, deliveries),
    records: recordRows(db),
    spending: spendingRows(db),
    threads: chats,
    wants: wantRows(db),
    outage: outageRows(db),
  };
  const whole: Omit<
    SqliteStore,
    | 'homeId'
    | 'path'
    | 'isActive'
    | 'jobs'
    | 'calls'
    | 'deliveries'
    | 'wants'
    | 'outage'
    | 'browsing'
    | 'counts'
    | 'pages'
    | 'checkFile'
    | 'probe'
    | 'close'
  > = {
    ...runReader(db, path),
    ...pick(parts),
    commit: committer(db, parts),
  };
  const inside = inspection(db, path);
  const thread: Checkpoints | null = db.readonly ? null : checkpoints(db, path, checkpointSettings);
  const gate =
    thread === null
      ? null
      : fileGate(path, {
          inspect: inside.inspect,
          isWriting: thread.isAtWork,
          onFailure: onFailure ?? (() => undefined),
        });
  const guard = <T extends object>(part: T) => allGuarded(path, part, gate?.note ?? onFailure);
  const file = { checkFile: () => gate?.check() };
  const { checkFile } = guard<typeof file>(file);
  const held = <T extends object>(part: T) => gated(guard(part), mayWriteOf(isActive, checkFile));
  const written = <A extends unknown[], R>(act: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      const result = act(...args);
      thread?.committed();
      onWritten();
      return result;
    };
  };
  const { commit, receive, setCheckpoint } = whole;
  const watched = { commit: written(commit), receive: written(receive), setCheckpoint: written(setCheckpoint) };
  const probing = { probe: written(prober(db)) };
  const kept = keptHomeId(db, homeId ?? null);
  gate?.begin();
  return {
    ...guard(whole),
    ...held<typeof watched>(watched),
    jobs: held(parts.jobs),
    calls: held(parts.calls),
    deliveries: held<Store['deliveries']>(parts.deliveries),
    counts: guard<CountRows>(countRows(db)),
    pages: guard<PageRows>(pageRows(db)),
    wants: guard<ChannelRequestRows>({ open: parts.wants.open }),
    outage: guard<OutageRows>({ told: parts.outage.told }),
    browsing: guard<BrowsingRows>(browsingRows(db)),
    checkFile,
    ...held<typeof probing>(probing),
    homeId: kept,
    isActive: isActive ?? (() => true),
    path,
    close: () => {
      thread?.close();
      inside.close();
      db.close();
    },
  };
}

interface Parts {
  readonly history: History;
  readonly inbox: Inbox;
  readonly jobs: JobRows & JobWriter;
  readonly calls: CallRows & CallWriter;
  readonly deliveries: ReturnType<typeof countedDeliveries>;
  readonly outbox: Outbox;
  readonly records: RecordRows;
  readonly spending: SpendingRows;
  readonly threads: Threads;
  readonly wants: ChannelRequestRows & ChannelRequestWriter;
  readonly outage: OutageRows & OutageWriter;
}

function pick(parts: Parts) {
  const { history: events, inbox: received, outbox: messages, records: lines, spending: money, threads: chats } = parts;
  return {
    events: events.events,
    newestEvents: events.newestEvents,
    auditBreak: events.auditBreak,
    auditWalk: events.auditWalk,
    receive: received.receive,
    isKnown: received.isKnown,
    pendingInbox: received.pendingInbox,
    message: messages.message,
    messages: messages.messages,
    recent: messages.recent,
    cardMessage: messages.cardMessage,
    asking: messages.asking,
    records: lines.records,
    spending: money.spending,
    costsOfRun: money.costsOfRun,
    thread: chats.thread,
    placed: chats.placed,
    followers: chats.followers,
  };
}

function committer(db: Database, parts: Parts): (batch: Batch) => readonly Message[] {
  const writeStates = stateWriter(db);
  const snapshot = db.prepare('INSERT INTO snapshots (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
  const fence = epochFence(db);
  const write = db.transaction((batch: Batch) => {
    fence();
    for (const { hash, workflow } of batch.snapshots) snapshot.run(hash, JSON.stringify(workflow));
    writeStates(batch.states);
    const onDisk = parts.history.append(batch.events);
    parts.records.append(batch.records);
    parts.spending.add(batch.spent);
    parts.jobs.insert(batch.jobs);
    parts.jobs.cancel(batch.cancels);
    parts.jobs.extend(batch.extensions);
    parts.threads.put(batch.threads);
    parts.threads.follow(batch.follows);
    parts.inbox.done(batch.inboxDone);
    parts.calls.append(batch.calls);
    parts.wants.append(batch.wants);
    parts.wants.end(batch.wantsDone);
    if (batch.outage !== null) parts.outage.put(batch.outage.told);
    return { messages: parts.outbox.append(batch.messages), onDisk };
  });
  return (batch) => {
    const { messages, onDisk } = write.immediate(batch);
    onDisk();
    return messages;
  };
}

export function keptHomeId(db: Database, homeId: string | null): string {
  const get = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'home_id'`);
  const known = get.get()?.value;
  if (known !== undefined || db.readonly) return known ?? '';
  const drawn = homeId ?? randomBytes(3).toString('hex');
  db.prepare(`INSERT INTO meta (key, value) VALUES ('home_id', ?)`).run(drawn);
  return drawn;
}

function prober(db: Database): () => void {
  const touch = db.prepare(`UPDATE meta SET value = value WHERE key = 'home_id'`);
  return () => void touch.run();
}

function allGuarded<T extends object>(path: string, part: T, onFailure?: (error: unknown) => void): T {
  const entries = Object.entries(part).map(([name, act]) => [name, guarded(path, act, onFailure)]);
  return Object.fromEntries(entries) as T;
}

function mayWriteOf(isActive: (() => boolean) | undefined, checkFile: () => void): () => void {
  return () => {
    checkFile();
    if (isActive?.() === false) throw inactive('another may have taken over');
  };
}
