// The limits of the disk: better-sqlite3 alone, WAL and synchronous FULL, one small transaction after the other or a hundred
// rows in one transaction; and fdatasync after each small write.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';

export { median } from './tools/figures.mjs';

/** Transactions a second. */
export function measureCommits(count = 3_000) {
  return inFolder((folder) => {
    const { commit, close } = openBareCommit(join(folder, 'bare.db'));
    for (let index = 0; index < 200; index++) commit();
    const rate = rateOf(count, commit);
    close();
    return rate;
  });
}

/** Rows a second, a hundred in each transaction: what 100 projects could write at best. */
export function measureTogether(count = 300) {
  return withTable((insert, db) => {
    const commit = db.transaction(() => {
      for (let index = 0; index < 100; index++) insert();
    });
    for (let index = 0; index < 20; index++) commit.immediate();
    return 100 * rateOf(count, () => commit.immediate());
  });
}

/** Appended blocks of 4 KB a second, each on disk before the next. */
export function measureSyncs(count = 3_000) {
  return inFolder((folder) => {
    const file = openSync(join(folder, 'synced'), 'w');
    const block = Buffer.alloc(4_096, 1);
    const rate = rateOf(count, () => {
      writeSync(file, block);
      fdatasyncSync(file);
    });
    closeSync(file);
    return rate;
  });
}

function withTable(measure) {
  return inFolder((folder) => {
    const { db, insert, close } = openTable(join(folder, 'bare.db'));
    const rate = measure(insert, db);
    close();
    return rate;
  });
}

/** One small transaction, synced. */
export function openBareCommit(path) {
  const { db, insert, close } = openTable(path);
  const commit = db.transaction(() => insert());
  return { commit: () => commit.immediate(), close };
}

function openTable(path) {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE step (id INTEGER PRIMARY KEY, state TEXT, body TEXT) STRICT');
  const statement = db.prepare('INSERT INTO step (state, body) VALUES (?, ?)');
  const body = JSON.stringify({ text: 'x'.repeat(300) });
  return { db, insert: () => statement.run('passed', body), close: () => db.close() };
}

function rateOf(count, act) {
  const started = performance.now();
  for (let index = 0; index < count; index++) act();
  return (count * 1000) / (performance.now() - started);
}

function inFolder(measure) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  try {
    return measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
