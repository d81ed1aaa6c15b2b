// Workers go on while no Bosun is there to read what they say.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { makeBench } from './bullmq-bench.js';

describeRedis('a worker without a running Bosun', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.end());

  test('bounds its heartbeat stream in Redis', async () => {
    const bench = await makeBench(server.url);
    const up = `bosun-${bench.home}:up`;
    await bench.queue.close();
    const days = server.client.pipeline();
    for (let n = 0; n < 60_000; n += 1) days.xadd(up, '*', 'from', 'w', 'm', '{}');
    await days.exec();
    await bench.worker({});
    await expect.poll(() => server.client.xlen(up), { timeout: 5_000 }).toBeLessThan(51_000);
    await bench.end();
  });
});
