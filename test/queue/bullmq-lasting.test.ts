// An envelope whose work has to be fetched from elsewhere first may take minutes to go on record, and so may losses whose
// processes have to be ended.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyEnvelope } from '../../src/engine/index.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { proxyTo } from '../redis/proxy.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { gatedRun, leaseMs, makeBench, until } from './bullmq-bench.js';

describeRedis('a slow settlement', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.end());

  test('delays neither Bosun’s heartbeat nor the next reconciliation', async () => {
    const bench = await makeBench(server.url);
    const { run, started } = gatedRun();
    let record: () => void = () => undefined;
    const recorded = new Promise<void>((resolve) => {
      record = resolve;
    });
    const ending: string[] = [];
    bench.queue.listen({
      ...bench.seen,
      async finished(id) {
        ending.push(id);
        await recorded;
      },
    });
    const { session } = await bench.worker({ run });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    // The word of it was lost, as when Bosun dies over it: comparing finds it.
    const written = JSON.stringify({ worker: 'far', envelope: { ...emptyEnvelope, exit: 0 } });
    await server.client.hset(`bosun-${bench.home}:results`, `a ${session}`, written);
    await until(() => ending.length === 1);
    await bench.queue.reconcile();
    const alive = `bosun-${bench.home}:alive`;
    await server.client.del(alive);
    await expect.poll(() => server.client.exists(alive), { timeout: 3 * leaseMs }).toBe(1);
    record();
    await bench.end();
  });

  test('does not delay the settlement of a dead worker’s other jobs, or the heartbeat', async () => {
    const proxy = await proxyTo(server.port);
    const bench = await makeBench(server.url);
    const { run, started } = gatedRun();
    let record: () => void = () => undefined;
    const recorded = new Promise<void>((resolve) => {
      record = resolve;
    });
    const losing: string[] = [];
    bench.queue.listen({
      ...bench.seen,
      async lost(id) {
        losing.push(id);
        await recorded;
      },
    });
    await bench.worker({ run, redis: proxy.url, concurrency: 20 });
    await bench.queue.add(Array.from({ length: 20 }, (_, n) => job(`a${n}`)));
    await until(() => started.length === 20);
    await proxy.close();
    await until(() => losing.length === 20);
    const alive = `bosun-${bench.home}:alive`;
    await server.client.del(alive);
    await expect.poll(() => server.client.exists(alive), { timeout: 3 * leaseMs }).toBe(1);
    record();
    await until(async () => (await bench.queue.known()).length === 0);
    await bench.end();
  });
});
