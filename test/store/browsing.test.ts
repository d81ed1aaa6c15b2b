import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Event, emptyEnvelope } from '../../src/engine/index.js';
import type { SqliteStore } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import { anEvent, aWalk, batch, stepped, tempFolder } from './given.js';

function opened(): SqliteStore {
  const store = openStore(join(tempFolder(), 'bosun.db'));
  onTestFinished(() => store.close());
  return store;
}

const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

test('running runs are found and counted among any number of waiting ones', () => {
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

test('costs are summed by day and project, and returned in pages', () => {
  const store = opened();
  const noon = (day: number) => new Date(2026, 2, day, 12).getTime();
  const projects = Array.from({ length: 400 }, (_, at) => `p${String(at).padStart(3, '0')}`);
  const days = Array.from({ length: 30 }, (_, at) => at + 1);
  const spent = days.flatMap((day) =>
    projects.map((project) => ({ project, at: noon(day), usd: 0.5, tokensIn: 2, tokensOut: 1 })),
  );
  store.commit(batch({ spent }));
  const { browsing } = store;
  const sums = browsing.spentOnDays('2026-03-01');
  expect(sums.length).toBe(30);
  expect(sums.at(-1)).toEqual({ day: '2026-03-30', usd: 200, tokensIn: 800, tokensOut: 400 });
  expect(browsing.spentSince('2026-03-29').at(-1)).toEqual({ project: 'p399', usd: 1, tokensIn: 4, tokensOut: 2 });
  const own = { project: 'p399', from: '2026-03-01', limit: 29 };
  const first = browsing.spentByDay({ ...own, after: null });
  const rest = browsing.spentByDay({ ...own, after: first.at(-1) ?? null });
  expect([first.length, rest.map(({ day }) => day)]).toEqual([29, ['2026-03-30']]);
  const whole = browsing.spentByDay({ project: null, from: '2026-03-30', after: null, limit: 1_000 });
  expect(whole.map(({ project }) => project)).toEqual(projects);
});

test('the event that settled an attempt is found although the clock was set back meanwhile', () => {
  const store = opened();
  const settled = (attempt: string, at: number): Event => ({
    ...{ type: 'attempt_settled', run: 'r1', chain: '', at, attempt },
    envelope: emptyEnvelope,
  });
  const hour = 3_600_000;
  const early = Array.from({ length: 3_000 }, (_, at) => anEvent('r1', 9 * hour + at));
  const late = Array.from({ length: 3_000 }, (_, at) => anEvent('r1', hour + at));
  store.commit(batch({ events: [...early, settled('r1-1', hour), ...late] }));
  expect(store.browsing.settledEvent('r1', 'r1-1', 10 * hour)).toMatchObject({ attempt: 'r1-1' });
  expect(store.browsing.settledEvent('r1', 'r1-2', 10 * hour)).toBeNull();
});
