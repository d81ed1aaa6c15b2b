// What came in, written down once before it is acknowledged and kept so that a second delivery is known.
import type { Database } from 'better-sqlite3';
import type { InboundBody, InboxRow, Store } from './port.js';
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

export interface Inbox extends Pick<Store, 'receive' | 'pendingInbox'> {
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
  return {
    receive(inbound) {
      const { source, externalId, thread, by, at, body } = inbound;
      const { changes, lastInsertRowid } = insert.run(source, externalId, thread, by, at, JSON.stringify(body));
      return changes === 0 ? null : { ...inbound, id: Number(lastInsertRowid) };
    },
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
