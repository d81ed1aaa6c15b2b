// Pages of deleted rows go back to the disk in slices, beside the check that the file is not cut by others.
import { readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { connect, readPragma, setPragma } from '../../src/store/file/connection.js';
import { rebuildForVacuum } from '../../src/store/file/free-pages.js';
import { openStore } from '../open-store.js';
import { inTurns, longestTurnMs } from './archived-runs.js';
import { aMessage, batch, tempFolder } from './given.js';

const incremental = 2;
/** Far above the 10 ms of a calm machine. */
const generousMs = 100;

function openedWithFreePages() {
  const path = join(tempFolder(), 'bosun.db');
  const store = openStore(path);
  onTestFinished(() => store.close());
  const messages = Array.from({ length: 400 }, () => aMessage('t1', 'x'.repeat(1_000)));
  for (let time = 0; time < 40; time += 1) store.commit(batch({ messages }));
  onDatabase(path, 'DELETE FROM outbox WHERE n % 100 <> 0; PRAGMA wal_checkpoint(FULL)');
  store.checkFile();
  return { path, store };
}

/** As another process does it. */
function onDatabase(path: string, sql: string): void {
  const db = new Sqlite(path);
  db.exec(sql);
  db.close();
}

test('free pages are given back in short slices, and a restart and the check of the file accept the shorter file', async () => {
  const { path, store } = openedWithFreePages();
  const before = statSync(path).size;
  let slices = 0;
  const longestMs = await longestTurnMs(async () => {
    slices = await inTurns(() => store.freePages.giveBack());
  });
  expect(slices).toBeGreaterThan(10);
  expect(longestMs).toBeLessThan(generousMs);
  store.commit(batch({ messages: [aMessage('t1', 'goes on')] }));
  onDatabase(path, 'PRAGMA wal_checkpoint(FULL)');
  expect(statSync(path).size).toBeLessThan(before / 2);
  store.checkFile();
  // The next rows take the pages that are left free.
  expect(Number(connect(path).prepare('PRAGMA freelist_count').pluck().get())).toBe(1_000);
  expect(connect(path).prepare('PRAGMA integrity_check').pluck().get()).toBe('ok');
  expect(store.recent('t1', 1)).toMatchObject([{ view: { text: 'goes on' } }]);
});

test('a file that is shorter than the vacuum made it counts as truncated', () => {
  const { path, store } = openedWithFreePages();
  while (store.freePages.giveBack());
  onDatabase(path, 'PRAGMA wal_checkpoint(FULL)');
  store.checkFile();
  truncateSync(path, statSync(path).size - 4_096);
  expect(() => store.checkFile()).toThrow('was truncated');
});

test('a vacuum that was still in the WAL at a crash is no truncation after the restart', () => {
  const { path, store } = openedWithFreePages();
  while (store.freePages.giveBack());
  // A second process at the same WAL stands for the one after the crash.
  const reader = new Sqlite(path, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM outbox').get();
  store.close();
  const again = openStore(path);
  onTestFinished(() => again.close());
  reader.close();
  const before = statSync(path).size;
  onDatabase(path, 'PRAGMA wal_checkpoint(FULL)');
  expect(statSync(path).size).toBeLessThan(before);
  expect(() => again.checkFile()).not.toThrow();
});

test('a new database and a small one of an earlier Bosun can give pages back', () => {
  const folder = tempFolder();
  const [fresh, early] = [join(folder, 'fresh.db'), join(folder, 'early.db')];
  const old = connect(early);
  old.exec(readFileSync(join(import.meta.dirname, 'fixtures/v1.sql'), 'utf8'));
  expect(readPragma(old, 'auto_vacuum')).toBe(0);
  old.close();
  for (const path of [fresh, early]) {
    const store = openStore(path);
    onTestFinished(() => store.close());
    expect(readPragma(connect(path), 'auto_vacuum')).toBe(incremental);
  }
});

test('a database that cannot be rebuilt, as on a full disk, opens as it was', () => {
  const path = join(tempFolder(), 'bosun.db');
  const old = connect(path);
  onTestFinished(() => void old.close());
  old.exec(readFileSync(join(import.meta.dirname, 'fixtures/v1.sql'), 'utf8'));
  setPragma(old, 'max_page_count', readPragma(old, 'page_count'));
  rebuildForVacuum(old);
  expect(readPragma(old, 'auto_vacuum')).toBe(0);
  expect(old.prepare('SELECT count(*) FROM inbox').pluck().get()).toBe(1);
});
