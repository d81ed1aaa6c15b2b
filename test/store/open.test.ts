import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BosunError } from '../../src/base/error.js';
import { bodyOf } from '../../src/engine/index.js';
import { connect, readPragma, setPragma } from '../../src/store/file/connection.js';
import { migrations } from '../../src/store/file/migrations.js';
import type { OpenOptions, SqliteStore } from '../../src/store/index.js';
import { jobRows } from '../../src/store/jobs/job-rows.js';
import { openWriter } from '../../src/store/open-store.js';
import { openStore } from '../open-store.js';
import { aJob, aMessage, anEvent, aRun, aState, aWalk, batch, stepped, tempFolder } from './given.js';

function open(path: string, options: Omit<OpenOptions, 'threads'> = {}): SqliteStore {
  const store = openStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

function refusal(act: () => unknown): BosunError {
  try {
    act();
  } catch (error) {
    if (error instanceof BosunError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

function tables(path: string): unknown {
  const db = connect(path, { readonly: true });
  onTestFinished(() => void db.close());
  return db.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all();
}

test('a new database is readable by its owner only, including its side files', () => {
  const path = join(tempFolder(), 'bosun.db');
  open(path).commit(batch({ events: [anEvent('r1', 1)] }));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a database that others can read gets mode 0600', () => {
  const path = join(tempFolder(), 'bosun.db');
  openStore(path).close();
  chmodSync(path, 0o644);
  open(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('commits use synchronous=FULL, and queue bookkeeping leaves that setting unchanged', () => {
  const db = openWriter(join(tempFolder(), 'bosun.db'), {});
  onTestFinished(() => void db.close());
  const settings = () => ['journal_mode', 'synchronous'].map((name) => db.prepare(`PRAGMA ${name}`).pluck().get());
  expect(settings()).toEqual(['wal', 2]);
  const jobs = jobRows(db);
  jobs.add([aJob('j1')]);
  jobs.exchange([], [{ id: 'j1', worker: 'w' }], 'me', 1);
  expect(settings()).toEqual(['wal', 2]);
  expect(() => jobs.exchange([], [], 'me', Symbol('no number') as never)).not.toThrow();
  expect(() => jobs.renew(['j1'], 'me', Symbol('no number') as never)).toThrow();
  expect(settings()).toEqual(['wal', 2]);
});

test('the first opening sets the home id', () => {
  const path = join(tempFolder(), 'bosun.db');
  expect(open(path, { homeId: 'abc' }).homeId).toBe('abc');
  expect(open(path, { homeId: 'xyz' }).homeId).toBe('abc');
  expect(open(path, { readonly: true }).homeId).toBe('abc');
  expect(open(join(tempFolder(), 'bosun.db')).homeId).toMatch(/^[0-9a-f]{6}$/);
});

test('a database of version 1 is migrated with its data', () => {
  const folder = tempFolder();
  const path = join(folder, 'bosun.db');
  const old = connect(path);
  old.exec(readFileSync(join(import.meta.dirname, 'fixtures/v1.sql'), 'utf8'));
  old.close();
  expect(refusal(() => openStore(path, { readonly: true }))).toMatchObject({
    code: 'bad_database',
    hint: expect.stringContaining('start this Bosun'),
  });

  const store = open(path);
  expect(store.homeId).toBe('h0me');
  expect(store.pendingInbox()).toMatchObject([{ externalId: 'x1', body: { type: 'text', text: 'status' } }]);
  expect(store.jobs.exchange([], [{ id: 'j1', worker: 'w' }], 'me', 9)).toEqual(['{"attempt":"j1"}']);
  expect(store.jobs.leased()).toMatchObject([{ id: 'j1', worker: 'w', instance: 'me', leaseUntil: 9 }]);

  const fresh = join(folder, 'fresh.db');
  open(fresh);
  expect(tables(path)).toEqual(tables(fresh));
});

test('a migration keeps one backup of the previous version, with mode 0600', () => {
  const folder = tempFolder();
  const path = join(folder, 'bosun.db');
  const old = connect(path);
  old.exec(readFileSync(join(import.meta.dirname, 'fixtures/v1.sql'), 'utf8'));
  old.close();
  writeFileSync(`${path}.version-0`, 'of long ago');
  const store = open(path);
  expect(store.pendingInbox()).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.includes('version'))).toEqual(['bosun.db.version-1']);
  expect(statSync(`${path}.version-1`).mode & 0o777).toBe(0o600);
  const kept = connect(`${path}.version-1`, { readonly: true });
  onTestFinished(() => void kept.close());
  expect(readPragma(kept, 'user_version')).toBe(1);
  expect(kept.prepare('SELECT count(*) FROM inbox').pluck().get()).toBe(1);
});

test('runs stored before gates and worktrees existed get the missing fields', () => {
  const path = join(tempFolder(), 'bosun.db');
  const old = connect(path);
  old.exec(readFileSync(join(import.meta.dirname, 'fixtures/v1.sql'), 'utf8'));
  const op = { id: 'r1-op1', kind: 'prepare', stash: false };
  const insert = (sql: string, ...values: readonly unknown[]) => void old.prepare(sql).run(...values);
  const flow = {
    name: 'f',
    policy: { level: null },
    limits: { items: 20 },
    chain: [
      {
        id: 'l',
        body: [
          { id: 'a', body: [] },
          { id: 'update-memory', outputs: null, body: [] },
        ],
      },
    ],
  };
  insert('INSERT INTO snapshots VALUES (?, ?)', 's1', JSON.stringify(flow));
  const run = { id: 'r1', number: 1, project: 'shop', status: 'running', snapshot: 's1', op, counters: { ops: 1 } };
  insert('INSERT INTO runs VALUES (?, 1, ?, ?, 1, ?)', 'r1', 'shop', 'running', JSON.stringify(run));
  insert('INSERT INTO items VALUES (?, ?, 0, ?, ?)', 'r1', 'US-1', 'ready', JSON.stringify({ key: 'US-1' }));
  insert('INSERT INTO chains VALUES (?, ?, ?)', 'r1', '', JSON.stringify({ key: '' }));
  const node = { id: 'n1', label: 'step-001', template: 'l', state: 'running' };
  insert('INSERT INTO nodes VALUES (?, ?, ?, 0, ?, NULL, NULL, ?)', 'r1', 'n1', '', 'running', JSON.stringify(node));
  old.close();

  const spine = open(path).spine('r1');
  expect(spine?.run).toMatchObject({
    ops: [op],
    insertionLimit: 100,
    counters: { ops: 1, insertions: 0 },
    oneShot: false,
  });
  expect(spine?.run).not.toHaveProperty('op');
  expect(spine?.items).toMatchObject([{ key: 'US-1', parent: '', values: {}, slot: null }]);
  expect(spine?.workflow).toMatchObject({
    fragments: {},
    exports: ['state'],
    policy: { level: null, stopAtDecisions: 'never' },
    limits: { items: 20, perItem: 60 },
    chain: [{ id: 'l', editable: false, body: [{ id: 'a', needs: null, isolate: 'shared' }, { mayNameStory: true }] }],
  });
  expect(spine?.workflow.chain.flatMap(bodyOf)[0]).not.toHaveProperty('mayNameStory');
  expect(open(path).chain('r1', '')).toMatchObject({
    scratch: '',
    nodes: [{ id: 'n1', retry: 0, params: {}, verdict: null }],
  });
});

test('a failed migration is rolled back to the previous version', () => {
  const path = join(tempFolder(), 'bosun.db');
  const old = connect(path);
  old.exec(migrations[0] ?? '');
  // The second column of the second step is there already.
  old.exec('ALTER TABLE jobs ADD COLUMN instance TEXT; PRAGMA user_version = 1');
  old.close();
  expect(refusal(() => openStore(path)).code).toBe('bad_database');
  const after = connect(path, { readonly: true });
  onTestFinished(() => void after.close());
  expect(readPragma(after, 'user_version')).toBe(1);
  const columns = after.prepare(`SELECT name FROM pragma_table_info('jobs')`).pluck().all();
  expect(columns).not.toContain('worker');
});

test('a database of a newer version is rejected and left unchanged', () => {
  const path = join(tempFolder(), 'bosun.db');
  openStore(path).close();
  const newer = connect(path);
  setPragma(newer, 'user_version', 99);
  newer.close();
  const bytes = readFileSync(path);
  const error = refusal(() => openStore(path));
  expect(error).toMatchObject({ code: 'bad_database', hint: expect.stringContaining('update Bosun') });
  expect(error.message).toContain(path);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('a database of another program is rejected', () => {
  const path = join(tempFolder(), 'other.db');
  const other = connect(path);
  other.exec('CREATE TABLE recipes (id)');
  other.close();
  expect(refusal(() => openStore(path)).message).toContain('another program');
});

test('a file that is not a database is rejected and not overwritten', () => {
  const path = join(tempFolder(), 'bosun.db');
  writeFileSync(path, 'these are my notes, please keep them\n'.repeat(50));
  const error = refusal(() => openStore(path));
  expect(error).toMatchObject({ code: 'bad_database', hint: expect.stringContaining('-wal and bosun.db-shm away') });
  expect(error.message).toContain(path);
  expect(readFileSync(path, 'utf8')).toContain('please keep them');
});

test('a truncated database fails with an error that names the file', () => {
  const path = join(tempFolder(), 'bosun.db');
  const store = openStore(path);
  let state = aWalk(1, 40);
  store.commit(batch({ states: [{ before: null, after: state }] }));
  for (let at = 0; at < 300; at += 1) {
    const after = stepped(state);
    store.commit(batch({ states: [{ before: state, after }], events: [anEvent('r1', at)] }));
    state = after;
  }
  store.close();
  truncateSync(path, 3 * 4096);
  const error = refusal(() => {
    const damaged = open(path);
    damaged.nodes('r1');
    damaged.auditBreak();
  });
  expect(error.code).toBe('bad_database');
  expect(error.message).toContain(path);
});

test('a missing folder, or a folder in place of the file, is named in the error', () => {
  const folder = tempFolder();
  const missing = join(folder, 'nowhere', 'bosun.db');
  expect(refusal(() => openStore(missing))).toMatchObject({ code: 'disk', message: expect.stringContaining(missing) });
  const taken = join(folder, 'taken');
  mkdirSync(taken);
  expect(refusal(() => openStore(taken))).toMatchObject({ code: 'disk', message: expect.stringContaining(taken) });
});

test('an unwritable folder is rejected with a hint', () => {
  // No mode holds root back; the folder of a process takes no files from anybody.
  const isRoot = process.getuid?.() === 0;
  const folder = isRoot ? '/proc/self' : tempFolder();
  if (!isRoot) {
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
  }
  const error = refusal(() => openStore(join(folder, 'bosun.db')));
  expect(error).toMatchObject({ code: 'disk', hint: expect.stringContaining('both are writable') });
});

test('a commit on a full disk is rolled back, and the store works again once there is space', () => {
  const path = join(tempFolder(), 'bosun.db');
  const store = openStore(path, { maxBytes: 400_000 });
  const before = aState(aRun(1));
  store.commit(batch({ states: [{ before: null, after: before }], events: [anEvent('r1', 1)] }));
  const after = aState({ ...before.run, task: 'changed' });
  const big = aMessage('t1', 'x'.repeat(500_000));
  const tooMuch = batch({
    states: [{ before, after }],
    events: [anEvent('r1', 2)],
    jobs: [aJob('j1')],
    messages: [aMessage('t1', 'small'), big],
  });
  const error = refusal(() => store.commit(tooMuch));
  expect(error).toMatchObject({ code: 'disk', hint: expect.stringContaining('free some space') });
  expect(error.message).toContain(path);
  expect(store.run('r1')?.task).toBe(before.run.task);
  expect(store.events('r1', 0, 10)).toHaveLength(1);
  expect(store.messages('t1', null, 10)).toEqual([]);
  expect(store.jobs.known()).toEqual([]);
  store.close();

  const roomy = open(path);
  expect(roomy.commit(tooMuch).map((message) => message.id)).toEqual(['m1', 'm2']);
  expect(roomy.run('r1')?.task).toBe('changed');
  expect(roomy.auditBreak()).toBeNull();
});

test('a second process can read while the first one writes', () => {
  const path = join(tempFolder(), 'bosun.db');
  const writer = open(path);
  const reader = open(path, { readonly: true });
  expect(reader.run('r1')).toBeNull();
  const after = aState(aRun(1));
  writer.commit(batch({ states: [{ before: null, after }], events: [anEvent('r1', 1)] }));
  expect(reader.run('r1')).toEqual(after.run);
  expect(reader.auditBreak()).toBeNull();
  expect(refusal(() => reader.commit(batch({ events: [anEvent('r1', 2)] }))).code).toBe('disk');
});
