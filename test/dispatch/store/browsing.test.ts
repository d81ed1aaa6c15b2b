import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, type SqliteStore } from '../../../src/dispatch/store/index.js';
import { aWalk, batch, stepped, tempFolder } from './given.js';

function opened(): SqliteStore {
  const store = openStore(join(tempFolder(), 'bosun.db'));
  onTestFinished(() => store.close());
  return store;
}

const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

test('runs at work are found among any number that wait, and counted', () => {
  const store = opened();
  const waiting = Array.from({ length: 30 }, (_, at) => aWalk(at + 1, 2, { project: `a${at}` }));
  const queued = stepped(aWalk(40, 2, { project: 'z1' }));
  const running = stepped(stepped(aWalk(41, 2, { project: 'z2' })));
  const merging = aWalk(42, 2, { project: 'z3', status: 'paused', ops: [{ kind: 'merge' }] as never });
  const all = [...waiting, queued, running, merging].map((after) => ({ before: null, after }));
  store.commit(batch({ states: all }));
  const { browsing } = store;
  const { runs, count } = browsing.runsAtWork(null, 2);
  expect([ids(runs), count]).toEqual([['r40', 'r41'], 3]);
  expect(ids(browsing.runsAtWork(null, 20).runs)).toEqual(['r40', 'r41', 'r42']);
  expect(browsing.runsAtWork('a1', 20)).toEqual({ runs: [], count: 0 });
  expect(ids(browsing.runsAtWork('z3', 20).runs)).toEqual(['r42']);
  expect(browsing.runningAttempts(10)).toEqual([{ id: 'r41-1', run: 'r41' }]);
});
