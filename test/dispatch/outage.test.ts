import { expect, it } from 'vitest';
import { Outage } from '../../src/dispatch/outage.js';
import { embeddedQueue } from '../../src/dispatch/queue/index.js';
import { begun, creation, givenBench, givenWorld, plainly, roomOf, starting } from './given.js';

async function givenOutage() {
  const bench = givenBench();
  await begun(bench, 1, { threads: ['t1', 't2'] });
  const outage = new Outage({
    submit: (work) => bench.dispatcher.submit(work),
    ...{ present: plainly, log: () => undefined, tellAfterMs: 20 },
  });
  const from = bench.commits.length;
  const told = () =>
    bench.commits.slice(from).flatMap(({ messages }) => messages.map((one) => `${one.thread} ${one.view.text}`));
  return { bench, outage, told };
}

it('tells those who follow a run under way once that Redis is away, and once that it is back', async () => {
  const { outage, told } = await givenOutage();
  outage.note('Redis is away');
  await expect.poll(told).toEqual(['t1 outage Redis is away', 't2 outage Redis is away']);
  outage.note(null);
  outage.note(null);
  await expect.poll(told).toHaveLength(4);
  expect(told().slice(2)).toEqual(['t1 outage over', 't2 outage over']);
});

it('says nothing of a gap that was over before anybody could have noticed', async () => {
  const { bench, outage, told } = await givenOutage();
  outage.note('Redis is away');
  outage.note(null);
  outage.note('Redis is away');
  outage.close();
  await bench.dispatcher.submit(() => ({ events: [] }));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(told()).toEqual([]);
});

it('reaches the threads from the queue of a room', async () => {
  const world = givenWorld('sleep 600');
  let note: (problem: string | null) => void = () => undefined;
  const room = roomOf(world, {
    queue: (parts) => {
      note = parts.onProblem;
      return embeddedQueue(parts);
    },
  });
  await room.recover();
  const told: string[] = [];
  room.onMessages((messages) => told.push(...messages.map(({ thread, view }) => `${thread} ${view.text}`)));
  const plan = creation(1, { threads: ['t1'] });
  await room.submit(() => ({ ...plan, events: [...plan.events, starting('r1')] }));
  note('Redis is away');
  await expect.poll(() => told, { timeout: 6_000 }).toContain('t1 outage Redis is away');
  note(null);
  await expect.poll(() => told).toContain('t1 outage over');
});
