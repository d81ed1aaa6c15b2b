// A hash over all earlier events seals each event.
import { hash as hashOf } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Event } from '../../engine/index.js';
import { parsed } from '../file/json-column.js';
import { eventShape } from './row-shapes.js';
import type { AuditBreak, StoredEvent } from './run-types.js';

interface Head {
  readonly seq: number;
  readonly hash: string;
}

interface EventRow {
  readonly seq: number;
  readonly run: string;
  readonly chain: string;
  readonly type: string;
  readonly at: number;
  readonly by: string | null;
  readonly payload: string;
}

type SealedRow = EventRow & { readonly hash: string };

export interface HistoryReader {
  events(run: string, afterSeq: number, limit: number): readonly StoredEvent[];
  /** Oldest first. */
  newestEvents(run: string, limit: number): readonly StoredEvent[];
  /** Null: intact. */
  auditBreak(): AuditBreak | null;
  /** Yields between batches, for other work on the event loop. */
  auditWalk(): Generator<undefined, AuditBreak | null>;
}

export interface History extends HistoryReader {
  /** Call the result once the transaction is on disk. */
  append(events: readonly Event[]): () => void;
}

const columns = 'seq, run, chain, type, at, "by", payload';
const genesis: Head = { seq: 0, hash: '' };

export function history(db: Database): History {
  const insert = db.prepare(`INSERT INTO events (${columns}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const ofRun = db.prepare<[string, number, number], EventRow>(
    `SELECT ${columns} FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const newestOfRun = db.prepare<[string, number], EventRow>(
    `SELECT ${columns} FROM events WHERE run = ? ORDER BY seq DESC LIMIT ?`,
  );
  const newest = db.prepare<[], Head>('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1');
  // The head is stored apart, so that removing the newest events is detected too.
  const setHead = db.prepare(
    `INSERT INTO meta (key, value) VALUES ('audit_head', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  let head = newest.get() ?? genesis;

  return {
    append(events) {
      let last = head;
      for (const event of events) {
        const row = rowOf(event, last.seq + 1);
        const hash = seal(last.hash, row);
        insert.run(row.seq, row.run, row.chain, row.type, row.at, row.by, row.payload, hash);
        last = { seq: row.seq, hash };
      }
      if (last !== head) setHead.run(JSON.stringify(last));
      return () => {
        head = last;
      };
    },
    events: (run, afterSeq, limit) => ofRun.all(run, afterSeq, limit).map(storedEvent),
    newestEvents: (run, limit) => newestOfRun.all(run, limit).reverse().map(storedEvent),
    auditBreak: db.transaction(() => {
      const steps = walk(db);
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value;
      }
    }),
    auditWalk: () => walk(db),
  };
}

const walkedAtOnce = 500;

function* walk(db: Database): Generator<undefined, AuditBreak | null> {
  const after = db.prepare<[number, number], SealedRow>(
    `SELECT ${columns}, hash FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  let last = genesis;
  for (let rows = after.all(0, walkedAtOnce); rows.length > 0; rows = after.all(last.seq, walkedAtOnce)) {
    for (const row of rows) {
      const why = unsound(row, last);
      if (why !== null) return { seq: row.seq, why };
      last = { seq: row.seq, hash: row.hash };
    }
    yield;
  }
  const kept = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'audit_head'`).get();
  const head = kept === undefined ? genesis : parsed<Head>(kept.value);
  if (head.seq === last.seq && head.hash === last.hash) return null;
  return { seq: last.seq, why: `the newest event should be ${head.seq}: events are missing or were added` };
}

function unsound(row: SealedRow, last: Head): string | null {
  if (row.seq !== last.seq + 1) return `the event before it is ${last.seq}: events are missing`;
  return seal(last.hash, row) === row.hash ? null : 'its hash does not match its content and the events before it';
}

function rowOf(event: Event, seq: number): EventRow {
  const { run, chain, type, at } = event;
  return { seq, run, chain, type, at, by: 'by' in event ? event.by : null, payload: eventShape.write(event) };
}

function seal(previous: string, row: EventRow): string {
  const { seq, run, chain, type, at, by, payload } = row;
  return hashOf('sha256', previous + JSON.stringify([seq, run, chain, type, at, by]) + payload, 'hex');
}

function storedEvent(row: EventRow): StoredEvent {
  return { seq: row.seq, event: eventShape.read(row.payload) };
}
