// The ports of runs; their functions read an archived run from its file.
import type { Database } from 'better-sqlite3';
import { type BrowsingRows, browsingRows } from '../runs/browsing.js';
import { type PageRows, pageRows } from '../runs/paging.js';
import { type RunRows, runReader } from '../runs/run-rows.js';
import type { ArchivedRuns } from './archives.js';
import { routed } from './routed.js';

type ShelfOf = ArchivedRuns['shelfOf'];

export function archivedBrowsing(db: Database, shelfOf: ShelfOf): BrowsingRows {
  return routed(db, shelfOf, browsingRows, [
    ...(['newestAttempts', 'chainNodes', 'chainLength', 'nodeName', 'nodeLabel'] as const),
    ...(['countEvents', 'nthEvent', 'settledEvent'] as const),
  ]);
}

export function archivedPages(db: Database, shelfOf: ShelfOf): PageRows {
  return routed(db, shelfOf, pageRows, ['attemptsAfter', 'nodePlaces', 'nodesNamed', 'chainBegin', 'chainBefore']);
}

/** Spines are rows: items, open interactions and workflows are not archived. */
export function archivedRunRows(db: Database, path: string, shelfOf: ShelfOf): RunRows {
  const open = (from: Database) => {
    const rows = runReader(from, path);
    return { ...rows, attemptOf: (_run: string, id: string) => rows.attempt(id) };
  };
  const { attemptOf, ...rows } = routed(db, shelfOf, open, [
    ...(['chain', 'nodes', 'attempts', 'attemptsOfRun', 'attemptOf'] as const),
  ]);
  return { ...rows, attempt: (id) => rows.attempt(id) ?? attemptOf(runOf(id), id) };
}

/** An attempt's id names the home, the run, and the step. */
function runOf(attempt: string): string {
  return /(?:^|-)(r\d+)-/.exec(attempt)?.[1] ?? '';
}
