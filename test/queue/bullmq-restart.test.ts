// Bosun ends and comes again while workers elsewhere are at work: they are reached at once, and nothing is begun twice.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { emptyEnvelope } from '../../src/engine/index.js';
import type { BullmqWorkerOptions } from '../../src/queue/index.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { batch } from '../store/values.js';
import { type Bench, gatedRun, makeBench, until } from './bullmq-bench.js';

/** Workers give no sign while a test lasts. */
const leaseMs = 60_000;

describeRedis('a restarted Bosun', () => {
  let server: RedisServer;
  let bench: Bench;

  beforeAll(async () => {
    server = await startRedis();
  });

  afterEach(() => bench.end());

  afterAll(() => server.end());

  test('deletes its alive key on close', async () => {
    bench = await makeBench(server.url, { leaseMs });
    const alive = `bosun-${bench.home}:alive`;
    await until(async () => (await server.client.exists(alive)) === 1);
    await bench.queue.close();
    expect(await server.client.exists(alive)).toBe(0);
  });

  test('cancels a job of a worker that has not sent a heartbeat yet', async () => {
    bench = await makeBench(server.url, { leaseMs });
    const { run, started, aborted } = gatedRun();
    await bench.worker({ run, leaseMs });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    const next = await bench.again();
    const saidAt = Date.now();
    expect(await next.queue.cancel('a')).toBe('signalled');
    await until(() => aborted.includes('a cancel'));
    expect(Date.now() - saidAt).toBeLessThan(2_000);
  });

  test('sends workers the cancels and extensions that its predecessor stored but did not send', async () => {
    bench = await makeBench(server.url, { leaseMs });
    const heard: string[] = [];
    const run: BullmqWorkerOptions['run'] = ({ attempt }, control) =>
      new Promise((resolve) => {
        heard.push(`${attempt} runs`);
        control.onExtend((byMs) => heard.push(`${attempt} ${byMs}`));
        control.signal.addEventListener('abort', () => {
          heard.push(`${attempt} ${String(control.signal.reason)}`);
          resolve(emptyEnvelope);
        });
      });
    await bench.worker({ run, leaseMs });
    await bench.queue.add([job('a'), job('b')]);
    await until(() => heard.length === 2);
    bench.store.commit(batch({ cancels: ['a'], extensions: [{ attempt: 'b', byMs: 7_000 }] }));
    await bench.again();
    await until(() => heard.length === 4);
    expect(heard.slice(2).sort()).toEqual(['a cancel', 'b 7000']);
  });

  test('lets only the worker start a job for which its predecessor had recorded the start', async () => {
    bench = await makeBench(server.url, { leaseMs });
    const recorded: string[] = [];
    bench.queue.listen({
      ...bench.seen,
      started: (id) => {
        recorded.push(id);
        return new Promise(() => undefined);
      },
    });
    const { run, started } = gatedRun();
    await bench.worker({ run, leaseMs, patienceMs: 10_000 });
    await bench.queue.add([job('a')]);
    await until(() => recorded.length === 1);
    const next = await bench.again();
    await until(() => started.length === 1);
    expect([next.seen.log, await next.queue.known()]).toEqual([[], ['a']]);
  });
});
