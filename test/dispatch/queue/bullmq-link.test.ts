// The ways to Redis, where they break without a word.
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { closeLink, openTakingLink } from '../../../src/dispatch/queue/bullmq/link.js';
import { describeRedis } from '../../redis/describe-redis.js';
import { proxyTo, type RedisProxy } from '../../redis/proxy.js';
import { type RedisServer, startRedis } from '../../redis/server.js';

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
});
