// Makes the open database of a room fail as SQLite itself does: full, locked, read-only, or with an I/O error.
import Sqlite, { type Database } from 'better-sqlite3';
import { onTestFinished, vi } from 'vitest';

export type Fault = 'full' | 'locked' | 'read-only' | 'io';

export const faults: readonly Fault[] = ['full', 'locked', 'read-only', 'io'];

/** Gives the connection that what `open` opens writes with. */
export async function catchWriter<T>(
  open: () => T | Promise<T>,
): Promise<{ readonly opened: T; readonly db: Database }> {
  const exec = vi.spyOn(Sqlite.prototype, 'exec');
  try {
    const opened = await open();
    const all = exec.mock.contexts.map((one) => one as Database);
    const db = all.findLast((one) => one.name.endsWith('/bosun.db') && !one.readonly && one.open);
    if (db === undefined) throw new Error('nothing writes a database');
    return { opened, db };
  } finally {
    exec.mockRestore();
  }
}

/** Each write fails from now on, until the function that it gives is called. */
export function beginFault(fault: Fault, db: Database): () => void {
  if (fault === 'locked') return lock(db.name);
  if (fault === 'read-only') {
    db.exec('PRAGMA query_only = ON');
    return () => void db.exec('PRAGMA query_only = OFF');
  }
  const act =
    fault === 'full' ? `INSERT INTO meta (key, value) VALUES ('filler', hex(zeroblob(500000)));` : 'SELECT fail();';
  if (fault === 'full') db.exec(`PRAGMA max_page_count = ${String(db.prepare('PRAGMA page_count').pluck().get())}`);
  else db.function('fail', ioError);
  for (const [table, on] of written)
    db.exec(`CREATE TEMP TRIGGER fault_${table}_${on} BEFORE ${on} ON main.${table} BEGIN ${act} END;`);
  return () => {
    for (const [table, on] of written) db.exec(`DROP TRIGGER fault_${table}_${on};`);
    if (fault === 'full') db.exec('PRAGMA max_page_count = 1000000');
  };
}

const tables = ['events', 'outbox', 'inbox', 'jobs', 'attempts', 'runs'];
const written = [...tables.flatMap((table) => ['INSERT', 'UPDATE'].map((on) => [table, on])), ['meta', 'UPDATE']];

/** As a backup tool does that takes its time. */
function lock(path: string): () => void {
  const other = new Sqlite(path);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('COMMIT');
    other.close();
  };
}

function ioError(): never {
  throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE');
}
