import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type BullmqQueue, openBullmqQueue } from '../../src/queue/index.js';
import { queueContract } from '../contract/queue-contract.js';
import { openStore } from '../open-store.js';
import { describeRedis } from '../redis/describe-redis.js';
import { proxyTo } from '../redis/proxy.js';
import { type RedisServer, startRedis } from '../redis/server.js';

const leasesMs = { short: 2_500, long: 15_000 };

describeRedis('the queue contract', () => {
  let server: RedisServer;
  let homes = 0;

  beforeAll(async () => {
    server = await startRedis();
  });

  afterAll(() => server.end());

  queueContract('BullMQ', async (limits, lease) => {
    const leaseMs = leasesMs[lease];
    homes += 1;
    const home = `h${homes}`;
    const folder = mkdtempSync(join(tmpdir(), 'bosun-queue-'));
    const path = join(folder, 'bosun.db');
    const stores = [openStore(path)];
    const queues: BullmqQueue[] = [];
    // A process that is killed is one that is cut off from Redis; that its handlers are still there makes it harder.
    const proxy = await proxyTo(server.port);
    const open = async (redis: string, store = stores[0]) => {
      if (store === undefined) throw new Error('no store');
      const queue = await openBullmqQueue({
        ...{ redis, home, agentKinds: [], limits, leaseMs, jobs: store.jobs, closeTimeoutMs: 1_000, reconcileMs: 500 },
        onError: () => undefined,
      });
      queues.push(queue);
      return queue;
    };
    return {
      queue: await open(proxy.url),
      leaseMs,
      async crash() {
        proxy.cut();
        const store = openStore(path);
        stores.push(store);
        return open(server.url, store);
      },
      async end() {
        await Promise.all(queues.map((queue) => queue.close()));
        await proxy.close();
        for (const store of stores) store.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });
});
