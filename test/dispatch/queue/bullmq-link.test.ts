// The ways to Redis, where they break without a word.
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { closeLink, openTakingLink } from '../../../src/dispatch/queue/bullmq/link.js';
import { job } from '../../contract/queue-contract.js';
import { describeRedis } from '../../redis/describe-redis.js';
import { proxyTo, type RedisProxy } from '../../redis/proxy.js';
import { type RedisServer, startRedis } from '../../redis/server.js';
import { makeBench, until } from './bullmq-bench.js';

describeRedis('a way to Redis', () => {
  let server: RedisServer;
  let proxy: RedisProxy;
  const links: Redis[] = [];

  beforeAll(async () => {
    server = await startRedis();
    proxy = await proxyTo(server.port);
  });

  afterEach(() => {
    for (const link of links.splice(0)) closeLink(link);
  });

  afterAll(async () => {
    await proxy.close();
    await server.end();
  });

  test('that jobs are taken by is made anew when it says nothing any more, and what was asked is asked again', async () => {
    const link = openTakingLink({ url: proxy.url, name: 'takes', silentMs: 300, onError: () => undefined });
    links.push(link);
    expect(await link.ping()).toBe('PONG');
    proxy.freeze();
    expect(await link.ping()).toBe('PONG');
  });

  test('that leads to a server which became a replica is looked for anew', async () => {
    const next = await startRedis(['--replicaof', '127.0.0.1', String(server.port)]);
    const bench = await makeBench(proxy.url);
    try {
      await bench.worker({});
      await bench.queue.add([job('a')]);
      await bench.seen.saw('finished a');
      await until(async () => (await next.client.info('replication')).includes('master_link_status:up'));
      await next.client.replicaof('NO', 'ONE');
      proxy.aim(next.port);
      await server.client.replicaof('127.0.0.1', next.port);
      await bench.queue.add([job('b')]);
      await bench.seen.saw('finished b');
    } finally {
      await bench.end();
      await next.end();
    }
  });
});
