// What a run of ten steps takes of the disk, before and after it is archived, and how long the upkeep of the database holds
// up the event loop.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { emptyBatch, openWorld } from './world.mjs';

const runs = 400;
const largeRunEvents = 50_000;
const eventsAtOnce = 1_000;
const ever = Number.MAX_SAFE_INTEGER;

export async function measureDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const world = openWorld(join(folder, 'bosun.db'));
  try {
    return await measured(world);
  } finally {
    world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured({ store, create, finish }) {
  const empty = usedBytes(store.path);
  for (let number = 1; number <= runs; number += 1) await finish(await create(number, 'shop'));
  const rows = usedBytes(store.path);
  const written = await timed(() => archive(store, (run) => run !== 'r1'));
  const removed = await timed(() => slices(() => store.archives.clear()));
  const left = usedBytes(store.path);
  const files = fileBytes(store.path);
  const idle = await timed(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  const each = (bytes) => (bytes / runs / 1024).toFixed(1);
  const read = timeOf(() => store.events('r2', 0, 100));
  // The newest event stays in its row.
  grow(store, 'r1');
  store.commit({ ...emptyBatch, events: [eventOf(`r${runs}`, 1)] });
  const large = await timed(() => archive(store, (run) => run === 'r1'));
  const largeRemoved = await timed(() => slices(() => store.archives.clear()));
  const vacuum = await timed(() => slices(() => store.freePages.giveBack()));
  const largeRead = timeOf(() => store.events('r1', 0, 100));
  return {
    title: `${runs} finished runs of ten steps, and one of ${largeRunEvents} events`,
    rows: [
      { what: 'a run in rows, KB', value: each(rows - empty) },
      { what: 'a run in a file, KB', value: each(files) },
      { what: 'what stays in rows of it, KB', value: each(left - empty) },
      ...[
        ['nothing, for comparison', idle],
        ['writing a file for each run', written],
        ['removing their rows', removed],
        ['writing the large run', large],
        ['removing its rows', largeRemoved],
        ['giving pages back', vacuum],
      ].map(([what, { ms, longestMs, p99Ms }]) => ({
        what: `${what}, ms; processor time of a turn, p99, longest`,
        value: `${ms.toFixed(0)}; ${p99Ms.toFixed(1)}, ${longestMs.toFixed(1)}`,
      })),
      { what: 'first read of a run in a file, ms', value: read.toFixed(1) },
      { what: 'first read of the large one, ms', value: largeRead.toFixed(0) },
    ],
  };
}

async function archive(store, isMeant) {
  for (let from = 0; from !== null; ) {
    const due = store.archives.due(ever, from);
    for (const run of due.runs.filter(isMeant)) await store.archives.archive(run, 1);
    from = due.next;
  }
}

async function slices(slice) {
  while (slice()) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Processor time between two turns of the event loop: what others keep the machine busy with does not count, and what
 * SQLite's and zlib's threads do meanwhile does, so these are upper bounds.
 */
async function timed(act) {
  const turns = [];
  let [last, isOver] = [process.cpuUsage(), false];
  const turn = () => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    turns.push((user + system) / 1_000);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const from = performance.now();
  await act();
  const ms = performance.now() - from;
  isOver = true;
  turns.sort((one, other) => one - other);
  return { ms, p99Ms: turns[Math.floor(turns.length * 0.99)] ?? 0, longestMs: turns.at(-1) ?? 0 };
}

function timeOf(act) {
  const from = performance.now();
  act();
  return performance.now() - from;
}

function usedBytes(path) {
  const db = new Sqlite(path, { readonly: true });
  const pages =
    'SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size';
  const bytes = db.prepare(pages).pluck().get();
  db.close();
  return bytes;
}

function fileBytes(path) {
  const folder = join(dirname(path), 'archive');
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function eventOf(run, at) {
  return { type: 'attempt_started', run, chain: '', at, attempt: `hbench-${run}-_-s1-g1-d${at}`, worker: 'bench' };
}

function grow(store, run) {
  for (let from = 0; from < largeRunEvents; from += eventsAtOnce) {
    const events = Array.from({ length: eventsAtOnce }, (_, at) => eventOf(run, from + at));
    store.commit({ ...emptyBatch, events });
  }
}
