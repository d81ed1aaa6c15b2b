// Stored before they are acknowledged. Kept for a week, longer than platforms redeliver.
import type { Database } from 'better-sqlite3';
import { parsed } from '../file/json-column.js';
import type { Inbound, InboundBody, InboxRow } from './message-types.js';

interface Row {
  readonly id: number;
  readonly source: string;
  readonly external_id: string;
  readonly thread: string;
  readonly by: string | null;
  readonly at: number;
  readonly body: string;
}

export interface InboxRows {
  /** Null: a duplicate. Synced to disk on return. */
  receive(inbound: Inbound): InboxRow | null;
  isKnown(source: string, externalId: string): boolean;
  pendingInbox(): readonly InboxRow[];
}

export interface Inbox extends InboxRows {
  done(ids: readonly number[]): void;
}

const keptMs = 7 * 24 * 3_600_000;
/** Kept at any age: a wrong clock must not revive duplicates. */
const keptRows = 5_000;
const pruneEvery = 100;
const prunedRows = 300;

export function inbox(db: Database, kept = { ms: keptMs, rows: keptRows }): Inbox {
  const insert = db.prepare(
    `INSERT INTO inbox (source, external_id, thread, "by", at, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (source, external_id) DO NOTHING`,
  );
  const pending = db.prepare<[], Row>(
    'SELECT id, source, external_id, thread, "by", at, body FROM inbox INDEXED BY inbox_pending WHERE done = 0 ORDER BY id',
  );
  const finish = db.prepare<[number]>('UPDATE inbox SET done = 1 WHERE id = ?');
  const known = db.prepare<[string, string], { id: number }>(
    'SELECT id FROM inbox WHERE source = ? AND external_id = ?',
  );
  const alias = db.prepare(
    `INSERT INTO inbox (source, external_id, thread, "by", at, done, body) VALUES (?, ?, ?, ?, ?, 1, ?)`,
  );
  const prune = pruner(db, kept);
  const isKnown = (source: string, externalId: string) => known.get(source, externalId) !== undefined;
  const receive = db.transaction((inbound: Inbound): InboxRow | null => {
    const { aliases = [], ...own } = inbound;
    const { source, externalId, thread, by, at, body } = own;
    const others = [...new Set(aliases)].filter((id) => id !== externalId);
    if (others.some((id) => isKnown(source, id))) return null;
    const { changes, lastInsertRowid } = insert.run(source, externalId, thread, by, at, JSON.stringify(body));
    if (changes === 0) return null;
    // Only marks the id as known; the first row has the message.
    for (const id of others) alias.run(source, id, thread, by, at, JSON.stringify({ sameAs: externalId }));
    const id = Number(lastInsertRowid);
    prune(id, at);
    return { ...own, id };
  });
  return {
    receive: (inbound) => receive.immediate(inbound),
    isKnown,
    pendingInbox: () => pending.all().map(inboxRow),
    done(ids) {
      for (const id of ids) finish.run(id);
    },
  };
}

function inboxRow(row: Row): InboxRow {
  const { external_id: externalId, body, ...rest } = row;
  return { ...rest, externalId, body: parsed<InboundBody>(body) };
}

/** Ids grow with time: examines only the oldest finished ones. */
function pruner(db: Database, kept: { readonly ms: number; readonly rows: number }): (id: number, now: number) => void {
  const remove = db.prepare<[number, number, number]>(
    `DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE id <= ? AND done = 1 ORDER BY id LIMIT ?) AND at < ?`,
  );
  let received = 0;
  return (id, now) => {
    received += 1;
    if (received % pruneEvery === 1) remove.run(id - kept.rows, prunedRows, now - kept.ms);
  };
}
