import { describe, expect, it } from 'vitest';
import type { WorkerInfo, WorkerStatus } from '../../src/dispatch/attempts/worker-status.js';
import { QueueDiagnostics } from '../../src/dispatch/health/queue-diagnostics.js';
import { aJob } from '../store/values.js';
import { begun, givenBench, liveOf, plainly, startOf } from './given.js';

const leaseMs = 15_000;
const self: WorkerInfo = {
  ...{ host: 'anvil', isAway: false, can: [], version: '1' },
  ...{ isForeign: false, isDraining: false, runs: [] },
};

async function given({ needs = [] as readonly string[], isElsewhere = true, threads = ['t1', 't2'] } = {}) {
  const bench = givenBench();
  await begun(bench, 1, { threads });
  const { attempt } = liveOf(bench, 'r1');
  const world = {
    at: (bench.store.attempt(attempt)?.attempt.dispatchedAt ?? 0) + 1_000,
    workers: [] as readonly Omit<WorkerStatus, 'seenAt'>[],
    seenAgoMs: 0,
    offers: new Map<string, number>(),
    problem: null as string | null,
    needs,
  };
  const waits = new QueueDiagnostics({
    store: bench.store,
    queue: {
      ...(isElsewhere && { onOffer: () => world.offers }),
      get problem() {
        return world.problem;
      },
    },
    workers: () => world.workers.map((one) => ({ ...one, seenAt: world.at - world.seenAgoMs })),
    needsOf: () => () => world.needs,
    ...{
      leaseMs,
      tellAfterMs: 60_000,
      present: plainly,
      now: () => world.at,
      submit: (work) => bench.dispatcher.submit(work),
    },
    onError: (error) => {
      throw error;
    },
  });
  const from = bench.commits.length;
  const told = () =>
    bench.commits.slice(from).flatMap(({ messages }) => messages.map((one) => `${one.thread} ${one.view.text}`));
  const lookAfter = async (ms: number) => {
    world.at += ms;
    await waits.look();
  };
  return { bench, waits, world, attempt, told, lookAfter };
}

const able = { name: 'able', self: { ...self, can: ['gpu'] } };
const plain = { name: 'plain', self };
const away = { name: 'away', self: { ...self, isAway: true, can: ['gpu'] } };

describe('a queued attempt', () => {
  it('waits for a capable worker, for Redis, for a free slot or for its turn', async () => {
    const { bench, waits, world, attempt } = await given({ needs: ['gpu', 'home-disk'] });
    const why = () => waits.of(attempt);
    expect(why()).toBe('a worker: no worker is active');
    world.workers = [plain];
    expect(why()).toBe('a worker that can do gpu: no active worker does');
    world.workers = [away];
    expect(why()).toBe("a worker that has Bosun's disk: no active worker does");
    world.workers = [{ name: 'both', self: { ...self, isAway: true } }];
    expect(why()).toBe("a worker that has Bosun's disk and can do gpu: no active worker does");
    world.workers = [able];
    expect(why()).toBe('its turn: other jobs go first');
    const { jobs } = bench.store;
    jobs.add([aJob('elsewhere', { checkout: '/srv/blog' }), aJob('there', { checkout: '/srv/shop' })]);
    jobs.exchange([], [{ id: 'elsewhere', worker: 'w1' }], 'i1', world.at + leaseMs);
    expect(why()).toBe('its turn: other jobs go first');
    jobs.exchange([], [{ id: 'there', worker: 'w1' }], 'i1', world.at + leaseMs);
    expect(why()).toBe('its checkout: another attempt is running there');
    world.offers.set(attempt, 1);
    expect(why()).toBe('a worker with a free slot');
    world.problem = 'Redis at box is full: raise maxmemory.';
    expect(why()).toBe('Redis: Redis at box is full: raise maxmemory');
  });

  it('waits for a worker while all are silent, of another version or draining', async () => {
    const { waits, world, attempt } = await given();
    world.workers = [plain];
    world.seenAgoMs = leaseMs + 1;
    expect(waits.of(attempt)).toBe('a worker: no worker is active');
    world.seenAgoMs = 0;
    world.workers = [
      { name: 'old', self: { ...self, isForeign: true } },
      { name: 'ending', self: { ...self, isDraining: true } },
    ];
    expect(waits.of(attempt)).toBe('a worker: no worker is active');
  });

  it('waits for an embedded worker without Redis, and for nothing once it has begun', async () => {
    const { bench, waits, world, attempt } = await given({ needs: ['gpu'], isElsewhere: false });
    expect(waits.of(attempt)).toBe('a worker: this Bosun runs no worker');
    world.workers = [{ name: 'embedded' }];
    expect(waits.of(attempt)).toBe('its turn: other jobs go first');
    await bench.dispatcher.submitEvent(startOf(bench, 'r1'));
    expect(waits.of(attempt)).toBe(null);
    expect(waits.of('none')).toBe(null);
  });
});

describe('followers of a run with a queued attempt', () => {
  it('are notified once after a minute without a worker, and again when the reason changes', async () => {
    const { world, told, lookAfter } = await given({ needs: ['gpu'] });
    await lookAfter(55_000);
    expect(told()).toEqual([]);
    await lookAfter(10_000);
    await lookAfter(60_000);
    const once = ['t1 untaken 1: a worker', 't2 untaken 1: a worker'];
    expect(told()).toEqual(once);
    world.workers = [plain];
    await lookAfter(60_000);
    const both = [...once, 't1 untaken 1: a worker that can do gpu', 't2 untaken 1: a worker that can do gpu'];
    expect(told()).toEqual(both);
    world.workers = [able];
    await lookAfter(60_000);
    expect(told()).toEqual(both);
    world.workers = [];
    await lookAfter(60_000);
    expect(told()).toEqual([...both, ...once]);
  });

  it('get one message for many waiting steps', async () => {
    const { bench, told, lookAfter } = await given({ threads: ['t1'] });
    await begun(bench, 2, { threads: ['t1', 't3'] });
    await begun(bench, 3, { threads: ['t1'] });
    await lookAfter(120_000);
    expect(told().filter((one) => one.includes('untaken'))).toEqual([
      't1 untaken 3: a worker',
      't3 untaken 1: a worker',
    ]);
  });

  it('are not notified while Redis is away, nor of an attempt that has begun', async () => {
    const { bench, world, told, lookAfter } = await given();
    world.problem = 'Redis is away.';
    await lookAfter(120_000);
    expect(told()).toEqual([]);
    world.problem = null;
    await bench.dispatcher.submitEvent(startOf(bench, 'r1'));
    await lookAfter(120_000);
    expect(told().filter((one) => one.includes('untaken'))).toEqual([]);
  });
});
