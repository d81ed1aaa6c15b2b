// The ways to Redis, where they break without a word.
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { closeLink, connect, type LinkOptions, openTakingLink } from '../../src/queue/redis/connection/connect.js';
import { inspectRedis } from '../../src/queue/redis/connection/inspect.js';
import { problemsOf } from '../../src/queue/redis/connection/problems.js';
import { openBullmqQueues } from '../../src/queue/redis/offers/bullmq-queues.js';
import { pack } from '../../src/queue/redis/offers/job-payload.js';
import { namesOf } from '../../src/queue/redis/protocol/redis-keys.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { proxyTo, type RedisProxy } from '../redis/proxy.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { makeBench, until } from './bullmq-bench.js';

describeRedis('a Redis connection', () => {
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

  test('for taking jobs is reopened when it hangs, and repeats its command', async () => {
    const link = openTakingLink({ url: proxy.url, name: 'takes', silentMs: 300, onError: () => undefined });
    links.push(link);
    expect(await link.ping()).toBe('PONG');
    proxy.freeze();
    expect(await link.ping()).toBe('PONG');
  });

  test('for taking jobs retries a command that Redis was too busy to answer', async () => {
    const link = openTakingLink({ url: server.url, name: 'takes', onError: () => undefined });
    links.push(link);
    await until(() => link.status === 'ready');
    await server.client.config('SET', 'busy-reply-threshold', '10');
    const busy = server.client.duplicate();
    links.push(busy);
    const script = busy.eval('while true do end', 0).catch(String);
    await until(() => server.client.ping().then(...[() => false, () => true]));
    const asked = link.ping();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.client.script('KILL');
    expect(await asked).toBe('PONG');
    expect(await script).toContain('Script killed');
  });

  test.each([
    ['99', connect],
    ['99', (options: LinkOptions) => openTakingLink(options)],
    ['99', (options: LinkOptions) => openTakingLink(options).duplicate()],
  ])('to a missing database (%s) uses no other database, and reports the problem', async (database, open) => {
    const said: unknown[] = [];
    const problems = problemsOf('h', (problem) => said.push(problem));
    const url = `${server.url}/${database}`;
    const link = open({ url, name: 'lost', commandTimeoutMs: 500, onError: problems.note });
    links.push(link);
    let wasReady = false;
    link.on('ready', () => {
      wasReady = true;
    });
    let failed = 0;
    link.on('error', () => {
      failed += 1;
    });
    await until(() => failed > 2);
    if (said.length > 0) expect(said).toEqual([expect.stringMatching(/^Redis at h has no database 99/)]);
    // It fails, or waits.
    link.set('lost', 'in another database').catch(() => undefined);
    await until(() => failed > 4);
    expect(wasReady).toBe(false);
    expect(await server.client.exists('lost')).toBe(0);
  });

  test('over TLS to a server without TLS reports it', async () => {
    const errors: unknown[] = [];
    const url = server.url.replace('redis:', 'rediss:');
    const link = connect({ url, name: 'safe', commandTimeoutMs: 500, onError: (error) => void errors.push(error) });
    links.push(link);
    await until(() => errors.length > 0);
    expect(String(errors[0])).toContain('no TLS');
    expect((await inspectRedis(url, 'h1')).problem).toMatch(/does not answer over TLS/);
  });

  test('recovers after Redis was too slow on first use', async () => {
    const errors: unknown[] = [];
    const note = (error: unknown) => void errors.push(error);
    const redis = connect({ url: proxy.url, name: 'offers', commandTimeoutMs: 100, onError: note });
    links.push(redis);
    await until(() => redis.status === 'ready');
    const shelf = openBullmqQueues({ redis, names: namesOf('slow'), onRedisError: note, onError: note });
    proxy.delayMs = 200;
    const { payload, ...rest } = job('a');
    const offer = { job: { ...rest, notBefore: null, n: 1 }, needs: [], payload: pack(JSON.stringify(payload)) };
    await expect(shelf.offer([offer])).rejects.toThrow('Command timed out');
    proxy.delayMs = 0;
    await until(async () => (await redis.ping().catch(() => '')) === 'PONG');
    await shelf.offer([offer]);
    expect(await shelf.ids()).toEqual(new Set(['a']));
    await shelf.close();
  });

  test('reconnects when its server has become a replica', async () => {
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
