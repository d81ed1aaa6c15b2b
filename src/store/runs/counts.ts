// Uses partial indexes, so finished work costs nothing.
import type { Database } from 'better-sqlite3';
import type { Sum } from './run-types.js';

export interface RowCounts {
  readonly project: string;
  readonly word: string;
  readonly count: number;
  /** The oldest one's wait began. */
  readonly since: number;
}

export interface CountRows {
  unfinishedRuns(): readonly RowCounts[];
  /** A delayed one waits from its start time. */
  attempts(): readonly RowCounts[];
  interactions(): readonly RowCounts[];
  spent(): readonly (Sum & { readonly project: string })[];
  inbox(): { readonly count: number; readonly since: number };
  blockedLanes(now: number): readonly { readonly channel: string; readonly count: number }[];
}

export function countRows(db: Database): CountRows {
  const runs = db.prepare<[], RowCounts>(
    `SELECT project, status AS word, count(*) AS count, 0 AS since FROM runs INDEXED BY runs_unfinished
     WHERE unfinished = 1 GROUP BY project, status`,
  );
  const attempts = db.prepare<[], RowCounts>(
    `SELECT run.project, attempt.state AS word, count(*) AS count,
       min(max(json_extract(attempt.body, '$.dispatchedAt'), coalesce(json_extract(attempt.body, '$.notBefore'), 0))) AS since
     FROM attempts AS attempt INDEXED BY attempts_open JOIN runs AS run ON run.id = attempt.run
     WHERE attempt.state IN ('queued', 'running') GROUP BY run.project, attempt.state`,
  );
  const interactions = db.prepare<[], RowCounts>(
    `SELECT project, kind AS word, count(*) AS count, min(opened_at) AS since
     FROM interactions INDEXED BY interactions_open_in_project WHERE state = 'open' GROUP BY project, kind`,
  );
  const inbox = db.prepare<[], { count: number; since: number | null }>(
    'SELECT count(*) AS count, min(at) AS since FROM inbox INDEXED BY inbox_pending WHERE done = 0',
  );
  const blocked = db.prepare<[number], { channel: string; count: number }>(
    'SELECT channel, count(*) AS count FROM lanes WHERE blocked_until > ? GROUP BY channel',
  );
  const spent = db.prepare<[], Sum & { project: string }>(
    `SELECT project, total(usd) AS usd, sum(tokens_in) AS tokensIn, sum(tokens_out) AS tokensOut
     FROM spending GROUP BY project`,
  );
  return {
    unfinishedRuns: () => runs.all(),
    attempts: () => attempts.all(),
    interactions: () => interactions.all(),
    spent: () => spent.all(),
    inbox: () => ({ count: inbox.get()?.count ?? 0, since: inbox.get()?.since ?? 0 }),
    blockedLanes: (now) => blocked.all(now),
  };
}
