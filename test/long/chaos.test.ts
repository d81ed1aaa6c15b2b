// What test/chaos/chaos.test.ts plays, for ten minutes, and on hosts of their own where the machine allows it.
//   CHAOS_MINUTES=2 CHAOS_SEED=7 CHAOS_NETWORK=proxies npx vitest run --config vitest.long.config.ts test/long/chaos
// CHAOS_KEEP=1 keeps the folder, with what every process printed.
import { beforeAll, expect, it } from 'vitest';
import { playChaos } from '../chaos/chaos.js';
import { canNamespace } from '../chaos/namespaces.js';
import { built } from '../cli/given.js';
import { describeRedis } from '../redis/describe-redis.js';

const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 100_000);
const minutes = Number(process.env['CHAOS_MINUTES'] ?? 10);
/** Those of the four that have not the home's disk. */
const awayWorkers = Number(process.env['CHAOS_AWAY'] ?? 2);
const hasHosts = process.env['CHAOS_NETWORK'] !== 'proxies' && canNamespace();

describeRedis('Bosun with workers, under blows for long', () => {
  beforeAll(() => built());

  it('completes every request, commits each effect once and announces each end', { timeout: 3_600_000 }, async () => {
    const { problems, lines } = await playChaos({
      ...{
        seed,
        network: hasHosts ? 'namespaces' : 'proxies',
        projects: 20,
        workers: 4,
        awayWorkers,
        remoteEvery: 2,
        leaseS: 3,
      },
      ...{ blowsMs: minutes * 60_000, pauseBetweenBlowsMs: [500, 3_500], agentS: [0.2, 0.6] },
      ...{ restMs: [2_000, 20_000], peaceMs: 300_000 },
    });
    console.log(lines.join('\n'));
    expect(problems).toEqual([]);
  });
});
