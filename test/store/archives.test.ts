// Finished runs in files: they read as before, a crash at any step loses and repeats nothing, and a change takes them back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { archivedTables } from '../../src/store/archive/archive-tables.js';
import { connect } from '../../src/store/file/connection.js';
import { writeEpoch } from '../../src/store/file/epoch.js';
import type { SqliteStore } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import { allOf, fillWithFinishedRuns, inTurns, longestTurnMs } from './archived-runs.js';
import { anEvent, anInteraction, aRun, aState, batch, tempFolder } from './given.js';

const ever = Number.MAX_SAFE_INTEGER;
/** Far above the 10 ms of a calm machine. */
const generousMs = 100;

function openFilled(filling = { runs: 4, steps: 60 }) {
  const path = join(tempFolder(), 'bosun.db');
  const store = openStore(path);
  onTestFinished(() => store.close());
  fillWithFinishedRuns(store, filling);
  return { path, store };
}

function reopen(path: string, options = {}): SqliteStore {
  const store = openStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

const dueIn = (store: SqliteStore) => store.archives.due(ever, 0).runs;

async function archiveAll(store: SqliteStore): Promise<readonly string[]> {
  const runs = dueIn(store);
  for (const run of runs) expect(await store.archives.archive(run, 1)).toBe(true);
  return runs;
}

function clearAll(store: SqliteStore): void {
  while (store.archives.clear());
}

function rowsLeft(path: string, run: string): Record<string, number> {
  const db = connect(path, { readonly: true });
  const count = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table} WHERE run = ?`).pluck().get(run));
  const jobs = db.prepare(`SELECT count(*) FROM jobs WHERE id LIKE ? || '-%'`).pluck().get(run);
  return { ...Object.fromEntries(archivedTables.map(({ name }) => [name, count(name)])), jobs: Number(jobs) };
}

const folderOf = (path: string) => join(dirname(path), 'archive');
const filesOf = (path: string) => readdirSync(folderOf(path)).sort();

test('an archived run reads the same from its file as from its rows, before, while and after these go', async () => {
  const { path, store } = openFilled();
  const runs = ['r1', 'r2', 'r3', 'r4'];
  const before = runs.map((run) => allOf(store, run));
  const acts = store.browsing.byPeople(null, null, 100);
  expect(rowsLeft(path, 'r2')).toMatchObject({ nodes: 4, attempts: 20, records: 60, events: 69, jobs: 20 });
  expect(await archiveAll(store)).toEqual(['r1', 'r2', 'r3']);
  const reader = reopen(path, { readonly: true });
  for (const [at, run] of runs.entries()) {
    expect(allOf(store, run)).toEqual(before[at]);
    expect(allOf(reader, run)).toEqual(before[at]);
  }
  for (let slices = 1; store.archives.clear(); slices += 1) {
    if (slices % 4 !== 0) continue;
    expect(runs.map((run) => allOf(store, run))).toEqual(before);
    expect(store.auditBreak()).toBeNull();
  }
  for (const one of [store, reader, reopen(path, { readonly: true })]) {
    expect(runs.map((run) => allOf(one, run))).toEqual(before);
    expect(one.auditBreak()).toBeNull();
    expect(one.browsing.byPeople(null, null, 100)).toEqual(acts);
  }
  // People's acts and the items of lists stay.
  expect(rowsLeft(path, 'r2')).toEqual({
    items: 2,
    chains: 0,
    nodes: 0,
    attempts: 0,
    records: 0,
    events: 8,
    jobs: 0,
  });
  expect(filesOf(path)).toHaveLength(3);
  expect(statSync(folderOf(path)).mode & 0o777).toBe(0o700);
  for (const name of filesOf(path)) {
    expect(statSync(join(folderOf(path), name)).mode & 0o777).toBe(0o600);
    expect(gunzipSync(readFileSync(join(folderOf(path), name))).toString()).toMatch(
      /^\{"bosun":"archive","format":1,"run":"r\d"\}\n/,
    );
  }
});

test('the walk over the history goes on while runs leave it', async () => {
  const { store } = openFilled({ runs: 4, steps: 400 });
  const walk = store.auditWalk();
  expect(walk.next().done).toBe(false);
  await archiveAll(store);
  clearAll(store);
  let last = walk.next();
  while (!last.done) last = walk.next();
  expect(last.value).toBeNull();
});

test('only a run that is over, is not the newest of its project, and in which nothing waits is archived', () => {
  const { store } = openFilled({ runs: 7, steps: 9 });
  const put = (number: number, parts: object, more: object = {}) => {
    const run = aRun(number, { status: 'completed', endedAt: 1_000, ...parts });
    store.commit(batch({ states: [{ before: number > 7 ? null : aState(aRun(number)), after: aState(run, more) }] }));
  };
  put(2, { status: 'failed' });
  put(3, { status: 'running', endedAt: null });
  put(4, {}, { interactions: [anInteraction('i4-2')] });
  put(5, { endedAt: 90_000 });
  put(6, { status: 'cancelled' });
  put(8, { project: 'other' });
  expect(store.archives.due(80_000, 0)).toEqual({ runs: ['r1', 'r6'], next: null });
  store.commit(batch({ events: [anEvent('r6', 9)] }));
  expect(store.archives.due(80_000, 0).runs).toEqual(['r1']);
  expect(store.archives.due(1_000, 0).runs).toEqual([]);
});

test('a change of an archived run takes its rows back first, and it can be archived again', async () => {
  const { path, store } = openFilled();
  const [before, events] = [allOf(store, 'r2'), store.events('r2', 0, 1_000)];
  await archiveAll(store);
  for (const isCleared of [false, true]) {
    if (isCleared) clearAll(store);
    else store.archives.clear();
    const [run, chain] = [store.run('r2'), store.chain('r2', '')];
    if (run === null || chain === null) throw new Error('r2 is gone');
    const after = { ...aState(run), chain: { ...chain, context: { at: String(isCleared) } } };
    store.commit(batch({ states: [{ before: aState(run, { chain }), after }] }));
    expect(rowsLeft(path, 'r2')).toMatchObject({ nodes: 4, attempts: 20, records: 60, events: events.length });
    expect(store.chain('r2', '')).toEqual({ ...chain, context: { at: String(isCleared) } });
    expect({ ...Object(allOf(store, 'r2')), ...Object(before) }).toEqual(before);
    store.commit(batch({ events: [anEvent('r4', 900)] }));
    expect(store.auditBreak()).toBeNull();
    expect(await store.archives.archive('r2', 2)).toBe(true);
  }
  clearAll(store);
  expect(store.events('r2', 0, 1_000)).toEqual(events);
  expect(reopen(path, { readonly: true }).chain('r2', '')?.context).toEqual({ at: 'true' });
});

test('a run that changes while its file is written keeps its rows', async () => {
  const { path, store } = openFilled();
  const work = store.archives.archive('r1', 1);
  store.commit(batch({ events: [anEvent('r1', 999), anEvent('r4', 999)] }));
  expect(await work).toBe(false);
  clearAll(store);
  expect(rowsLeft(path, 'r1')).toMatchObject({ nodes: 4, records: 60 });
  expect(store.newestEvents('r1', 1)).toMatchObject([{ event: { at: 999 } }]);
});

test('a run in a file is not written again over the rows that are left', async () => {
  const { path, store } = openFilled();
  const before = allOf(store, 'r1');
  await archiveAll(store);
  clearAll(store);
  const files = filesOf(path);
  expect(await store.archives.archive('r1', 2)).toBe(false);
  expect(filesOf(path)).toEqual(files);
  expect(allOf(store, 'r1')).toEqual(before);
});

const harms: readonly (readonly [string, RegExp, (file: string) => void])[] = [
  ['is missing', /is missing: it holds the steps and events of r1/, (file) => rmSync(file)],
  ['was cut', /was damaged or replaced/, (file) => writeFileSync(file, readFileSync(file).subarray(0, 300))],
  [
    'has another byte',
    /was damaged or replaced/,
    (file) => writeFileSync(file, Buffer.from(readFileSync(file).map((one, at) => (at === 200 ? one ^ 1 : one)))),
  ],
];

test.each(harms)('a file that %s is named in the error, and everything else works', async (_what, says, harm) => {
  const { path, store } = openFilled();
  const before = allOf(store, 'r2');
  await archiveAll(store);
  clearAll(store);
  const [name = ''] = filesOf(path).filter((one) => one.startsWith('r1-'));
  harm(join(folderOf(path), name));
  const again = reopen(path, { readonly: true });
  for (const read of [() => again.events('r1', 0, 10), () => again.nodes('r1'), () => again.attempt('r1-1')]) {
    expect(read).toThrow(
      expect.objectContaining({
        code: 'bad_database',
        message: expect.stringMatching(says),
        hint: expect.stringContaining('backup'),
      }),
    );
    expect(read).toThrow(name);
  }
  expect(again.auditBreak()).toMatchObject({ seq: 1, why: expect.stringMatching(says) });
  expect(again.run('r1')?.status).toBe('completed');
  expect(again.spine('r1')?.items).toHaveLength(2);
  expect(allOf(again, 'r2')).toEqual(before);
  expect(() => store.checkFile()).not.toThrow();
});

test('an archive that cannot be written leaves the rows, and the run is not tried again until the next start', async () => {
  const { path, store } = openFilled();
  writeFileSync(folderOf(path), 'in the way');
  await expect(store.archives.archive('r1', 1)).rejects.toThrow(/EEXIST|ENOTDIR/);
  clearAll(store);
  expect(rowsLeft(path, 'r1')).toMatchObject({ nodes: 4, records: 60 });
  expect(dueIn(store)).toEqual(['r2', 'r3']);
  rmSync(folderOf(path));
  expect(await store.archives.archive('r2', 1)).toBe(true);
});

test('writing and removing a large run never holds up the event loop for long', async () => {
  const { store } = openFilled({ runs: 3, steps: 3_000 });
  let slices = 0;
  const longestMs = await longestTurnMs(async () => {
    await archiveAll(store);
    slices = await inTurns(() => store.archives.clear());
  });
  // Two runs of 7,500 rows each.
  expect(slices).toBeGreaterThan(30);
  expect(longestMs).toBeLessThan(generousMs);
});

test('an archive holds every column of its tables', () => {
  const { path } = openFilled({ runs: 1, steps: 1 });
  const db = connect(path, { readonly: true });
  for (const { name, columns } of archivedTables) {
    const all = db.prepare<[], string>(`SELECT name FROM pragma_table_info('${name}')`).pluck().all();
    // Numbers of records only order them.
    expect([...columns].sort()).toEqual(all.filter((one) => one !== 'n').sort());
  }
});

/** Kills the archiver at the step with this number, some way into what follows it. */
async function killedAt(script: string, path: string, step: number, lateMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [script, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_PATH: join(import.meta.dirname, '../../node_modules') },
  });
  const exited = once(child, 'exit');
  child.stdin.on('error', () => undefined);
  let steps = 0;
  let isDone = false;
  for await (const line of createInterface({ input: child.stdout })) {
    isDone = line === 'done';
    steps += 1;
    if (isDone) break;
    if (steps < step) child.stdin.write('.');
    else {
      child.stdin.write('.');
      setTimeout(() => child.kill('SIGKILL'), lateMs);
    }
  }
  child.kill('SIGKILL');
  await exited;
  return isDone;
}

test('an archiver killed with SIGKILL at any step leaves every run readable, whole and once', async () => {
  const folder = tempFolder();
  const script = join(folder, 'archiver.cjs');
  buildSync({
    ...{
      entryPoints: [join(import.meta.dirname, 'fixtures/archiver.ts')],
      bundle: true,
      platform: 'node',
      format: 'cjs',
    },
    ...{
      external: ['better-sqlite3'],
      outfile: script,
      logLevel: 'error',
      define: { 'import.meta.url': '"file:///"' },
    },
  });
  const path = join(folder, 'bosun.db');
  const first = openStore(path);
  fillWithFinishedRuns(first, { runs: 4, steps: 60 });
  const runs = ['r1', 'r2', 'r3', 'r4'];
  const before = runs.map((run) => allOf(first, run));
  first.close();
  let kills = 0;
  for (let isDone = false; !isDone && kills < 40; kills += 1) {
    isDone = await killedAt(script, path, 1 + (kills % 5), kills % 4);
    const store = openStore(path);
    expect(store.auditBreak()).toBeNull();
    for (const [at, run] of runs.entries()) expect(allOf(store, run)).toEqual(before[at]);
    store.close();
  }
  expect(kills).toBeGreaterThan(3);
  expect(kills).toBeLessThan(40);
  const store = openStore(path);
  onTestFinished(() => store.close());
  clearAll(store);
  expect(dueIn(store)).toEqual([]);
  expect(runs.map((run) => allOf(store, run))).toEqual(before);
  expect(rowsLeft(path, 'r3')).toMatchObject({ nodes: 0, attempts: 0, records: 0 });
}, 120_000);

test('a former writer marks and removes nothing once another process has raised the epoch', async () => {
  const { path, store } = openFilled();
  const [first = '', second = ''] = dueIn(store);
  expect(await store.archives.archive(first, 1)).toBe(true);
  const other = connect(path);
  onTestFinished(() => void other.close());
  writeEpoch(other, '2.other');
  const before = rowsLeft(path, first);
  await expect(store.archives.archive(second, 1)).rejects.toThrow('taken this database over');
  expect(() => store.archives.clear()).toThrow('taken this database over');
  expect(rowsLeft(path, first)).toEqual(before);
  expect(other.prepare('SELECT run FROM archives').pluck().all()).toEqual([first]);
});
