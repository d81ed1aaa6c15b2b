// A finished job keeps its row without a body, so adding it again changes nothing.

import type { Database } from 'better-sqlite3';
import type {
  AttemptSpec,
  BegunJob,
  Extension,
  Job,
  JobRows,
  QueuedJob,
  WaitingJob,
  WrittenSpec,
} from '../../jobs/index.js';
import { parsed } from '../file/json-column.js';
import { unsynced } from '../file/unsynced.js';
import { deferredExchanges } from './deferred-exchanges.js';

export interface JobWriter {
  insert(jobs: readonly Job[]): void;
  /** On disk with the commit; the queue then ends the jobs. */
  cancel(ids: readonly string[]): void;
  extend(extensions: readonly Extension[]): void;
  /** Call the result once the transaction is on disk. */
  writeExchanges(): () => void;
  isSettled(): boolean;
}

const columns = 'n, id, project, checkout, grp AS "group", priority, not_before AS notBefore';
const isOpen = `state IN ('queued', 'leased')`;

export function jobRows(db: Database): JobRows & JobWriter {
  const sql = statements(db);
  const deferred = deferredExchanges(db);

  function insert(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const { id, project, run, checkout, group, priority, notBefore = null, payload } = job;
      sql.insert.run(id, project, run, checkout, group, priority, notBefore, JSON.stringify(payload));
    }
  }

  /** Writes the deferred exchanges first. */
  function settling<A extends unknown[], R>(act: (...args: A) => R): (...args: A) => R {
    const write = unsynced(db, (...args: A) => {
      const onDisk = deferred.write();
      return { result: act(...args), onDisk };
    });
    return (...args) => {
      const { result, onDisk } = write(...args);
      onDisk();
      return result;
    };
  }

  const writeNow = settling(() => undefined);

  function flush(): void {
    if (!deferred.isEmpty) writeNow();
  }

  /** A disk that refuses writes lets the rows be older, but readable; the next commit reports it. */
  function settled<R>(read: () => R): R {
    try {
      flush();
    } catch {
      return read();
    }
    return read();
  }

  function written(id: string): WrittenSpec | null {
    if (deferred.isEnding(id)) return null;
    const body = sql.body.get(id)?.body ?? '';
    return body === '' ? null : { spec: parsed<AttemptSpec>(body), body };
  }

  return {
    insert,
    cancel(ids) {
      for (const id of ids) sql.cancel.run(id);
    },
    extend(extensions) {
      for (const { attempt, byMs } of extensions) sql.extend.run(byMs, attempt);
    },
    writeExchanges: deferred.write,
    isSettled: () => deferred.isEmpty,
    flush,
    add(jobs) {
      if (jobs.some(({ id }) => deferred.claimant(id) !== null)) flush();
      // A commit usually wrote them already.
      if (jobs.some((job) => sql.state.get(job.id) === undefined)) db.transaction(insert).immediate(jobs);
      return found(jobs.map((job) => sql.oneQueued.get(job.id)));
    },
    queued: () => settled(() => sql.queued.all()),
    leased: () => settled(() => sql.leased.all().map((row) => ({ ...row, isCancelled: row.isCancelled === 1 }))),
    cancelled: () => settled(() => sql.cancelled.all().map((row) => row.id)),
    exchange: deferred.defer,
    renew: settling((ids: readonly string[], instance: string, leaseUntil: number) =>
      ids.filter((id) => sql.renew.run(leaseUntil, id, instance).changes === 0),
    ),
    takeOver: settling((id: string, instance: string, now: number, leaseUntil: number) => {
      if (sql.takeOver.run(instance, leaseUntil, id, now).changes === 1) return 'taken' as const;
      return sql.lease.get(id) ?? ('ended' as const);
    }),
    isHeldBy: (id, instance) =>
      !deferred.isEnding(id) && (deferred.claimant(id) === instance || sql.held.get(id, instance) !== undefined),
    payload: (id) => written(id)?.spec ?? null,
    written,
    remove(id) {
      flush();
      if (sql.remove.run(id).changes === 1) return 'removed';
      const state = sql.state.get(id)?.state;
      return state === 'leased' || state === 'removed' ? state : 'unknown';
    },
    requeue: settling((ids: readonly string[]) => {
      const back = ids.filter((id) => sql.requeue.run(id).changes === 1);
      return found(back.map((id) => sql.oneQueued.get(id)));
    }),
    forget: settling((ids: readonly string[]) => {
      for (const id of ids) sql.forget.run(id);
    }),
    counts(project) {
      const rows = settled(() => (project === null ? sql.counts.all() : sql.countsIn.all(project)));
      const count = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
      return { queued: count('queued'), running: count('leased') };
    },
    waitingNeeds: (limit) =>
      settled(() => sql.waitingNeeds.all(limit)).map(({ needs, ...job }) => ({
        ...job,
        needs: parsed<string[]>(needs ?? '[]'),
      })),
    known: () => settled(() => sql.known.all().map((row) => row.id)),
  };
}

function found<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}

function statements(db: Database) {
  return {
    insert: db.prepare(
      `INSERT INTO jobs (id, project, run, checkout, grp, priority, not_before, state, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?) ON CONFLICT (id) DO NOTHING`,
    ),
    state: db.prepare<[string], { state: string }>('SELECT state FROM jobs WHERE id = ?'),
    body: db.prepare<[string], { body: string }>('SELECT body FROM jobs WHERE id = ?'),
    oneQueued: db.prepare<[string], QueuedJob>(`SELECT ${columns} FROM jobs WHERE id = ? AND state = 'queued'`),
    queued: db.prepare<[], QueuedJob>(
      `SELECT ${columns} FROM jobs INDEXED BY jobs_open WHERE ${isOpen} AND state = 'queued' ORDER BY n`,
    ),
    waitingNeeds: db.prepare<[number], Omit<WaitingJob, 'needs'> & { needs: string | null }>(
      `SELECT id, project, checkout, json_extract(body, '$.needs') AS needs FROM jobs WHERE n IN
       (SELECT n FROM jobs INDEXED BY jobs_open WHERE ${isOpen} AND state = 'queued' ORDER BY n LIMIT ?) ORDER BY n`,
    ),
    leased: db.prepare<[], Omit<BegunJob, 'isCancelled'> & { isCancelled: number }>(
      `SELECT ${columns}, worker, instance, lease_until AS leaseUntil, cancelled AS isCancelled, extended_ms AS extendedMs
       FROM jobs INDEXED BY jobs_open WHERE ${isOpen} AND state = 'leased' ORDER BY n`,
    ),
    cancelled: db.prepare<[], { id: string }>(
      `SELECT id FROM jobs INDEXED BY jobs_open WHERE ${isOpen} AND cancelled = 1 ORDER BY n`,
    ),
    cancel: db.prepare(`UPDATE jobs SET cancelled = 1 WHERE id = ? AND ${isOpen}`),
    extend: db.prepare(`UPDATE jobs SET extended_ms = extended_ms + ? WHERE id = ? AND ${isOpen}`),
    renew: db.prepare(`UPDATE jobs SET lease_until = ? WHERE id = ? AND instance = ? AND state = 'leased'`),
    takeOver: db.prepare(
      `UPDATE jobs SET instance = ?, lease_until = ? WHERE id = ? AND state = 'leased' AND lease_until <= ?`,
    ),
    lease: db.prepare<[string], { leaseUntil: number }>(
      `SELECT lease_until AS leaseUntil FROM jobs WHERE id = ? AND state = 'leased'`,
    ),
    held: db.prepare<[string, string]>(`SELECT 1 FROM jobs WHERE id = ? AND instance = ? AND state = 'leased'`),
    remove: db.prepare(`UPDATE jobs SET state = 'removed', body = '' WHERE id = ? AND state = 'queued'`),
    requeue: db.prepare(
      `UPDATE jobs SET state = 'queued', worker = NULL, instance = NULL, lease_until = NULL
       WHERE id = ? AND state = 'leased'`,
    ),
    forget: db.prepare(`UPDATE jobs SET state = 'done', body = '' WHERE id = ? AND ${isOpen}`),
    counts: db.prepare<[], { state: string; count: number }>(
      `SELECT state, count(*) AS count FROM jobs INDEXED BY jobs_open WHERE ${isOpen} GROUP BY state`,
    ),
    countsIn: db.prepare<[string], { state: string; count: number }>(
      `SELECT state, count(*) AS count FROM jobs INDEXED BY jobs_open WHERE ${isOpen} AND project = ? GROUP BY state`,
    ),
    known: db.prepare<[], { id: string }>(`SELECT id FROM jobs INDEXED BY jobs_open WHERE ${isOpen} ORDER BY n`),
  };
}
