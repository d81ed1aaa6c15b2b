// The one place that makes connections. better-sqlite3 12 is the last line that runs on Node 20, and on newer Node 24 its
// objects must not be collected: their destructors then abort the process ("Assertion failed: (env) != nullptr"). So a
// connection and its statements live as long as the process; they are few, and each is prepared once. For the same
// reason nothing here may call `pragma` or `iterate`, which make such objects on the side.
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
