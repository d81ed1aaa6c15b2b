// A writer that is not the active one any more writes nothing.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepEpoch, lookAtCopy, type OpenOptions, type SqliteStore } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import { aJob, anEvent, batch, tempFolder } from './given.js';

function open(path: string, options: Omit<OpenOptions, 'threads'> = {}): SqliteStore {
  const store = openStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

test('a commit is refused once another process has raised the epoch of the database', () => {
  const path = join(tempFolder(), 'bosun.db');
  keepEpoch(path, 'h1', '1.one');
  const first = open(path);
  first.commit(batch({ events: [anEvent('r1', 1)] }));
  keepEpoch(path, 'h1', '2.two');
  expect(() => first.commit(batch({ events: [anEvent('r1', 2)] }))).toThrow(
    /another Bosun has taken this database over/,
  );
  expect(first.events('r1', 0, 10)).toHaveLength(1);
  const second = open(path);
  second.commit(batch({ events: [anEvent('r1', 2)] }));
  expect(second.events('r1', 0, 10)).toHaveLength(2);
});

test('an inactive store refuses writes and deliveries, and can still be read', () => {
  const path = join(tempFolder(), 'bosun.db');
  let isActive = true;
  const store = open(path, { isActive: () => isActive });
  store.commit(batch({ events: [anEvent('r1', 1)], jobs: [aJob('j1')] }));
  isActive = false;
  const inbound = {
    source: 's',
    externalId: 'x',
    thread: 't',
    by: null,
    at: 1,
    body: { type: 'text', text: 'a', replyTo: null },
  } as const;
  const refused: readonly (() => unknown)[] = [
    () => store.commit(batch({ events: [anEvent('r1', 2)] })),
    () => store.receive(inbound),
    () => store.setCheckpoint('a1', '{}'),
    () => store.jobs.exchange([], [{ id: 'j1', worker: 'w' }], 'me', 9),
    () => store.calls.heads(),
    () => store.deliveries.isOpen(1),
  ];
  for (const act of refused) expect(act).toThrow(/no longer the active one/);
  expect(store.isActive()).toBe(false);
  expect(store.events('r1', 0, 10)).toHaveLength(1);
  expect([store.pendingInbox(), store.homeId === '']).toEqual([[], false]);
});

test('the epoch of a database is read without opening the store, and is empty at first', () => {
  const path = join(tempFolder(), 'bosun.db');
  expect(lookAtCopy(path)).toBeNull();
  open(path, { homeId: 'h1' });
  expect(lookAtCopy(path)).toEqual({ homeId: 'h1', epoch: '' });
  keepEpoch(path, 'h2', '5.x');
  expect(lookAtCopy(path)).toEqual({ homeId: 'h1', epoch: '5.x' });
});
