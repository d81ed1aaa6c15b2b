// A Bosun that another may have taken over from, part by part: nothing is acted upon, carried or said to workers.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { Courier } from '../../../src/bot/delivery/index.js';
import { emptyPlan } from '../../../src/dispatch/index.js';
import { carrierOf, HandClock, posted, Rows } from '../../bot/delivery/given.js';
import { job } from '../../contract/queue-contract.js';
import { courierParts } from '../../courier-parts.js';
import { openStore } from '../../open-store.js';
import { makeBench, until } from '../../queue/bullmq-bench.js';
import { describeRedis } from '../../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../../redis/server.js';
import { aMessage, anEvent, batch } from '../../store/values.js';
import { givenBench } from '../given.js';

it('an inactive process runs no effects of a commit that finished after the lease was lost', async () => {
  const bench = givenBench();
  Object.assign(bench.store, { isActive: () => false });
  const submitted = bench.dispatcher.submit(() => ({ ...emptyPlan, messages: [aMessage('t1', 'too late')] }));
  await expect(submitted).rejects.toMatchObject({ code: 'not_now' });
  expect([bench.commits.length, bench.acts]).toEqual([1, []]);
});

it('an inactive process rejects submitted plans with "not the active one any more"', async () => {
  const { store, dispatcher, acts } = givenBench();
  const passive = openStore(store.path, { isActive: () => false });
  try {
    Object.assign(store, { commit: passive.commit });
    const submitted = dispatcher.submit(() => ({ ...emptyPlan, messages: [aMessage('t1', 'no')] }));
    await expect(submitted).rejects.toThrow(/no longer the active one/);
    expect([acts, store.messages('t1', null, 10)]).toEqual([[], []]);
    expect(() => passive.commit(batch({ events: [anEvent('r1', 1)] }))).toThrow();
  } finally {
    passive.close();
  }
});

it('an inactive process makes no further calls to a chat platform', async () => {
  const clock = new HandClock();
  const rows = new Rows();
  const { carrier, calls } = carrierOf(clock, posted);
  let isActive = true;
  const courier = new Courier({
    ...courierParts,
    ...{ carrier, rows, clock, random: () => 1, onFailed: () => undefined, isActive: () => isActive },
    onError: (error) => {
      throw error;
    },
  });
  courier.take([rows.commit('1', 'before')]);
  await clock.pass(5_000);
  isActive = false;
  let made = 0;
  const call = async () => {
    made += 1;
    return { kind: 'unchanged' } as const;
  };
  courier.take([rows.commit('1', 'after')]);
  const errand = courier.errand('1', call, 10);
  expect(await courier.aside('1', call)).toBe(false);
  await clock.pass(60_000);
  expect(await errand).toMatchObject({ kind: 'wait' });
  expect([calls.map(({ text }) => text), made, rows.states()]).toEqual([['before'], 0, ['sent', 'waiting']]);
});

describeRedis('an inactive queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  it('leaves another process’s jobs in Redis alone, and adds none itself', async () => {
    let isActive = true;
    const bench = await makeBench(redis.url, { isActive: () => isActive, reconcileMs: 100 });
    const next = await makeBench(redis.url, { home: bench.home, reconcileMs: 60_000 });
    const lies = async (id: string) => (await redis.client.keys(`*bosun-${bench.home}-any:${id}`)).length;
    try {
      isActive = false;
      await next.queue.add([job('foreign')]);
      await until(async () => (await lies('foreign')) === 1);
      await bench.queue.add([job('late')]);
      // By then the other one would lie there too.
      await next.queue.add([job('after')]);
      await until(async () => (await lies('after')) === 1);
      await bench.queue.reconcile();
      await bench.queue.reconcile();
      expect([await lies('foreign'), await lies('late')]).toEqual([1, 0]);
      isActive = true;
      await bench.queue.reconcile();
      // A reconciliation adds before it removes, and may be at work already.
      await until(async () => (await lies('late')) === 1 && (await lies('foreign')) === 0);
    } finally {
      await next.end();
      await bench.end();
    }
  });
});
