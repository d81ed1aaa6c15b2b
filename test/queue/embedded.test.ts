import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type QueueClock, systemClock } from '../../src/base/index.js';
import { emptyEnvelope } from '../../src/engine/index.js';
import { type EmbeddedOptions, type EmbeddedQueue, embeddedQueue } from '../../src/queue/index.js';
import type { SqliteStore } from '../../src/store/index.js';
import { job, queueContract, recorder } from '../contract/queue-contract.js';
import { batchOf } from '../empty-batch.js';
import { openStore } from '../open-store.js';
import { stoppedClock } from './stopped-clock.js';

const leasesMs = { short: 150, long: 15_000 };

queueContract('embedded', async (limits, lease) => {
  const leaseMs = leasesMs[lease];
  const folder = mkdtempSync(join(tmpdir(), 'bosun-queue-'));
  const path = join(folder, 'bosun.db');
  const stores = [openStore(path)];
  let isDead = false;
  // What is dead renews nothing; that its handlers are still there makes the test harder than a real kill.
  const mortal: QueueClock = {
    ...systemClock,
    after: (ms, call) => systemClock.after(ms, () => isDead || call()),
  };
  const make = (clock: QueueClock, store = stores[0]) => {
    if (store === undefined) throw new Error('no store');
    const parts = { jobs: store.jobs, limits, leaseMs, clock, closeTimeoutMs: 1_000 };
    return embeddedQueue({ ...parts, onError: () => undefined });
  };
  return {
    queue: make(mortal),
    leaseMs,
    async crash() {
      isDead = true;
      const store = openStore(path);
      stores.push(store);
      return make(systemClock, store);
    },
    async end() {
      for (const store of stores) store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describe('the embedded queue', () => {
  const queues: EmbeddedQueue[] = [];
  let folder: string;
  let store: SqliteStore;
  let time: ReturnType<typeof stoppedClock>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bosun-queue-'));
    store = openStore(join(folder, 'bosun.db'));
    time = stoppedClock();
  });

  afterEach(async () => {
    const closed = Promise.all(queues.splice(0).map((queue) => queue.close()));
    await turns();
    time.move(1_000);
    await closed;
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function queueOf(options: Partial<EmbeddedOptions> = {}): EmbeddedQueue {
    const queue = embeddedQueue({ jobs: store.jobs, leaseMs: 30, clock: time.clock, closeTimeoutMs: 5, ...options });
    queues.push(queue);
    return queue;
  }

  const turns = async (count = 20) => {
    for (let at = 0; at < count; at += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const forever = () => new Promise<never>(() => undefined);

  test('limits running jobs, beyond what its workers could take', async () => {
    const queue = queueOf({ limit: 3 });
    const seen = recorder();
    queue.listen(seen);
    for (const name of ['w1', 'w2']) queue.work({ name, concurrency: 2, run: forever });
    await queue.add(Array.from({ length: 9 }, (_, at) => job(`j${at}`)));
    await turns();
    expect(await queue.counts()).toEqual({ queued: 6, running: 3 });
  });

  test('has no timer while idle', async () => {
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    queue.work({ name: 'w1', concurrency: 2, run: async () => emptyEnvelope });
    await queue.add([job('a')]);
    await seen.saw('finished a');
    await turns();
    time.move(30);
    await turns();
    expect(time.waiting()).toBe(0);
  });

  test('takes jobs that a store commit has written once they are added', async () => {
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    queue.work({ name: 'w1', concurrency: 1, run: async () => emptyEnvelope });
    store.commit(batchOf({ jobs: [job('a'), job('b'), job('c')] }));
    store.jobs.remove('b');
    await queue.add([job('a'), job('b'), job('c')]);
    await seen.saw('finished c');
    expect([...seen.envelopes.keys()]).toEqual(['a', 'c']);
  });

  test('skips a waiting job whose row is settled', async () => {
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    await queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' })]);
    store.jobs.forget(['a']);
    queue.work({ name: 'w1', concurrency: 1, run: async () => emptyEnvelope });
    await seen.saw('finished b');
    expect(seen.log).not.toContain('started a w1');
  });

  test('reports jobs that an earlier process had claimed, and requeues those that had not started', async () => {
    await queueOf().add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' })]);
    store.jobs.exchange([], [{ id: 'a', worker: 'w0' }], 'earlier', time.clock.now() + 30);
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    expect(await queue.abandoned()).toEqual([{ id: 'a', worker: 'w0' }]);
    queue.work({ name: 'w1', concurrency: 1, run: async () => emptyEnvelope });
    await turns();
    expect(seen.log).toEqual([]);
    await queue.requeue(['a', 'b']);
    await seen.saw('finished b');
    expect([...seen.envelopes.keys()]).toEqual(['a', 'b']);
    expect(await queue.abandoned()).toEqual([]);
  });

  test('gives recovery a full lease before it reports old jobs as lost', async () => {
    await queueOf().add([job('a'), job('b')]);
    const claims = ['a', 'b'].map((id) => ({ id, worker: 'w0' }));
    store.jobs.exchange([], claims, 'earlier', time.clock.now() - 999_999);
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    time.move(29);
    await turns();
    expect(seen.log).toEqual([]);
    await queue.forget(['a']);
    time.move(1);
    await turns();
    expect(seen.log).toEqual(['lost b w0']);
  });

  test('reports a loss again one lease later if it could not be recorded', async () => {
    await queueOf().add([job('a')]);
    store.jobs.exchange([], [{ id: 'a', worker: 'w0' }], 'earlier', time.clock.now() + 30);
    const errors: unknown[] = [];
    const queue = queueOf({ onError: (error) => errors.push(error) });
    const seen = recorder();
    let failures = 1;
    queue.listen({
      ...seen,
      lost: async (id, worker) => {
        failures -= 1;
        if (failures === 0) throw new Error('the store is full');
        await seen.lost(id, worker);
      },
    });
    time.move(29);
    await turns();
    expect(errors).toEqual([]);
    time.move(1);
    await turns();
    expect(errors).toHaveLength(1);
    expect(await queue.known()).toEqual(['a']);
    time.move(30);
    await turns();
    expect(seen.log).toEqual(['lost a w0']);
    expect(await queue.known()).toEqual([]);
  });

  test('does not report a lease as lost that its holder has renewed', async () => {
    await queueOf().add([job('a')]);
    store.jobs.exchange([], [{ id: 'a', worker: 'w0' }], 'other', time.clock.now() + 30);
    const seen = recorder();
    queueOf().listen(seen);
    store.jobs.renew(['a'], 'other', time.clock.now() + 50);
    time.move(30);
    await turns();
    expect(seen.log).toEqual([]);
    time.move(20);
    await turns();
    expect(seen.log).toEqual(['lost a w0']);
  });

  test('frees a checkout when the process that held it has ended its job', async () => {
    await queueOf().add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' })]);
    store.jobs.exchange([], [{ id: 'a', worker: 'w0' }], 'other', time.clock.now() + 30);
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    queue.work({ name: 'w1', concurrency: 1, run: async () => emptyEnvelope });
    store.jobs.exchange(['a'], [], 'other', 0);
    await turns();
    expect(seen.log).toEqual([]);
    time.move(30);
    await seen.saw('finished b');
    expect(seen.log).not.toContain('lost a w0');
  });

  test('starts the next job at once if a result could not be recorded', async () => {
    const queue = queueOf();
    const seen = recorder();
    seen.failFinish = (id) => id === 'a';
    queue.listen(seen);
    queue.work({ name: 'w1', concurrency: 1, run: async () => emptyEnvelope });
    await queue.add([job('a'), job('b', { checkout: '/b' })]);
    // Time stands still: the lease of the first has not run out.
    await turns();
    expect(seen.log).toEqual(['started a w1', 'started b w1', 'finished b']);
  });

  test('fills a worker with high concurrency in one turn', async () => {
    const queue = queueOf({ limit: 1_000 });
    queue.listen(recorder());
    queue.work({ name: 'w1', concurrency: 700, run: forever });
    await queue.add(Array.from({ length: 700 }, (_, at) => job(`j${at}`)));
    await turns();
    expect(await queue.counts()).toEqual({ queued: 0, running: 700 });
  });

  test('aborts a handler whose lease was taken over, and ignores its result', async () => {
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    let reason: unknown = null;
    queue.work({
      name: 'w1',
      concurrency: 1,
      run: (_spec, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            resolve(emptyEnvelope);
          });
        }),
    });
    await queue.add([job('a')]);
    await turns();
    expect(store.jobs.takeOver('a', 'other', time.clock.now() + 30, time.clock.now() + 60)).toBe('taken');
    time.move(10);
    await turns();
    expect(reason).toBe('interrupted');
    expect(seen.log).toEqual(['started a w1']);
  });

  test('waits a limited time for a handler on close, and reports it as lost when the lease expires', async () => {
    const queue = queueOf();
    const seen = recorder();
    queue.listen(seen);
    const worker = queue.work({ name: 'w1', concurrency: 1, run: forever });
    await queue.add([job('a')]);
    await turns();
    const closed = worker.close();
    await turns();
    time.move(5);
    await closed;
    time.move(30);
    await turns();
    expect(seen.log).toEqual(['started a w1', 'lost a w1']);
  });

  test('retries by itself after the store failed during a claim', async () => {
    const errors: unknown[] = [];
    let isFull = true;
    const jobs = {
      ...store.jobs,
      exchange: (...args: Parameters<typeof store.jobs.exchange>) => {
        if (isFull) throw new Error('no space left');
        return store.jobs.exchange(...args);
      },
    };
    const queue = queueOf({ jobs, onError: (error) => errors.push(error) });
    const seen = recorder();
    queue.listen(seen);
    queue.work({ name: 'w1', concurrency: 1, run: async () => emptyEnvelope });
    await queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' })]);
    await turns();
    expect(errors).toHaveLength(1);
    isFull = false;
    time.move(1_000);
    await seen.saw('finished b');
    expect([...seen.envelopes.keys()]).toEqual(['a', 'b']);
  });

  test('does not block the event loop with ten thousand jobs', async () => {
    const queue = queueOf({ clock: systemClock, leaseMs: 5_000 });
    const seen = recorder();
    queue.listen(seen);
    queue.work({ name: 'w1', concurrency: 64, run: async () => emptyEnvelope });
    let turnsSeen = 0;
    let isOver = false;
    const spin = () => {
      turnsSeen += 1;
      if (!isOver) setImmediate(spin);
    };
    spin();
    await queue.add(Array.from({ length: 10_000 }, (_, at) => job(`j${at}`, { checkout: at % 2 === 0 ? '/x' : null })));
    await seen.saw('finished j9998');
    isOver = true;
    expect(seen.envelopes.size).toBe(10_000);
    // Every one of the five thousand on one checkout needs a turn of its own.
    expect(turnsSeen).toBeGreaterThan(4_000);
  });
});
