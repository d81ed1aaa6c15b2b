// The index of archived runs.
// Crash safety: a run's file is whole before its mark, and the mark precedes the first removed row. Readers use the
// file until a change of the run puts the rows back. Each step can be repeated.
import type { Database } from 'better-sqlite3';
import { epochFence } from '../file/epoch.js';
import { SliceSize } from '../file/slice-size.js';
import { unsynced } from '../file/unsynced.js';
import { archivePath, type Rows, readArchive, type Sealed, writeArchive } from './archive-file.js';
import { archivedTables, type Row } from './archive-tables.js';
import { openShelf, rowInserter, type Shelf } from './shelf.js';

export interface DueRuns {
  readonly runs: readonly string[];
  /** Null: the end. */
  readonly next: number | null;
}

export interface ArchiveRows {
  /** One part of the runs that ended earlier, from this number on. */
  due(endedBefore: number, after: number): DueRuns;
  /** False: the run changed meanwhile, or is too large. */
  archive(run: string, at: number): Promise<boolean>;
  /** Removes one slice of rows that files hold; false: none is left. */
  clear(): boolean;
}

export interface ArchivedRuns {
  /** Null: the run's rows are not in a file. */
  shelfOf(run: string): Database | null;
  /** Puts rows back, in a transaction that changes the runs. */
  restore(runs: Iterable<string>): void;
  runsAround(seq: number): readonly string[];
  eventsOf(run: string): readonly Row[];
}

const scannedAtOnce = 300;
const pagedAtMost = 400;
const removedAtMost = 400;

interface Mark extends Sealed {
  readonly run: string;
}

export function archivedRuns(db: Database, path: string): ArchivedRuns {
  const mark = db.prepare<[string], Mark>('SELECT run, sha256, bytes FROM archives WHERE run = ?');
  const begins = db.prepare<[number], string>('SELECT run FROM archives WHERE first_seq = ?').pluck();
  const around = db
    .prepare<[number, number], string>('SELECT run FROM archives WHERE first_seq <= ? AND last_seq >= ?')
    .pluck();
  const unmark = db.prepare<[string]>('DELETE FROM archives WHERE run = ?');
  const drops = archivedTables.flatMap(({ name, remove }) =>
    remove === null || name === 'events' ? [] : [db.prepare<[string]>(`DELETE FROM ${name} WHERE run = ?`)],
  );
  const insert = rowInserter(db);
  let shelf: Shelf | null = null;
  const read = (one: Mark) => readArchive(archivePath(path, one.run, one.sha256), one.run, one);
  return {
    shelfOf(run) {
      const found = mark.get(run);
      if (found === undefined) return null;
      shelf ??= openShelf();
      shelf.load(run, found, () => read(found));
      return shelf.db;
    },
    restore(runs) {
      for (const run of runs) {
        const found = mark.get(run);
        if (found === undefined) continue;
        const tables = read(found);
        // Some rows may not have been removed yet.
        for (const drop of drops) drop.run(run);
        insert(tables);
        unmark.run(run);
        shelf?.drop(run);
      }
    },
    runsAround(seq) {
      const first = begins.all(seq);
      return first.length > 0 ? first : around.all(seq, seq);
    },
    eventsOf(run) {
      const found = mark.get(run);
      return found === undefined ? [] : (read(found).find(({ table }) => table === 'events')?.rows ?? []);
    },
  };
}

export function archiveRows(db: Database, path: string): ArchiveRows {
  const fence = epochFence(db);
  const scan = db.prepare<{ before: number; after: number; limit: number }, { number: number; due: string | null }>(
    `SELECT number, CASE WHEN ${isDue} THEN id END AS due FROM runs WHERE number > @after ORDER BY number LIMIT @limit`,
  );
  const state = db.prepare<[string], { body: string; seq: number | null }>(
    'SELECT body, (SELECT max(seq) FROM events INDEXED BY events_of_run WHERE run = runs.id) AS seq FROM runs WHERE id = ?',
  );
  const known = db.prepare<[string]>('SELECT 1 FROM archives WHERE run = ?');
  const mark = db.prepare(
    'INSERT INTO archives (run, sha256, bytes, first_seq, last_seq, at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const slicesOf = pager(db);
  /** Too large, or failed: not retried until a restart. */
  const skipped = new Set<string>();
  const stampOf = (run: string) => JSON.stringify(state.get(run));

  const marked = unsynced(db, (run: string, stamp: string, sealed: Sealed, { first, last }: Span, at: number) => {
    fence();
    if (stampOf(run) !== stamp) return false;
    mark.run(run, sealed.sha256, sealed.bytes, first, last, at);
    return true;
  });

  return {
    due(before, after) {
      const rows = scan.all({ before, after, limit: scannedAtOnce });
      const runs = rows.flatMap(({ due }) => (due === null || skipped.has(due) ? [] : [due]));
      return { runs, next: rows.length < scannedAtOnce ? null : (rows.at(-1)?.number ?? null) };
    },
    async archive(run, at) {
      // Its rows may be gone.
      if (known.get(run) !== undefined) return false;
      const stamp = stampOf(run);
      skipped.add(run);
      const span = { first: 0, last: 0 };
      const sealed = await writeArchive(path, run, noting(span, slicesOf(run)));
      if (sealed === null) return false;
      skipped.delete(run);
      return marked(run, stamp, sealed, span, at);
    },
    clear: clearer(db, fence),
  };
}

// Not a project's newest run, which status reads; nothing waits in it. The newest event stays in its row, because the
// next one is sealed with its hash.
const isDue = `status IN ('completed', 'cancelled') AND unfinished = 0
  AND NOT EXISTS (SELECT 1 FROM archives WHERE run = runs.id)
  AND json_extract(body, '$.endedAt') < @before
  AND number < (SELECT max(number) FROM runs AS other INDEXED BY runs_by_project WHERE other.project = runs.project)
  AND NOT EXISTS (SELECT 1 FROM interactions INDEXED BY interactions_open WHERE state = 'open' AND run = runs.id)
  AND NOT EXISTS (SELECT 1 FROM attempts INDEXED BY attempts_open WHERE state IN ('queued', 'running') AND run = runs.id)
  AND id <> (SELECT run FROM events ORDER BY seq DESC LIMIT 1)`;

interface Span {
  first: number;
  last: number;
}

async function* noting(span: Span, slices: AsyncIterable<Rows>): AsyncGenerator<Rows> {
  for await (const slice of slices) {
    for (const [seq, , , , , by] of slice.table === 'events' ? slice.rows : []) {
      if (by !== null) continue;
      span.last = Number(seq);
      if (span.first === 0) span.first = span.last;
    }
    yield slice;
  }
}

type Place = string | number;

/** Pages through a run's rows, with a turn for other work after each page. */
function pager(db: Database): (run: string) => AsyncGenerator<Rows> {
  const tables = archivedTables.map(({ name, page }) => {
    const rows = db.prepare<{ run: string; from: Place; limit: number }, Row>(page).raw();
    return { name, rows };
  });
  return async function* slices(run) {
    for (const { name, rows } of tables) {
      const size = new SliceSize(50, pagedAtMost);
      for (let from: Place | null = firstPlace(name); from !== null; ) {
        const found: readonly Row[] = size.take((limit) => rows.all({ run, from: from ?? '', limit }));
        if (found.length > 0) yield { table: name, rows: found.map((row) => row.slice(1)) };
        from = placeAfter(found);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
}

function firstPlace(table: string): Place {
  return table === 'items' || table === 'chains' || table === 'nodes' ? '' : 0;
}

function placeAfter(rows: readonly Row[]): Place | null {
  const [last = null] = rows.at(-1) ?? [];
  // The smallest text behind it.
  return typeof last === 'string' ? `${last}\u0000` : last === null ? null : last + 1;
}

function clearer(db: Database, fence: () => void): () => boolean {
  const next = db
    .prepare<[], string>('SELECT run FROM archives INDEXED BY archives_to_clear WHERE cleared = 0 LIMIT 1')
    .pluck();
  const done = db.prepare<[string]>('UPDATE archives SET cleared = 1 WHERE run = ?');
  const jobs = db.prepare<{ run: string; limit: number }>(
    `DELETE FROM jobs WHERE state IN ('done', 'removed') AND id IN
       (SELECT id FROM attempts WHERE rowid IN (SELECT rowid FROM attempts INDEXED BY attempts_by_node WHERE run = @run LIMIT @limit))`,
  );
  const removes = archivedTables.flatMap(({ name, remove }) =>
    remove === null ? [] : [{ name, remove: db.prepare<{ run: string; limit: number }>(remove) }],
  );
  const size = new SliceSize(20, removedAtMost);
  const slice = unsynced(db, (run: string, limit: number) => {
    fence();
    for (const { name, remove } of removes) {
      // A finished job's row only keeps it from being added again.
      if (name === 'attempts') jobs.run({ run, limit });
      if (remove.run({ run, limit }).changes > 0) return;
    }
    done.run(run);
  });
  return () => {
    const run = next.get();
    if (run === undefined) return false;
    size.take((limit) => slice(run, limit));
    return true;
  };
}
