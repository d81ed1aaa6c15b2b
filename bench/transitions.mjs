// Ten-step workflows whose steps do nothing, every transition on disk: Bosun, what the disk allows, and the rivals, by turns.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { measureCommits, measureSyncs, measureTogether } from './commits.mjs';
import { openRivals } from './rivals.mjs';
import { median, ratio, spread } from './tools/figures.mjs';
import { barChart } from './tools/plot.mjs';
import { machine } from './tools/results.mjs';
import { openWorld } from './world.mjs';

const projects = 100;
const frameBytes = 24 + 4_096;
const sqlite = 'SQLite WAL, synchronous FULL';

export const transitions = { measure, report };

/** One repetition: a list of rates, always in the same order. */
async function measure() {
  const rates = [
    limit('fdatasync of 4 KB', measureSyncs(), 'appended to a file'),
    limit('bare better-sqlite3, FULL, one commit each', measureCommits(), sqlite),
    limit('bare better-sqlite3, FULL, 100 rows a commit', measureTogether(), sqlite),
  ];
  const alone = await play(1, 200);
  const together = await play(projects, 40);
  rates.push(
    bosun('transitions a second, one project', alone.perSecond),
    bosun(`transitions a second, ${projects} projects`, together.perSecond),
    bosun('steps a second, one project', alone.stepsPerSecond),
    bosun(`steps a second, ${projects} projects`, together.stepsPerSecond),
    ...together.delays.map(({ what, ms }) => ({ what, kind: 'delay', value: ms, settings: '' })),
    ...(await writes(1, 20)),
    ...(await writes(projects, 2)),
  );
  const { rivals, leftOut, close } = await openRivals(projects);
  for (const line of leftOut) process.stderr.write(`left out: ${line}\n`);
  try {
    for (const { name, isDurable, play: playRival } of rivals) {
      const {
        alone: one,
        together: many,
        settings,
      } = await playRival().catch((error) => {
        process.stderr.write(`left out: ${name}: ${error.message.split('\n')[0]}\n`);
        return { alone: null, together: null, settings: '' };
      });
      const both = { kind: 'rival', settings, isDurable };
      rates.push({ ...both, what: `${name}, one project`, value: one, alone: true });
      rates.push({ ...both, what: `${name}, ${projects} projects`, value: many, alone: false });
    }
  } finally {
    await close();
  }
  return rates;
}

function limit(what, value, settings) {
  return { what, kind: 'limit', value, settings };
}

function bosun(what, value) {
  return { what, kind: 'bosun', value, settings: sqlite };
}

function report(repeated) {
  const all = repeated[0]
    .map((one, at) => ({ ...one, values: repeated.map((rates) => rates[at].value) }))
    .filter(({ values }) => !values.includes(null));
  const lines = all.filter(({ kind }) => kind !== 'delay' && kind !== 'writes');
  const commits = lines.find(({ what }) => what.includes('one commit each')).values;
  const best = (alone) =>
    lines
      .filter((it) => it.kind === 'rival' && it.isDurable && it.alone === alone)
      .reduce((found, it) => (found === null || median(it.values) > median(found.values) ? it : found), null);
  const rivalOf = ({ what, kind }) =>
    kind === 'bosun' && what.startsWith('steps') ? best(what.endsWith('one project')) : null;
  const { cores, load } = machine();
  return {
    tables: [
      {
        title: 'A workflow of ten steps that do nothing',
        rows: lines.map((line) => ({
          what: line.what,
          'per second': rounded(median(line.values)),
          spread: `±${spread(line.values).toFixed(0)} %`,
          'ratio to bare': ratio(line.values, commits).toFixed(2),
          'ratio to the best durable rival':
            rivalOf(line) === null ? '' : ratio(line.values, rivalOf(line).values).toFixed(2),
          'durable by': line.settings,
        })),
      },
      {
        title: 'What a step writes, whatever else the machine does',
        rows: all
          .filter(({ kind }) => kind === 'writes')
          .map(({ what, values }) => ({ what, 'for a step': median(values).toFixed(2) })),
      },
      {
        title: `How late the event loop is while ${projects} projects run without a pause`,
        rows: all
          .filter(({ kind }) => kind === 'delay')
          .map(({ what, values }) => ({
            what,
            ms: median(values).toFixed(1),
            least: Math.min(...values).toFixed(1),
            most: Math.max(...values).toFixed(1),
          })),
      },
    ],
    raw: { rates: all.map(({ what, kind, settings, values }) => ({ what, kind, settings, values })) },
    figures: [
      {
        file: 'bench-steps.svg',
        svg: barChart({
          title: `Durable steps a second, ${projects} projects at once`,
          unit: 'steps (limits: commits, rows or writes) a second',
          note: `${cores} cores, load ${load}`,
          bars: lines.filter(isTogether).map((line) => ({
            label: labelOf(line),
            value: median(line.values),
            kind: line.kind,
          })),
        }),
      },
    ],
  };
}

function isTogether({ what, kind }) {
  return kind === 'limit' || (what.endsWith(`${projects} projects`) && !what.startsWith('transitions'));
}

function labelOf({ what, kind, settings }) {
  if (kind === 'bosun') return 'Bosun';
  const name = what.replace(`, ${projects} projects`, '').replace('better-sqlite3, FULL', 'SQLite');
  return settings.includes('everysec') ? `${name}, everysec` : name;
}

function rounded(value) {
  return value < 10 ? value.toFixed(1) : Math.round(value);
}

async function play(count, rounds) {
  const world = openWorld();
  const round = roundsOf(world, count);
  await round();
  const before = world.transitions;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  for (let index = 0; index < rounds; index++) await round();
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  const perSecond = (world.transitions - before) / seconds;
  world.close();
  return { perSecond, stepsPerSecond: (count * rounds * 10) / seconds, delays: delaysOf(delay) };
}

function roundsOf(world, count) {
  let number = 0;
  return () =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        number += 1;
        const run = await world.create(number, `p${index}`);
        await world.finish(run);
      }),
    );
}

/** Transactions and pages, from the WAL: too few of them for a checkpoint, so that it only grows. */
async function writes(count, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const path = join(folder, 'bench.db');
  const world = openWorld(path);
  try {
    const round = roundsOf(world, count);
    await round();
    const before = framesOf(path);
    for (let index = 0; index < rounds; index++) await round();
    const after = framesOf(path);
    const steps = count * rounds * 10;
    const of = count === 1 ? 'one project' : `${count} projects`;
    return ['transactions', 'pages'].map((what) => {
      const value = (after[what] - before[what]) / steps;
      return { what: `${what}, ${of}`, kind: 'writes', value, settings: '' };
    });
  } finally {
    world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function framesOf(path) {
  const wal = readFileSync(`${path}-wal`);
  let transactions = 0;
  let pages = 0;
  for (let at = 32; at + frameBytes <= wal.length; at += frameBytes) {
    pages += 1;
    // Only a transaction's last frame holds the size of the database.
    if (wal.readUInt32BE(at + 4) > 0) transactions += 1;
  }
  return { transactions, pages };
}

function delaysOf(delay) {
  const inMs = (nanoseconds) => nanoseconds / 1e6;
  return [
    { what: 'delay p50', ms: inMs(delay.percentile(50)) },
    { what: 'delay p99', ms: inMs(delay.percentile(99)) },
    { what: 'longest delay', ms: inMs(delay.max) },
  ];
}
