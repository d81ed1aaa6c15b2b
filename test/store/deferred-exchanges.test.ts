import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/store/file/connection.js';
import type { SqliteStore } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import { aJob, anEvent, batch, tempFolder } from './given.js';

let path: string;
let store: SqliteStore;
let elsewhere: Database;

/** As another process reads them. */
function onDisk(): readonly string[] {
  const rows = elsewhere.prepare<[], { id: string; state: string }>('SELECT id, state FROM jobs ORDER BY n').all();
  return rows.map(({ id, state }) => `${id} ${state}`);
}

const claim = (...ids: readonly string[]) =>
  store.jobs.exchange(
    [],
    [...ids].map((id) => ({ id, worker: 'w' })),
    'me',
    1_000,
  );

beforeEach(() => {
  path = join(tempFolder(), 'bosun.db');
  store = openStore(path);
  elsewhere = connect(path, { readonly: true });
  onTestFinished(() => {
    elsewhere.close();
    store.close();
  });
  store.commit(batch({ jobs: [aJob('j1'), aJob('j2'), aJob('j3')] }));
});

describe('a claim and an end of jobs', () => {
  test('are written by the next commit, in one transaction with it', () => {
    const writes = elsewhere.prepare('PRAGMA data_version').pluck();
    const version = writes.get();
    expect(claim('j1', 'j2')).toEqual([expect.any(String), expect.any(String)]);
    store.jobs.exchange(['j1'], [{ id: 'j3', worker: 'w' }], 'me', 1_000);
    expect(writes.get()).toBe(version);
    expect(onDisk()).toEqual(['j1 queued', 'j2 queued', 'j3 queued']);
    store.commit(batch({ events: [anEvent('r1', 1)] }));
    expect(onDisk()).toEqual(['j1 done', 'j2 leased', 'j3 leased']);
    store.jobs.requeue(['j2']);
    store.commit(batch({ events: [anEvent('r1', 2)] }));
    expect(onDisk()).toEqual(['j1 done', 'j2 queued', 'j3 leased']);
  });

  test('are written by a flush, which writes nothing twice', () => {
    claim('j1');
    store.jobs.flush();
    expect(onDisk()).toEqual(['j1 leased', 'j2 queued', 'j3 queued']);
    store.jobs.requeue(['j1']);
    store.jobs.flush();
    expect(onDisk()).toEqual(['j1 queued', 'j2 queued', 'j3 queued']);
  });

  test('wait for the next commit if this one fails', () => {
    claim('j1');
    elsewhere.close();
    elsewhere = connect(path);
    elsewhere.exec('BEGIN IMMEDIATE');
    expect(() => store.commit(batch({ events: [anEvent('r1', 1)] }))).toThrow(/SQLITE_BUSY/);
    elsewhere.exec('ROLLBACK');
    expect(onDisk()).toEqual(['j1 queued', 'j2 queued', 'j3 queued']);
    store.commit(batch({ events: [anEvent('r1', 1)] }));
    expect(onDisk()).toEqual(['j1 leased', 'j2 queued', 'j3 queued']);
  });

  test.each<[string, () => unknown, unknown]>([
    ['the open jobs', () => store.jobs.known(), ['j2', 'j3']],
    ['the waiting jobs', () => store.jobs.queued().map(({ id }) => id), ['j3']],
    ['the begun jobs', () => store.jobs.leased().map(({ id }) => id), ['j2']],
    ['their counts', () => store.jobs.counts(null), { queued: 1, running: 1 }],
    ['the holder of a job', () => ['j1', 'j2', 'j3'].map((id) => store.jobs.isHeldBy(id, 'me')), [false, true, false]],
    ['the payload of a job', () => ['j1', 'j2'].map((id) => store.jobs.payload(id) === null), [true, false]],
    ['a job to remove', () => ['j1', 'j2', 'j3'].map((id) => store.jobs.remove(id)), ['unknown', 'leased', 'removed']],
    ['the lost leases', () => store.jobs.renew(['j1', 'j2'], 'me', 9_000), ['j1']],
    ['a lease to take over', () => store.jobs.takeOver('j2', 'other', 5, 6), { leaseUntil: 1_000 }],
    ['jobs to claim', () => claim('j1', 'j2', 'j3').map((body) => body !== null), [false, false, true]],
  ])('count in %s before they are written', (_what, read, expected) => {
    claim('j1', 'j2');
    store.jobs.exchange(['j1'], [], 'me', 1_000);
    expect(read()).toEqual(expected);
  });

  test('leave the rows readable while the file refuses writes', () => {
    claim('j1');
    elsewhere.close();
    elsewhere = connect(path);
    elsewhere.exec('BEGIN IMMEDIATE');
    expect(store.jobs.counts(null)).toEqual({ queued: 3, running: 0 });
    elsewhere.exec('ROLLBACK');
    expect(store.jobs.counts(null)).toEqual({ queued: 2, running: 1 });
  });
});
