import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codingAgents } from '../../../src/agents/index.js';
import { drawnDiskMark, loadConfig } from '../../../src/config/index.js';
import { whichHome } from '../../../src/worker/remote/find-home.js';
import { workerConfig } from '../../../src/worker/remote/worker-config.js';
import { describeRedis } from '../../redis/describe-redis.js';
import { proxyTo } from '../../redis/proxy.js';
import { type RedisServer, startRedis } from '../../redis/server.js';
import { makeFolder } from '../../workspace/repository.js';

const never = new AbortController().signal;

function givenSearch(redis: string, parts: { readonly wanted?: string; readonly signal?: AbortSignal } = {}) {
  const dir = makeFolder();
  const told: string[] = [];
  const home = { dir, dbPath: join(dir, 'bosun.db'), homeId: 'h00000000' };
  const { wanted = null, signal = never } = parts;
  return { home, told, search: { home, redis, wanted, signal, tell: (text: string) => told.push(text), everyMs: 20 } };
}

describeRedis('the home whose jobs a worker takes', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());
  beforeEach(() => redis.client.flushall());

  const live = (home: string) => redis.client.set(`bosun-${home}:alive`, 'x', 'PX', 60_000);

  it('is the only home that is live in its Redis', async () => {
    await live('h12345678');
    await redis.client.mset('bosun-h1:up', 'x', 'other:alive', 'x', 'bosun-h2:worker:alive2', 'x');
    const { search, told } = givenSearch(redis.url);
    expect(await whichHome(search)).toEqual({ id: 'h12345678', isAway: true });
    expect(told).toEqual([]);
  });

  it('is its own home if Bosun has run there, even if others are live', async () => {
    await live('h12345678');
    const { search, home } = givenSearch(redis.url);
    writeFileSync(home.dbPath, '');
    expect(await whichHome(search)).toEqual({ id: home.homeId, isAway: false });
  });

  it('is remote if another machine has taken over, although Bosun has run here too', async () => {
    const [here, there] = [givenSearch(redis.url), givenSearch(redis.url)];
    for (const { home } of [here, there]) writeFileSync(home.dbPath, '');
    drawnDiskMark(here.home);
    const { homeId } = there.home;
    const said = { instance: 'b', leaseMs: 15_000, disk: drawnDiskMark(there.home) };
    await redis.client.set(`bosun-${homeId}:alive`, JSON.stringify(said));
    expect(await whichHome(here.search)).toEqual({ id: homeId, isAway: true });
    expect(await whichHome(there.search)).toEqual({ id: homeId, isAway: false });
    // All of the other's folder, with its mark.
    const copied = givenSearch(redis.url, { wanted: homeId });
    cpSync(there.home.dir, copied.home.dir, { recursive: true });
    expect(await whichHome(copied.search)).toEqual({ id: homeId, isAway: true });
  });

  it('is waited for with a single message', async () => {
    const { search, told } = givenSearch(redis.url);
    const chosen = whichHome(search);
    await expect.poll(() => told.length).toBe(1);
    await live('habcdef01');
    expect(await chosen).toEqual({ id: 'habcdef01', isAway: true });
    expect(told).toEqual([expect.stringContaining('No Bosun is active on this Redis yet')]);
  });

  it('is waited for while Redis is away', async () => {
    await live('h12345678');
    const proxy = await proxyTo(redis.port);
    proxy.cut();
    const { search, told } = givenSearch(proxy.url);
    const chosen = whichHome(search);
    await expect.poll(() => told).toEqual([expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ is unreachable/)]);
    proxy.mend();
    expect(await chosen).toEqual({ id: 'h12345678', isAway: true });
    await proxy.close();
  });

  it('is none if the wait is aborted', async () => {
    const ending = new AbortController();
    const { search, told } = givenSearch(redis.url, { signal: ending.signal });
    const chosen = whichHome(search);
    await expect.poll(() => told.length).toBe(1);
    ending.abort();
    expect(await chosen).toBeNull();
  });

  it('must be named if several homes are live', async () => {
    await live('h22222222');
    await live('h11111111');
    const { search } = givenSearch(redis.url);
    await expect(whichHome(search)).rejects.toThrow('Several Bosuns are active on this Redis: h11111111, h22222222');
    const { search: told } = givenSearch(redis.url, { wanted: 'h22222222' });
    expect(await whichHome(told)).toEqual({ id: 'h22222222', isAway: true });
  });

  it('is rejected if the given id is malformed', async () => {
    const { search } = givenSearch(redis.url, { wanted: 'shop*' });
    await expect(whichHome(search)).rejects.toThrow('"shop*" is not a home id');
  });
});

describe('the Redis URL of a worker', () => {
  const env = { REDIS_URL: 'redis://127.0.0.1:1' };

  it('is REDIS_URL without a config file', () => {
    const configPath = join(makeFolder(), 'config.yaml');
    expect(
      workerConfig(
        loadConfig({ configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() }, env),
        env,
      ).queue.redis,
    ).toBe(env.REDIS_URL);
    expect(
      workerConfig(
        loadConfig({ configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() }, {}),
        {},
      ).queue.redis,
    ).toBeNull();
  });

  it('is that of the config file if one exists, even if it names none', () => {
    const configPath = join(makeFolder(), 'config.yaml');
    writeFileSync(configPath, 'web: { port: 1 }\n');
    expect(
      workerConfig(
        loadConfig({ configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() }, env),
        env,
      ).queue.redis,
    ).toBeNull();
    writeFileSync(configPath, 'queue: { redis: "redis://127.0.0.1:2" }\n');
    expect(
      workerConfig(
        loadConfig({ configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() }, env),
        env,
      ).queue.redis,
    ).toBe('redis://127.0.0.1:2');
  });
});
