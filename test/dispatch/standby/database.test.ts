// Which database a Bosun goes on with that takes over.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { chooseDatabase } from '../../../src/dispatch/standby/choose-database.js';
import { checkCopy, keepEpoch, lookAtCopy } from '../../../src/store/index.js';
import type { Home } from '../../open-home.js';
import { openStore } from '../../open-store.js';
import { anEvent, batch } from '../../store/given.js';
import { givenHomes } from './given.js';

function home(): Home {
  const [one] = givenHomes(1, 'redis://127.0.0.1:1');
  if (one === undefined) throw new Error('no home');
  return one;
}

/** A database of that epoch, with one event. */
function replica(of: Home, epoch: string, homeId = of.homeId): string {
  const path = join(dirname(of.dbPath), 'replica.db');
  const store = openStore(path, { homeId });
  store.commit(batch({ events: [anEvent('r1', 1)] }));
  store.close();
  keepEpoch(path, homeId, epoch);
  return path;
}

function choose(of: Home, redisEpoch: string, restoreLine: string | null, signal = new AbortController().signal) {
  return chooseDatabase({ home: of, redisEpoch, restoreLine, env: process.env, signal });
}

const fetching = (path: string) =>
  `test "$BOSUN_HOME" = "$PWD" && echo "$BOSUN_EPOCH" > epoch && cp '${path}' "$BOSUN_DB" && echo fetched >> fetched`;
const wasFetched = (of: Home) => existsSync(join(of.dir, 'fetched'));

function eventsOf({ dbPath }: Home): number {
  const store = openStore(dbPath, { readonly: true });
  try {
    return store.events('r1', 0, 10).length;
  } finally {
    store.close();
  }
}

test('a fetched replica becomes the database if there is none', async () => {
  const one = home();
  await choose(one, '4.far', fetching(replica(one, '4.far')));
  expect([lookAtCopy(one.dbPath)?.epoch, eventsOf(one)]).toEqual(['4.far', 1]);
  expect(existsSync(`${one.dbPath}.restored`)).toBe(false);
  expect(readFileSync(join(one.dir, 'epoch'), 'utf8')).toBe('4\n');
});

test('a fetched replica replaces an older database, which is kept as a backup', async () => {
  const one = home();
  keepEpoch(one.dbPath, one.homeId, '3.here');
  await choose(one, '4.far', fetching(replica(one, '4.far')));
  expect([lookAtCopy(one.dbPath)?.epoch, lookAtCopy(`${one.dbPath}.before`)?.epoch]).toEqual(['4.far', '3.here']);
});

test('a new backup replaces the previous one with all its files', async () => {
  const one = home();
  keepEpoch(one.dbPath, one.homeId, '3.here');
  // As a copy is that was put there and never written: in one file.
  const db = new Sqlite(one.dbPath);
  db.pragma('journal_mode = DELETE');
  db.close();
  const stale = 'of an earlier time';
  const beside = ['', '-wal', '-shm'].map((part) => `${one.dbPath}.before${part}`);
  for (const path of beside) writeFileSync(path, stale);
  await choose(one, '4.far', fetching(replica(one, '4.far')));
  expect(beside.filter((path) => existsSync(path) && readFileSync(path, 'utf8') === stale)).toEqual([]);
  expect(lookAtCopy(`${one.dbPath}.before`)?.epoch).toBe('3.here');
});

test('no replica is fetched if this copy was active last', async () => {
  const one = home();
  keepEpoch(one.dbPath, one.homeId, '4.here');
  await choose(one, '4.here', fetching(replica(one, '4.here')));
  expect([wasFetched(one), lookAtCopy(one.dbPath)?.epoch]).toEqual([false, '4.here']);
});

test.each([
  ['goes on with the copy here', '4.here', '3.far', '4.here'],
  ['goes on with the replica', '4.here', '5.far', '5.far'],
  ['goes on with the replica of another that counted alike', '4.here', '4.far', '4.far'],
])('without an epoch in Redis it %s', async (_, here, far, expected) => {
  const one = home();
  keepEpoch(one.dbPath, one.homeId, here);
  await choose(one, '', fetching(replica(one, far)));
  expect([wasFetched(one), lookAtCopy(one.dbPath)?.epoch]).toEqual([true, expected]);
});

test('a restore command that finds no replica leaves the home unchanged', async () => {
  const one = home();
  await choose(one, '', 'true');
  expect(existsSync(one.dbPath)).toBe(false);
});

test('a restore command that fails is reported with its output, and changes nothing', async () => {
  const one = home();
  keepEpoch(one.dbPath, one.homeId, '3.here');
  const failing = choose(one, '4.far', 'echo no such bucket >&2; exit 3');
  await expect(failing).rejects.toMatchObject({
    code: 'disk',
    message: 'standby.restore failed (3). It printed: no such bucket',
  });
  expect(lookAtCopy(one.dbPath)?.epoch).toBe('3.here');
});

test('a hanging restore command is killed with its child processes when the lease is lost', async () => {
  const one = home();
  const stopping = new AbortController();
  const hanging = choose(one, '4.far', 'sleep 60 & echo $! > pid; wait', stopping.signal);
  const pidFile = join(one.dir, 'pid');
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/\d\n/);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  stopping.abort();
  await expect(hanging).rejects.toMatchObject({ message: expect.stringContaining('(SIGKILL)') });
  await expect.poll(() => stateOf(pid)).toMatch(/^[ZX]?$/);
});

function stateOf(pid: number): string {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
  } catch {
    // It is gone.
    return '';
  }
}

test('a damaged replica is refused, and the local copy stays', async () => {
  const one = home();
  keepEpoch(one.dbPath, one.homeId, '3.here');
  const path = replica(one, '4.far');
  const bytes = readFileSync(path);
  // All pages behind the first few become noise.
  bytes.fill(0x5a, 4 * 4096);
  writeFileSync(path, bytes);
  await expect(choose(one, '4.far', fetching(path))).rejects.toMatchObject({ code: 'bad_database' });
  expect(lookAtCopy(one.dbPath)?.epoch).toBe('3.here');
});

test('a copy is checked in a separate process, which is killed when the lease is lost', async () => {
  const one = home();
  const stopping = new AbortController();
  const looking = checkCopy(replica(one, '4.far'), stopping.signal);
  stopping.abort();
  await expect(looking).rejects.toMatchObject({
    code: 'bad_database',
    message: expect.stringContaining('cannot check the whole of'),
  });
});

test('a replica or a local database that belongs to another home is refused', async () => {
  const one = home();
  const refused = { code: 'bad_database', hint: expect.stringContaining('"secret"') };
  await expect(choose(one, '4.far', fetching(replica(one, '4.far', 'h0ther')))).rejects.toMatchObject(refused);
  expect(existsSync(one.dbPath)).toBe(false);
  keepEpoch(one.dbPath, 'h0ther', '3.here');
  await expect(choose(one, '', null)).rejects.toMatchObject(refused);
});
