// What Bosun's work costs as a home grows in one direction: events of a run, projects, stories of a run, open questions.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './tools/figures.mjs';
import { lineChart } from './tools/plot.mjs';
import { startServer } from './web-server.mjs';
import { emptyBatch, openWorld, workflow } from './world.mjs';

export const growth = { measure, report };

const requests = 100;
/** A configuration lists at most so many projects; the rest are in the database alone. */
const configurable = 2_000;
const costs = ['transition', 'flush of 100, each', 'status', 'page of the project', 'start'];

const directions = [
  {
    name: 'history',
    axis: 'earlier events of the run',
    sizes: [10, 100, 1_000, 10_000],
    full: [100_000, 1_000_000],
    grow: addEvents,
  },
  { name: 'projects', axis: 'projects with a run', sizes: [1, 10, 100, 1_000], full: [10_000], grow: addProjects },
  { name: 'items', axis: 'stories of the run', sizes: [1, 10, 100], full: [1_000], grow: () => undefined },
  {
    name: 'questions',
    axis: 'questions that wait for a person',
    sizes: [1, 10, 100],
    full: [1_000],
    grow: addQuestions,
  },
];

async function measure({ isFull }) {
  const measured = [];
  for (const { name, sizes, full, grow } of directions) {
    for (const size of isFull ? [...sizes, ...full] : sizes)
      measured.push({ name, size, ...(await costsAt(name, size, grow)) });
  }
  if (isFull) measured.push(await largeHome());
  return measured;
}

/** A start with 10,000 projects and a million events in the database, beside one of an empty home. */
async function largeHome() {
  const [empty, large] = [await startedWith(1, 0), await startedWith(10_000, 1_000_000)];
  return { name: 'large home', size: 1, empty, large };
}

async function startedWith(projects, events) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-bench-')));
  try {
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.yaml'), configFor(folder, 1), { mode: 0o600 });
    const world = openWorld(join(home, 'bosun.db'));
    const run = await world.create(1, 'shop');
    await addProjects(world, run, projects);
    await addEvents(world, run, events);
    world.close();
    const begun = performance.now();
    const server = await startServer(home);
    const readyMs = performance.now() - begun;
    // Memory settles within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const started = { 'ready, ms': readyMs, 'processor time, ms': server.cpuMs(), 'memory, MB': server.rssMb() };
    await server.stop();
    return started;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(repeated) {
  const large = repeated.flatMap((measured) => measured.filter(({ name }) => name === 'large home'));
  const lines = repeated[0].map((one, at) => {
    const middle = (cost) => median(repeated.map((measured) => measured[at][cost]));
    return { ...one, ...Object.fromEntries([...costs, 'memory'].map((cost) => [cost, middle(cost)])) };
  });
  const of = (direction) => lines.filter(({ name }) => name === direction);
  return {
    tables: [
      ...directions.map(({ name, axis }) => ({
        title: `Milliseconds of processor time against ${axis}`,
        rows: of(name).map((line) => ({
          [axis]: line.size.toLocaleString('en'),
          ...Object.fromEntries(costs.map((cost) => [cost, short(line[cost])])),
          'ratio of a transition': (line.transition / of(name)[0].transition).toFixed(2),
          'memory, MB': Math.round(line.memory),
        })),
      })),
      ...(large.length === 0 ? [] : [largeTable(large)]),
    ],
    raw: { lines: repeated },
    figures: directions.map(({ name, axis }) => ({
      file: `bench-growth-${name}.svg`,
      svg: lineChart({
        title: `Cost against ${axis}`,
        x: axis,
        y: 'milliseconds of processor time; both scales are logarithmic',
        lines: costs.map((cost) => ({ label: cost, points: of(name).map((line) => [line.size, line[cost]]) })),
      }),
    })),
  };
}

function largeTable(repeated) {
  const of = (home, what) => median(repeated.map((one) => one[home][what]));
  return {
    title: 'A start with 10,000 projects and a million events',
    rows: Object.keys(repeated[0].empty).map((what) => ({
      what,
      'empty home': Math.round(of('empty', what)),
      'large home': Math.round(of('large', what)),
      ratio: (of('large', what) / of('empty', what)).toFixed(2),
    })),
  };
}

function short(value) {
  return value < 10 ? value.toFixed(2) : Math.round(value);
}

async function costsAt(name, size, grow) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-bench-')));
  try {
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    const projects = name === 'projects' ? size : 1;
    writeFileSync(join(home, 'config.yaml'), configFor(folder, projects), { mode: 0o600 });
    const world = openWorld(join(home, 'bosun.db'));
    const run = await world.create(1, 'shop', { items: itemsFor(name === 'items' ? size : 0) });
    await grow(world, run, size);
    const inProcess = await transitionsIn(world, run);
    world.close();
    return { ...inProcess, ...(await serverOn(home)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each transition changes the run's budget: a row, an event and a commit. The cheapest of seven rounds counts. */
async function transitionsIn(world, run) {
  const change = () => world.submit({ type: 'budget', run, chain: '', at: 1_000, by: 'bench', addUsd: 1 });
  for (let index = 0; index < 200; index++) await change();
  const [alone, together] = [[], []];
  for (let round = 0; round < 7; round++) {
    alone.push(
      await timed(30, async () => {
        for (let index = 0; index < 30; index++) await change();
      }),
    );
    together.push(await timed(100, () => Promise.all(Array.from({ length: 100 }, change))));
  }
  return { transition: Math.min(...alone), 'flush of 100, each': Math.min(...together) };
}

/** Processor time, in milliseconds: the load of a shared machine changes it less than the time on the clock. */
async function timed(count, act) {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / count;
}

async function serverOn(home) {
  const server = await startServer(home);
  const [start, memory] = [server.cpuMs(), server.rssMb()];
  try {
    return {
      ...{ start, memory },
      status: await asked(server, '/api/projects/shop'),
      'page of the project': await asked(server, '/projects/shop'),
    };
  } finally {
    await server.stop();
  }
}

/** The kernel counts a process's time in hundredths of a second, hence so many requests. */
async function asked(server, path) {
  for (let time = 0; time < 20; time++) await server.get(path);
  const before = server.cpuMs();
  for (let time = 0; time < requests; time++) await server.get(path);
  return Math.max(10, server.cpuMs() - before) / requests;
}

function addEvents(world, run, count) {
  for (let from = 0; from < count; from += 5_000) {
    const events = Array.from({ length: Math.min(5_000, count - from) }, (_, index) => ({
      ...{ type: 'pause', run, chain: '', at: 2_000 + from + index, by: 'ada' },
    }));
    world.store.commit({ ...emptyBatch, events });
  }
}

async function addProjects(world, _run, count) {
  await inBatches(count - 1, (index) => world.create(index + 2, `p${index + 1}`));
}

async function addQuestions(world, _run, count) {
  await inBatches(count, (index) => world.create(index + 2, 'shop', { flow: workflow, propose: true }));
}

async function inBatches(count, act) {
  for (let from = 0; from < count; from += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - from) }, (_, index) => act(from + index)));
  }
}

function itemsFor(count) {
  return Array.from({ length: count }, (_, index) => ({
    ...{ key: `US-${index + 1}`, title: `Story ${index + 1}`, description: 'What it is for.', criteria: ['it works'] },
    dependsOn: [],
  }));
}

function configFor(folder, count) {
  const projects = Array.from({ length: Math.min(count, configurable) }, (_, index) => {
    const name = index === 0 ? 'shop' : `p${index}`;
    const root = join(folder, name);
    mkdirSync(root);
    if (index === 0) execFileSync('git', ['init', '-q', root]);
    return [name, { root, workflow: 'quick' }];
  });
  return JSON.stringify({
    executors: { agent: { kind: 'command', run: ['true'] } },
    projects: Object.fromEntries(projects),
  });
}
