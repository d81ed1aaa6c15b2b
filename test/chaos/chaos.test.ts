// Twenty projects, four workers, and everything that can happen to them; the long form is test/long/chaos.test.ts.
import { beforeAll, expect, it } from 'vitest';
import { built } from '../cli/given.js';
import { describeRedis } from '../redis/describe-redis.js';
import { playChaos } from './chaos.js';

const seed = Number(process.env['CHAOS_SEED'] ?? 11);
/** Those of the four that have not the home's disk. */
const awayWorkers = Number(process.env['CHAOS_AWAY'] ?? 1);

describeRedis('Bosun with workers, under blows', () => {
  beforeAll(() => built());

  it('completes every request, commits each effect once and announces each end', { timeout: 200_000 }, async () => {
    const { problems, lines } = await playChaos({
      ...{ seed, network: 'proxies', projects: 20, workers: 4, awayWorkers, remoteEvery: 4, leaseS: 3 },
      ...{
        blowsMs: 18_000,
        pauseBetweenBlowsMs: [500, 1_400],
        agentS: [0.2, 0.3],
        restMs: [1_000, 8_000],
        peaceMs: 120_000,
      },
    });
    console.log(lines.join('\n'));
    expect(problems).toEqual([]);
  });
});
