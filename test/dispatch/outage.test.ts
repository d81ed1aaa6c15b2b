import { expect, it } from 'vitest';
import { Outage } from '../../src/dispatch/health/outage.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import { embeddedQueue } from '../../src/queue/index.js';
import { begun, creation, givenBench, givenWorld, oneAgent, plainly, roomOf, starting } from './given.js';

async function givenOutage(before: Promise<unknown> = Promise.resolve()) {
  const bench = givenBench();
  await begun(bench, 1, { threads: ['t1', 't2'] });
  const outage = new Outage({
    submit: async (work) => {
      await before;
      return bench.dispatcher.submit(work);
    },
    ...{ present: plainly, log: () => undefined, tellAfterMs: 20, told: null },
  });
  const from = bench.commits.length;
  const told = () =>
    bench.commits.slice(from).flatMap(({ messages }) => messages.map((one) => `${one.thread} ${one.view.text}`));
  return { bench, outage, told };
}

it('notifies followers of live runs once when Redis goes away, and once when it is back', async () => {
  const { outage, told } = await givenOutage();
  outage.note('Redis is away');
  await expect.poll(told).toEqual(['t1 outage Redis is away', 't2 outage Redis is away']);
  outage.note(null);
  outage.note(null);
  await expect.poll(told).toHaveLength(4);
  expect(told().slice(2)).toEqual(['t1 outage over', 't2 outage over']);
});

it('sends no notice of an outage that ends within the grace period', async () => {
  const { bench, outage, told } = await givenOutage();
  outage.note('Redis is away');
  outage.note(null);
  outage.note('Redis is away');
  outage.close();
  await bench.dispatcher.submit(() => emptyPlan);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(told()).toEqual([]);
});

it('notifies followers of work that begins during the outage, once, and of its end', async () => {
  const { bench, outage, told } = await givenOutage();
  outage.note('Redis is away');
  await expect.poll(told).toHaveLength(2);
  await begun(bench, 2, { threads: ['t2', 't3'], project: 'blog' });
  outage.more();
  outage.more();
  await expect.poll(() => told().at(-1)).toBe('t3 outage Redis is away');
  outage.note(null);
  await expect.poll(() => told().slice(-3)).toEqual(['t1 outage over', 't2 outage over', 't3 outage over']);
});

it('reports the next outage even if the previous one ended just before it was reported', async () => {
  let open: () => void = () => undefined;
  const { outage, told } = await givenOutage(
    new Promise<void>((resolve) => {
      open = resolve;
    }),
  );
  outage.note('Redis is away');
  await new Promise((resolve) => setTimeout(resolve, 60));
  outage.note(null);
  open();
  await new Promise((resolve) => setImmediate(resolve));
  outage.note('Redis is full');
  await expect.poll(told).toEqual(['t1 outage Redis is full', 't2 outage Redis is full']);
});

it('outage notices survive a restart: followers are notified once, and all of them of the end', async () => {
  const { bench, outage, told } = await givenOutage();
  const ofIt = () => told().filter((line) => line.includes('outage'));
  outage.note('Redis is away');
  await expect.poll(ofIt).toHaveLength(2);
  outage.close();
  const again = () =>
    new Outage({
      submit: (work) => bench.dispatcher.submit(work),
      ...{ present: plainly, log: () => undefined, tellAfterMs: 20, told: bench.store.outage.told() },
    });
  const next = again();
  await begun(bench, 2, { threads: ['t3'], project: 'blog' });
  next.note('Redis is away');
  await expect.poll(ofIt).toHaveLength(3);
  next.close();
  again().note(null);
  await expect
    .poll(ofIt)
    .toEqual([
      ...['t1 outage Redis is away', 't2 outage Redis is away', 't3 outage Redis is away'],
      ...['t1 outage over', 't2 outage over', 't3 outage over'],
    ]);
  again().note(null);
  await bench.dispatcher.submit(() => emptyPlan);
  expect(ofIt()).toHaveLength(6);
});

it('posts outages that the queue of a runtime reports to the followers’ threads', async () => {
  const two = 'shop: { root: "%ROOT%" }, blog: { root: "%ROOT%/../blog" }';
  const world = givenWorld('sleep 600', oneAgent.replace('shop: { root: "%ROOT%" }', two));
  world.git('clone', '-q', '.', '../blog');
  let note: (problem: string | null) => void = () => undefined;
  const runtime = roomOf(world, {
    queue: (parts) => {
      note = parts.onProblem;
      return embeddedQueue(parts);
    },
  });
  await runtime.recover();
  const told: string[] = [];
  runtime.onMessages((messages) => told.push(...messages.map(({ thread, view }) => `${thread} ${view.text}`)));
  const plan = creation(1, { threads: ['t1'] });
  await runtime.submit(() => ({ ...plan, events: [...plan.events, starting('r1')] }));
  note('Redis is away');
  await expect.poll(() => told, { timeout: 6_000 }).toContain('t1 outage Redis is away');
  const later = creation(2, { threads: ['t9'], project: 'blog' });
  await runtime.submit(() => ({ ...later, events: [...later.events, starting('r2')] }));
  await expect.poll(() => told).toContain('t9 outage Redis is away');
  note(null);
  await expect.poll(() => told).toContain('t1 outage over');
});
