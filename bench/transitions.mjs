// Durable transitions a second, alone and together, and what a long history or many neighbours add to one.
import { median } from './commits.mjs';
import { openWorld } from './world.mjs';

export async function measureTransitions(bare) {
  const alone = await runs(1, 200);
  const together = await runs(100, 10);
  return [
    {
      title: 'Durable transitions a second, a workflow of ten steps that do nothing',
      rows: [
        row('bare better-sqlite3, FULL, one commit each', bare, bare),
        row('one project', alone.perSecond, bare),
        row('100 projects at once', together.perSecond, bare),
        row('steps a second, one project', alone.stepsPerSecond, bare),
        row('steps a second, 100 projects', together.stepsPerSecond, bare),
      ],
    },
    { title: 'What one transition costs', rows: await costs() },
  ];
}

function row(what, perSecond, bare) {
  return { what, 'per second': Math.round(perSecond), 'ratio to bare': (perSecond / bare).toFixed(2) };
}

async function runs(projects, rounds) {
  const world = openWorld();
  let number = 0;
  const round = () =>
    Promise.all(
      Array.from({ length: projects }, async (_, index) => {
        number += 1;
        const run = await world.create(number, `p${index}`);
        await world.finish(run);
      }),
    );
  await round();
  const before = world.transitions;
  const started = performance.now();
  for (let index = 0; index < rounds; index++) await round();
  const seconds = (performance.now() - started) / 1000;
  const perSecond = (world.transitions - before) / seconds;
  world.close();
  return { perSecond, stepsPerSecond: (projects * rounds * 10) / seconds };
}

async function costs() {
  const [short, long] = [await withHistory(10), await withHistory(10_000)];
  const [few, many] = [await withNeighbours(1), await withNeighbours(10_000)];
  return [
    { what: '10 earlier events in the run', 'ms each': short.toFixed(3), ratio: '1.00' },
    { what: '10,000 earlier events in the run', 'ms each': long.toFixed(3), ratio: (long / short).toFixed(2) },
    { what: '1 other project', 'ms each': few.toFixed(3), ratio: '1.00' },
    { what: '10,000 other projects', 'ms each': many.toFixed(3), ratio: (many / few).toFixed(2) },
  ];
}

/** A run that is paused and resumed over and over: each a transition with a write of its own. */
async function withHistory(events) {
  const world = openWorld();
  await warmUp(world);
  const run = await world.create(1, 'p');
  for (let index = 0; index < events; index++) await world.submit(budget(run));
  const each = await time(world, run);
  world.close();
  return each;
}

async function withNeighbours(count) {
  const world = openWorld();
  await warmUp(world);
  for (let index = 0; index < count; index++) await world.create(index + 2, `other${index}`);
  const run = await world.create(1, 'p');
  const each = await time(world, run);
  world.close();
  return each;
}

/** Another run first, so that the code is as warm for the short history as for the long one. */
async function warmUp(world) {
  const run = await world.create(0, 'warm');
  for (let index = 0; index < 2_000; index++) await world.submit(budget(run));
}

async function time(world, run) {
  const rounds = [];
  for (let round = 0; round < 7; round++) {
    const started = performance.now();
    for (let index = 0; index < 100; index++) await world.submit(budget(run));
    rounds.push((performance.now() - started) / 100);
  }
  return median(rounds);
}

function budget(run) {
  return { type: 'budget', run, chain: '', at: 1_000, by: 'bench', addUsd: 1 };
}
