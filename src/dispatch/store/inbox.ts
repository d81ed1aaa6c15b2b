// What came in, written down once before it is acknowledged and kept so that a second delivery is known.
import type { Database } from 'better-sqlite3';
import type { Inbound, InboundBody, InboxRow, Store } from './port.js';
import { parsed } from './rows.js';

interface Row {
  readonly id: number;
  readonly source: string;
  readonly external_id: string;
  readonly thread: string;
  readonly by: string | null;
  readonly at: number;
  readonly body: string;
}

export interface Inbox extends Pick<Store, 'receive' | 'isKnown' | 'pendingInbox'> {
  done(ids: readonly number[]): void;
}

export function inbox(db: Database): Inbox {
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
  const isKnown = (source: string, externalId: string) => known.get(source, externalId) !== undefined;
  const receive = db.transaction((inbound: Inbound): InboxRow | null => {
    const { aliases = [], ...own } = inbound;
    const { source, externalId, thread, by, at, body } = own;
    const others = [...new Set(aliases)].filter((id) => id !== externalId);
    if (others.some((id) => isKnown(source, id))) return null;
    const { changes, lastInsertRowid } = insert.run(source, externalId, thread, by, at, JSON.stringify(body));
    if (changes === 0) return null;
    // The row of another id says only whose it is: the work is the first one's.
    for (const id of others) alias.run(source, id, thread, by, at, JSON.stringify({ sameAs: externalId }));
    return { ...own, id: Number(lastInsertRowid) };
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
