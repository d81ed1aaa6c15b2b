import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SqliteStore } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import { batch, tempFolder } from './given.js';

function opened(): SqliteStore {
  const store = openStore(join(tempFolder(), 'bosun.db'));
  onTestFinished(() => store.close());
  return store;
}

/** Noon of a day in March, on this machine's wall. */
const noon = (day: number) => new Date(2026, 2, day, 12).getTime();
const spent = (project: string, at: number, usd: number) => ({ project, at, usd, tokensIn: 100, tokensOut: 10 });

describe('the spending of a project', () => {
  it('is zero at first', () => {
    const none = { usd: 0, tokensIn: 0, tokensOut: 0 };
    expect(opened().spending('shop', noon(9))).toEqual({ today: none, week: none, ever: none });
  });

  it('is summed for today, the last seven days and all time', () => {
    const store = opened();
    const days = [1, 3, 9, 9].map((day) => spent('shop', noon(day), 2));
    store.commit(batch({ spent: [...days, spent('blog', noon(9), 50)] }));
    store.commit(batch({ spent: [spent('shop', noon(9), 0.5)] }));
    expect(store.spending('shop', noon(9))).toEqual({
      today: { usd: 4.5, tokensIn: 300, tokensOut: 30 },
      week: { usd: 6.5, tokensIn: 400, tokensOut: 40 },
      ever: { usd: 8.5, tokensIn: 500, tokensOut: 50 },
    });
    expect(store.spending('shop', noon(10)).today.usd).toBe(0);
  });

  it('is assigned to days that begin at local midnight', () => {
    const store = opened();
    const midnight = new Date(2026, 2, 10).getTime();
    store.commit(batch({ spent: [spent('shop', midnight - 1, 1), spent('shop', midnight, 2)] }));
    expect([store.spending('shop', midnight - 1).today.usd, store.spending('shop', midnight).today.usd]).toEqual([
      1, 2,
    ]);
  });

  it('is rolled back with its commit', () => {
    const store = opened();
    const broken = { thread: 't1', run: null, interaction: null, card: null, view: 1n as never, at: 1 };
    expect(() => store.commit(batch({ spent: [spent('shop', noon(9), 2)], messages: [broken] }))).toThrow();
    expect(store.spending('shop', noon(9)).ever.usd).toBe(0);
  });

  it('is one total per day, across many commits', () => {
    const store = opened();
    for (let time = 0; time < 50; time++) store.commit(batch({ spent: [spent('shop', noon(9) + time, 1)] }));
    expect(store.spending('shop', noon(9)).ever).toMatchObject({ usd: 50, tokensIn: 5_000 });
  });
});
