// Makes the open database of a room fail: for a moment, as SQLite itself does when it is full, locked, read-only or meets an
// I/O error; or for good, when its file is deleted, replaced or damaged.
import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
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
    const opening = open();
    // Without a wait where none is needed: rooms that are opened side by side must not see each other's connections.
    const opened = opening instanceof Promise ? await opening : opening;
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

export type Damage = 'vanished' | 'replaced' | 'corrupt';

/** What is said of the file afterwards. */
export const damages: Readonly<Record<Damage, string>> = {
  vanished: 'was deleted',
  replaced: 'was replaced',
  corrupt: 'was damaged',
};

/** Copies what is committed, then damages the file; `copy` is the path of a new file. */
export function damageFile(damage: Damage, db: Database, copy: string): void {
  db.exec(`VACUUM INTO '${copy}'`);
  if (damage === 'vanished') rmSync(db.name);
  if (damage === 'replaced') {
    copyFileSync(copy, `${copy}.again`);
    renameSync(`${copy}.again`, db.name);
  }
  if (damage !== 'corrupt') return;
  // A page that the WAL holds as well is read from there.
  db.exec('PRAGMA wal_checkpoint(FULL)');
  // In another process: closing the file in this one drops the locks that SQLite has on it.
  const page = ['bs=4096', 'seek=3', 'count=1', 'conv=notrunc', 'status=none'];
  execFileSync('dd', ['if=/dev/urandom', `of=${db.name}`, ...page]);
}

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
