// Redis is away for so short a time that nobody who looks now and then would see it.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { emptyEnvelope } from '../../src/engine/index.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { proxyTo, type RedisProxy } from '../redis/proxy.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { type Bench, gatedRun, makeBench, until } from './bullmq-bench.js';

describeRedis('a brief disconnect', () => {
  let server: RedisServer;
  let proxy: RedisProxy;
  let bench: Bench;

  beforeAll(async () => {
    server = await startRedis();
    proxy = await proxyTo(server.port);
  });

  afterEach(() => bench.end());

  afterAll(async () => {
    await proxy.close();
    await server.end();
  });

  test('loses no cancel that Redis forgot meanwhile', async () => {
    const leaseMs = 15_000;
    bench = await makeBench(server.url, { leaseMs });
    const { run, started, aborted } = gatedRun();
    const { session } = await bench.worker({ run, leaseMs, redis: proxy.url });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    proxy.freeze();
    await bench.queue.cancel('a');
    const down = `bosun-${bench.home}:down:${session}`;
    await until(async () => JSON.stringify(await server.client.xrange(down, '-', '+')).includes('isCancelled'));
    await server.client.del(down);
    await server.client.call('CLIENT', 'KILL', 'TYPE', 'normal');
    await until(() => aborted.includes('a cancel'));
  });

  test('loses no result that a cut-off worker still holds after Redis lost everything', async () => {
    const leaseMs = 15_000;
    bench = await makeBench(server.url, { leaseMs });
    const { run, started, end } = gatedRun();
    await bench.worker({ run, leaseMs, redis: proxy.url });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    proxy.cut();
    end('a');
    await server.client.flushall();
    await server.client.call('CLIENT', 'KILL', 'TYPE', 'normal');
    // Bosun is there again before its worker.
    await until(async () => (await server.client.exists(`bosun-${bench.home}:alive`)) === 1);
    await bench.queue.reconcile();
    proxy.mend();
    await bench.seen.saw('finished a');
    expect(bench.seen.log).not.toContain('lost a far');
  });

  test('loses no envelope that is stored in Redis while its worker is cut off', async () => {
    bench = await makeBench(server.url, { reconcileMs: 600_000 });
    const { run, started } = gatedRun();
    const { session } = await bench.worker({ run, redis: proxy.url });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    proxy.cut();
    const written = JSON.stringify({ worker: 'far', envelope: { ...emptyEnvelope, exit: 7 } });
    await server.client.hset(`bosun-${bench.home}:results`, `a ${session}`, written);
    await bench.seen.saw('finished a');
    expect(bench.seen.envelopes.get('a')?.exit).toBe(7);
    expect(bench.seen.log).not.toContain('lost a far');
    proxy.mend();
  });
});
