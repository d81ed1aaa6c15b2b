// usage: node bench/short.mjs [--prove]
// A short check for regressions: five ratios within one run, each with a limit; exit code 1 when one is above it. --prove
// measures each ratio again with a slowdown planted, and fails when a limit does not notice it: after a speed-up, lower the limit.
// Each part runs in many short slices, by turns, and its cheapest slice counts: noise only ever makes a slice dearer.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { grammar } from '../dist/bot/grammar/index.js';
import { printTable } from './tools/results.mjs';
import { emptyBatch, openWorld } from './world.mjs';

const rounds = 20;
const provingRounds = 8;
const history = 20_000;
const neighbours = 1_000;
const sentences = [
  'continue shop',
  'approve',
  'what does shop do?',
  'shop: add a search field',
  'retry shop but smaller',
];
const names = [{ name: 'shop', aliases: ['A'] }];

/** `limit` is about twice the usual ratio, so that noise stays below it, and below what the planted slowdown costs. */
const ratios = [
  {
    name: 'a transition : a bare commit',
    of: 'transition',
    to: 'commit',
    limit: 3.5,
    plant: 'each transition five times',
  },
  {
    name: 'a step of 100 projects : a bare commit',
    of: 'step',
    to: 'commit',
    limit: 1.8,
    plant: 'each step five times',
  },
  {
    name: `a transition after ${history} events : after 10`,
    ...{ of: 'long', to: 'transition', limit: 1.8, plant: 'a count of the events in each transition' },
  },
  {
    name: `a transition beside ${neighbours} projects : beside none`,
    ...{ of: 'beside', to: 'transition', limit: 1.8, plant: 'a look at every run in each transition' },
  },
  {
    name: '10 parsed messages : a bare commit',
    of: 'parse',
    to: 'commit',
    limit: 1.6,
    plant: 'each message five times',
  },
];

const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
const parts = await openParts();
try {
  const rows = await check({ isPlanted: false, rounds });
  if (process.argv.includes('--prove')) rows.push(...(await check({ isPlanted: true, rounds: provingRounds })));
  printTable({
    title: 'Regressions',
    rows: rows.map(({ isAsWanted, ...row }) => ({ ...row, result: isAsWanted ? 'ok' : 'FAILED' })),
  });
  if (rows.some(({ isAsWanted }) => !isAsWanted)) process.exitCode = 1;
} finally {
  parts.close();
  rmSync(folder, { recursive: true, force: true });
}

async function check({ isPlanted, rounds: count }) {
  const fastest = new Map();
  for (let round = 0; round < count; round++) {
    for (const [name, { times, of = 1, act, slow }] of Object.entries(parts.acts)) {
      const isSlow = isPlanted && slow !== undefined;
      const each = await timed(times, of, isSlow ? slow : act);
      fastest.set(name, Math.min(each, fastest.get(name) ?? Number.POSITIVE_INFINITY));
      // The base of a ratio stays as it is.
      if (isSlow)
        fastest.set(
          `plain ${name}`,
          Math.min(await timed(times, of, act), fastest.get(`plain ${name}`) ?? Number.POSITIVE_INFINITY),
        );
    }
  }
  return ratios.map(({ name, of, to, limit, plant }) => {
    const ratio = fastest.get(of) / (fastest.get(`plain ${to}`) ?? fastest.get(to));
    return {
      ...{ ratio: isPlanted ? `${name}, planted: ${plant}` : name, measured: ratio.toFixed(2), limit },
      isAsWanted: ratio > limit === isPlanted,
    };
  });
}

/** Processor time, which the load of a shared machine changes less than the time on the clock. */
async function timed(times, of, act) {
  const before = process.cpuUsage();
  for (let index = 0; index < times; index++) await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (times * of);
}

async function openParts() {
  const bare = openBare();
  const [short, long, crowded, many] = ['short', 'long', 'crowded', 'many'].map((name) =>
    openWorld(join(folder, `${name}.db`)),
  );
  const own = {
    short: await short.create(1, 'p'),
    long: await long.create(1, 'p'),
    crowded: await crowded.create(1, 'p'),
  };
  for (let from = 0; from < history; from += 5_000) {
    const event = (index) => ({ type: 'pause', run: own.long, chain: '', at: 2_000 + from + index, by: 'ada' });
    long.store.commit({ ...emptyBatch, events: Array.from({ length: 5_000 }, (_, index) => event(index)) });
  }
  const others = await Promise.all(
    Array.from({ length: neighbours }, (_, index) => crowded.create(index + 2, `p${index}`)),
  );
  const change = (world, run) => world.submit({ type: 'budget', run, chain: '', at: 1_000, by: 'bench', addUsd: 1 });
  const parse = () => {
    for (let index = 0; index < 10; index++) grammar.parse(sentences[index % sentences.length], names);
  };
  let number = 0;
  // 100 workflows of ten steps: the time of one step is a thousandth.
  const play = () =>
    Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        number += 1;
        await many.finish(await many.create(number, `p${index}`));
      }),
    );
  const fiveTimes = (act) => async () => {
    for (let time = 0; time < 5; time++) await act();
  };
  const acts = {
    commit: { times: 20, act: bare.commit },
    transition: { times: 20, act: () => change(short, own.short), slow: fiveTimes(() => change(short, own.short)) },
    long: {
      times: 20,
      act: () => change(long, own.long),
      slow: async () => {
        long.store.browsing.countEvents(own.long);
        await change(long, own.long);
      },
    },
    beside: {
      times: 20,
      act: () => change(crowded, own.crowded),
      slow: async () => {
        for (const run of others) crowded.store.run(run);
        await change(crowded, own.crowded);
      },
    },
    step: { times: 1, act: play, slow: fiveTimes(play), of: 1_000 },
    parse: { times: 50, act: parse, slow: fiveTimes(parse) },
  };
  return {
    acts,
    close() {
      bare.close();
      for (const world of [short, long, crowded, many]) world.close();
    },
  };
}

function openBare() {
  const db = new Database(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE step (id INTEGER PRIMARY KEY, state TEXT, body TEXT) STRICT');
  const insert = db.prepare('INSERT INTO step (state, body) VALUES (?, ?)');
  const body = JSON.stringify({ text: 'x'.repeat(300) });
  const commit = db.transaction(() => insert.run('passed', body));
  return { commit: () => commit.immediate(), close: () => db.close() };
}
