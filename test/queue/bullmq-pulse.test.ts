import { expect, test } from 'vitest';
import { HealthCheck } from '../../src/queue/redis/connection/health-check.js';

/** Time stands still until the test lets it go on. */
function given() {
  let now = 1_000_000;
  let call: () => void = () => undefined;
  const told: string[] = [];
  const pulse = new HealthCheck({
    clock: {
      now: () => now,
      steady: () => now,
      after(_, next) {
        call = next;
        return () => undefined;
      },
    },
    ...{ everyMs: 1_000, reconcileMs: 600_000 },
    touch: async () => void told.push('touch'),
    onBeat: () => void told.push('beat'),
    onSound: () => void told.push('sound'),
    reconcile: async () => undefined,
    onError: (error) => void told.push(String(error)),
  });
  return {
    ...{ pulse, told },
    /** The next touch comes so late; gives what it led to. */
    async after(ms: number) {
      now += ms;
      told.length = 0;
      call();
      await new Promise((resolve) => setImmediate(resolve));
      return [...told];
    },
  };
}

test('a pulse ignores the silence of workers after its process was suspended', async () => {
  const { pulse, after } = given();
  pulse.start(false);
  expect(await after(0)).toEqual(['touch', 'sound']);
  expect(await after(1_000)).toEqual(['touch', 'beat']);
  expect(await after(2_900)).toEqual(['touch', 'beat']);
  expect(await after(3_100)).toEqual(['touch', 'sound']);
  expect(await after(1_000)).toEqual(['touch', 'beat']);
  pulse.close();
});

test('a pulse in doubt trusts silence again after its next heartbeat', async () => {
  const { pulse, after } = given();
  pulse.start(false);
  await after(0);
  pulse.doubt();
  expect(pulse.isSound).toBe(false);
  expect(await after(1_000)).toEqual(['touch', 'sound']);
  expect(pulse.isSound).toBe(true);
  pulse.close();
});
