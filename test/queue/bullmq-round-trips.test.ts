// How often Bosun and a worker ask Redis for one job, by Redis's own count of commands.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyEnvelope } from '../../src/engine/index.js';
import { messagesIn, messageWriter } from '../../src/queue/redis/protocol/batched-messages.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { makeBench, until } from './bullmq-bench.js';

const jobs = 100;
/** Neither a lease that ends on a busy machine nor a reconciliation counts here. */
const calm = { leaseMs: 30_000, reconcileMs: 600_000 };

describeRedis('the round trips of a job through Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.end());

  async function callsOf(tail: string): Promise<Readonly<Record<string, number>>> {
    await server.client.config('RESETSTAT');
    const bench = await makeBench(server.url, calm);
    const tailed = { ...emptyEnvelope, exit: 0, output: { ...emptyEnvelope.output, tail } };
    await bench.worker({ leaseMs: calm.leaseMs, concurrency: 20, run: async () => tailed });
    await bench.queue.add(Array.from({ length: jobs }, (_, at) => job(`${tail.length}-${at}`)));
    await until(() => bench.seen.envelopes.size === jobs);
    for (const envelope of bench.seen.envelopes.values()) expect(envelope.output.tail).toBe(tail);
    const stats = await server.client.info('commandstats');
    await bench.end();
    return Object.fromEntries([...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map((one) => [one[1], Number(one[2])]));
  }

  test('a small envelope usually arrives with its message', async () => {
    // Only a read of an envelope asks for the length of a field first.
    const { hstrlen = 0, hset = 0 } = await callsOf('short');
    expect(hset).toBeGreaterThanOrEqual(jobs);
    // Race: the reconciliation at the start may find results whose messages are still on their way, and reads those.
    expect(hstrlen).toBeLessThan(jobs / 2);
  });

  test('questions, answers and results of one turn share their commands', async () => {
    const { xadd = 0, pexpire = 0, hdel = 0 } = await callsOf('');
    // BullMQ's own scripts add four entries for each job.
    expect(xadd).toBeLessThan(6 * jobs);
    expect(pexpire).toBeLessThan(jobs / 2);
    expect(hdel).toBeLessThan(jobs / 2);
  });

  test('messages of one turn arrive in order, a hundred in an entry, and fail together', async () => {
    const redis = server.client.duplicate({ maxRetriesPerRequest: 0, enableOfflineQueue: false });
    await until(() => redis.status === 'ready');
    const writer = messageWriter({ redis, from: 'w1', maxEntries: 1_000, keptMs: 60_000 });
    const words = Array.from({ length: 230 }, (_, at) => `word ${at}`);
    await Promise.all([...words.map((word) => writer.write('many', word)), writer.write('other', 'm')]);
    await writer.write('other', 'later');
    const entries = await server.client.xrange('many', '-', '+');
    expect(entries.map(([, fields]) => messagesIn(fields).length)).toEqual([100, 100, 30]);
    expect(entries.flatMap(([, fields]) => messagesIn(fields))).toEqual(words);
    expect(entries[0]?.[1].slice(0, 2)).toEqual(['from', 'w1']);
    const others = await server.client.xrange('other', '-', '+');
    expect(others.map(([, fields]) => messagesIn(fields))).toEqual([['m'], ['later']]);
    expect(await server.client.pttl('many')).toBeGreaterThan(0);
    redis.disconnect();
    const failed = await Promise.allSettled([writer.write('many', 'a'), writer.write('many', 'b')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('a large envelope is read from Redis', async () => {
    const { hstrlen = 0 } = await callsOf('x'.repeat(20_000));
    expect(hstrlen).toBeGreaterThanOrEqual(jobs);
  });
});
