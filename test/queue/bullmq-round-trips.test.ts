// How often Bosun and a worker ask Redis for one job, by Redis's own count of commands.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyEnvelope } from '../../src/engine/index.js';
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

  test('a large envelope is read from Redis', async () => {
    const { hstrlen = 0 } = await callsOf('x'.repeat(20_000));
    expect(hstrlen).toBeGreaterThanOrEqual(jobs);
  });
});
