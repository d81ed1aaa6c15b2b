// Archived runs in memory, as rows of the same tables, so that the same statements read them.
import type { Database, Statement } from 'better-sqlite3';
import { connect, setPragma } from '../file/connection.js';
import { migrations } from '../file/migrations.js';
import type { Rows, Sealed } from './archive-file.js';
import { archivedTables, insertInto } from './archive-tables.js';

export interface Shelf {
  readonly db: Database;
  load(run: string, sealed: Sealed, read: () => readonly Rows[]): void;
  drop(run: string): void;
}

/** Uncompressed. */
const maxBytes = 64 * 1024 * 1024;
const maxRuns = 200;

export function openShelf(): Shelf {
  const db = connect(':memory:');
  setPragma(db, 'foreign_keys', 'OFF');
  for (const step of migrations) db.exec(step);
  const insert = rowInserter(db);
  const remove = archivedTables.map(({ name }) => db.prepare<[string]>(`DELETE FROM ${name} WHERE run = ?`));
  const held = new Map<string, Sealed>();

  const drop = db.transaction((run: string) => {
    if (held.delete(run)) for (const statement of remove) statement.run(run);
  });

  function makeRoom(bytes: number): void {
    let left = maxBytes - bytes;
    for (const one of held.values()) left -= one.bytes;
    for (const [run, one] of held) {
      if (left >= 0 && held.size < maxRuns) return;
      drop(run);
      left += one.bytes;
    }
  }

  const fill = db.transaction((tables: readonly Rows[]) => insert(tables));
  return {
    db,
    load(run, sealed, read) {
      const known = held.get(run);
      if (known?.sha256 !== sealed.sha256) {
        drop(run);
        const tables = read();
        makeRoom(sealed.bytes);
        fill(tables);
      }
      // Least recently used first.
      held.delete(run);
      held.set(run, sealed);
    },
    drop,
  };
}

/** In a transaction. Keeps existing rows. */
export function rowInserter(db: Database): (tables: readonly Rows[]) => void {
  const inserts = new Map<string, Statement>(
    archivedTables.map((table) => [table.name, db.prepare(insertInto(table))]),
  );
  return (tables) => {
    for (const { table, rows } of tables) for (const row of rows) inserts.get(table)?.run(...row);
  };
}
