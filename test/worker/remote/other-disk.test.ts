// A worker on a machine whose Bosun another one took over from: the checkouts beside it are not those of the jobs there are.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { job } from '../../contract/queue-contract.js';
import { gatedRun, makeBench } from '../../queue/bullmq-bench.js';
import { describeRedis } from '../../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../../redis/server.js';

describeRedis('a worker with another disk than the running Bosun', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  it('runs none of its jobs, says so once, and leaves them to a worker with the right disk', async () => {
    const bench = await makeBench(redis.url, { disk: 'there' });
    try {
      const [mine, right] = [gatedRun(), gatedRun()];
      let told = 0;
      const onOtherDisk = () => {
        told += 1;
      };
      await bench.worker({ name: 'left', run: mine.run, disk: () => 'here', onOtherDisk });
      await bench.queue.add([job('a')]);
      await expect.poll(() => told, { timeout: 8_000 }).toBe(1);
      await bench.worker({ name: 'right', run: right.run, disk: () => 'there' });
      await expect.poll(() => right.started, { timeout: 8_000 }).toEqual(['a']);
      right.end('a');
      await bench.seen.saw('finished a');
      expect([mine.started, told]).toEqual([[], 1]);
    } finally {
      await bench.end();
    }
  });
});
