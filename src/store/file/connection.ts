// Keeps all SQLite connections and statements until exit: on newer Node 24, garbage collection of better-sqlite3's
// objects aborts the process ("Assertion failed: (env) != nullptr"), and version 12 is the last for Node 20. So prepare
// each statement once, and never call `pragma` or `iterate`, which create such objects.
import Sqlite, { type Database, type Options } from 'better-sqlite3';

const kept: object[] = [];

export function connect(path: string, options: Options = {}): Database {
  const db = new Sqlite(path, options);
  kept.push(db);
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    const statement = prepare(sql);
    kept.push(statement);
    return statement;
  }) as Database['prepare'];
  return db;
}

export function setPragma(db: Database, name: string, value: string | number): void {
  db.exec(`PRAGMA ${name} = ${value}`);
}

export function readPragma(db: Database, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).pluck().get());
}
