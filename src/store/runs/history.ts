// A hash over all earlier events seals each event.
import { hash as hashOf } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { BosunError } from '../../base/index.js';
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

/** Events of archived runs, which have no row. */
export interface ArchivedEvents {
  runsAround(seq: number): readonly string[];
  eventsOf(run: string): readonly (readonly (string | number | null)[])[];
}

export function history(db: Database, archived: ArchivedEvents): History {
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
      const steps = walk(db, archived);
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value;
      }
    }),
    auditWalk: () => walk(db, archived),
  };
}

const walkedAtOnce = 500;

function* walk(db: Database, archived: ArchivedEvents): Generator<undefined, AuditBreak | null> {
  let last = genesis;
  let walked = 0;
  for (const next of sealedRows(db, archived)) {
    if (typeof next === 'string') return { seq: last.seq + 1, why: next };
    const why = unsound(next, last);
    if (why !== null) return { seq: next.seq, why };
    last = { seq: next.seq, hash: next.hash };
    walked += 1;
    if (walked % walkedAtOnce === 0) yield;
  }
  if (walked % walkedAtOnce > 0) yield;
  const kept = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'audit_head'`).get();
  const head = kept === undefined ? genesis : parsed<Head>(kept.value);
  if (head.seq === last.seq && head.hash === last.hash) return null;
  return { seq: last.seq, why: `the newest event should be ${head.seq}: events are missing or were added` };
}

/** In order, those of archived runs between the rows; or why a file cannot be read. The newest event is a row. */
function* sealedRows(db: Database, archived: ArchivedEvents): Generator<SealedRow | string> {
  const after = db.prepare<[number, number], SealedRow>(
    `SELECT ${columns}, hash FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const archivedAt = archivedRows(archived);
  let seq = 0;
  for (let rows = after.all(0, walkedAtOnce); rows.length > 0; rows = after.all(seq, walkedAtOnce)) {
    for (const row of rows) {
      for (let found = seq + 1 < row.seq ? archivedAt(seq + 1) : null; found !== null; found = archivedAt(seq + 1)) {
        yield found;
        seq += 1;
        if (seq + 1 === row.seq) break;
      }
      yield row;
      seq = row.seq;
    }
  }
}

/** The row, null, or why a file cannot be read. Holds the events of runs that were under way at the same time. */
function archivedRows({ runsAround, eventsOf }: ArchivedEvents): (seq: number) => SealedRow | string | null {
  const held = new Map<number, SealedRow>();
  const loaded = new Set<string>();
  return (seq) => {
    try {
      const others = held.has(seq) ? [] : runsAround(seq).filter((run) => !loaded.has(run));
      for (const run of others) {
        loaded.add(run);
        for (const row of eventsOf(run).map(sealedRow)) if (row.seq >= seq) held.set(row.seq, row);
      }
    } catch (error) {
      if (error instanceof BosunError) return error.message;
      throw error;
    }
    const found = held.get(seq) ?? null;
    held.delete(seq);
    return found;
  };
}

function sealedRow([seq, run, chain, type, at, by, payload, hash]: readonly (string | number | null)[]): SealedRow {
  return {
    ...{ seq: Number(seq), run: String(run), chain: String(chain), type: String(type), at: Number(at) },
    ...{ by: by === null || by === undefined ? null : String(by), payload: String(payload), hash: String(hash) },
  };
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
