// A database file that is taken away from under its open store: noticed, refused, and never written again.
import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../dispatch/given.js';
import { openStore } from '../open-store.js';
import { aMessage, batch } from './values.js';

function given() {
  const path = join(tempFolder(), 'bosun.db');
  const failures: string[] = [];
  let written = 0;
  const store = openStore(path, {
    onFailure: (error) => failures.push(String(error)),
    onWritten: () => {
      written += 1;
    },
  });
  onTestFinished(() => store.close());
  const commit = () => store.commit(batch({ messages: [aMessage('t1', 'x'.repeat(500))] }));
  for (let at = 0; at < 20; at += 1) commit();
  return { path, store, failures, commit, written: () => written };
}

/** Its hint: an old WAL beside a backup would be applied to it. */
const tellsOfWal: unknown = expect.objectContaining({
  hint: expect.stringMatching(/^Move bosun\.db, bosun\.db-wal and bosun\.db-shm away.* put a backup in place/),
});

/** What lies in the WAL goes to the main file, as it does by itself from time to time. */
function checkpoint(path: string): void {
  const db = new Sqlite(path);
  db.exec('PRAGMA wal_checkpoint(FULL)');
  db.close();
}

/** In another process: closing a file drops the locks that this one has on it. */
function overwrite(path: string, from: number): void {
  execFileSync('dd', [
    'if=/dev/urandom',
    `of=${path}`,
    'bs=4096',
    `seek=${from}`,
    'count=1',
    'conv=notrunc',
    'status=none',
  ]);
}

test.each([
  ['is deleted', 'was deleted', (path: string) => rmSync(path)],
  ['is moved away', 'was deleted', (path: string) => renameSync(path, `${path}.away`)],
  [
    'is replaced by a backup',
    'was replaced',
    (path: string) => {
      copyFileSync(path, `${path}.backup`);
      renameSync(`${path}.backup`, path);
    },
  ],
  ['is cut to nothing', 'was truncated', (path: string) => truncateSync(path, 0)],
  ['has lost its WAL', 'bosun.db-wal was deleted', (path: string) => rmSync(`${path}-wal`)],
  ['has lost its index of the WAL', 'bosun.db-shm was deleted', (path: string) => rmSync(`${path}-shm`)],
])('a database that %s accepts no more commits', (_what, says, harm) => {
  const { path, store, failures, commit, written } = given();
  store.checkFile();
  const before = written();
  harm(path);
  // The queue writes its claims beside the commits.
  expect(() => store.jobs.exchange([], [], 'i1', 0)).toThrow(says);
  expect(commit).toThrow(says);
  expect(commit).toThrow(tellsOfWal);
  expect(() => store.checkFile()).toThrow(says);
  expect(() => store.jobs.forget(['a'])).toThrow(says);
  expect(failures[0]).toContain(says);
  expect(written()).toBe(before);
});

test.each([
  ['a page is overwritten', /damaged/, (path: string) => overwrite(path, 3)],
  ['its first page is overwritten', /damaged/, (path: string) => overwrite(path, 0)],
  [
    'another database is copied over it',
    /overwritten|damaged/,
    (path: string) => {
      const other = openStore(`${path}.other`);
      other.close();
      execFileSync('cp', [`${path}.other`, path]);
      truncateSync(path, Math.max(statSync(path).size, 1_000_000));
    },
  ],
])('a database in which %s is reported as damaged by the next check or write', (_what, says, harm) => {
  for (const isWrite of [false, true]) {
    const { path, store, commit, written } = given();
    checkpoint(path);
    store.checkFile();
    const before = written();
    harm(path);
    expect(isWrite ? commit : () => store.checkFile()).toThrow(says);
    expect(commit).toThrow(says);
    expect(commit).toThrow(tellsOfWal);
    expect(written()).toBe(before);
  }
});

test('a database file that is temporarily unreadable is not treated as deleted', () => {
  const { path, store, commit } = given();
  const folder = dirname(path);
  renameSync(folder, `${folder}-away`);
  symlinkSync(folder, folder);
  expect(commit).toThrow(expect.objectContaining({ code: 'disk', message: expect.stringContaining('ELOOP') }));
  rmSync(folder);
  renameSync(`${folder}-away`, folder);
  expect(() => store.checkFile()).not.toThrow();
  expect(commit).not.toThrow();
});

test('a checkpoint of another process, such as a backup tool, is not treated as damage', () => {
  const { path, store, commit } = given();
  checkpoint(path);
  store.checkFile();
  commit();
  checkpoint(path);
  store.checkFile();
  writeFileSync(`${path}.other`, '');
  expect(() => commit()).not.toThrow();
});
