// Writes a batch of all kinds of rows in one transaction.
import type { Database } from 'better-sqlite3';
import type { JobRows } from '../jobs/index.js';
import { type ArchivedRuns, archivedRuns } from './archive/archives.js';
import { routed } from './archive/routed.js';
import { epochFence } from './file/epoch.js';
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
import { type RecordRows, recordRows } from './runs/chain-records.js';
import { type History, history } from './runs/history.js';
import { type SpendingRows, spendingRows } from './runs/spending.js';
import { stateWriter } from './runs/write-states.js';
import type { Batch } from './store.js';

export interface StoreParts {
  readonly archived: ArchivedRuns;
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

export function storeParts(db: Database, path: string, codecs: readonly ThreadCodec[]): StoreParts {
  const archived = archivedRuns(db, path);
  const { shelfOf } = archived;
  const chats = threads(db, codecs);
  const deliveries = countedDeliveries(db, deliveryRows(db, chats.placed));
  return {
    archived,
    history: routed(db, shelfOf, (from) => history(from, archived), ['events', 'newestEvents']),
    inbox: inbox(db),
    jobs: jobRows(db),
    calls: callRows(db),
    deliveries,
    outbox: outbox(db, deliveries),
    records: routed(db, shelfOf, recordRows, ['records']),
    spending: routed(db, shelfOf, spendingRows, ['costsOfRun']),
    threads: chats,
    wants: wantRows(db),
    outage: outageRows(db),
  };
}

export function readers(parts: StoreParts) {
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

export function committer(db: Database, parts: StoreParts): (batch: Batch) => readonly Message[] {
  const writeStates = stateWriter(db);
  const snapshot = db.prepare('INSERT INTO snapshots (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
  const fence = epochFence(db);
  const write = db.transaction((batch: Batch) => {
    fence();
    parts.archived.restore(
      new Set([...batch.states.map(({ after }) => after.run.id), ...batch.events.map(({ run }) => run)]),
    );
    for (const { hash, workflow } of batch.snapshots) snapshot.run(hash, JSON.stringify(workflow));
    writeStates(batch.states);
    const sealed = parts.history.append(batch.events);
    parts.records.append(batch.records);
    parts.spending.add(batch.spent);
    const exchanged = parts.jobs.writeExchanges();
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
    return { messages: parts.outbox.append(batch.messages), onDisk: [sealed, exchanged] };
  });
  return (batch) => {
    const { messages, onDisk } = write.immediate(batch);
    for (const note of onDisk) note();
    return messages;
  };
}
