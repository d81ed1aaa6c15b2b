// Committed with the events that they report, and sent afterwards.
import type { Database } from 'better-sqlite3';

/** Retries send the same `body`. */
export interface NewCall {
  readonly project: string;
  readonly url: string;
  readonly at: number;
  readonly body: string;
}

export interface Call extends NewCall {
  readonly n: number;
  readonly tries: number;
  readonly nextAt: number;
}

export interface CallCounts {
  readonly project: string;
  readonly url: string;
  readonly waiting: number;
  readonly waitingSince: number | null;
  readonly waitingFor: string | null;
  readonly failed: number;
  readonly failedAt: number | null;
  readonly problem: string | null;
  readonly arrived: number;
  readonly arrivedAt: number | null;
}

export interface CallRows {
  heads(): readonly Call[];
  arrived(n: number): void;
  retry(n: number, nextAt: number, problem: string): void;
  giveUp(n: number, problem: string): void;
  /** For an address that is no longer configured. */
  drop(project: string, url: string): void;
  addresses(): readonly { readonly project: string; readonly url: string }[];
  /** Keeps the newest delivered and failed ones. Beyond the limit, an address's oldest waiting calls fail. */
  prune(limits: CallLimits): void;
  counts(): readonly CallCounts[];
}

export interface CallLimits {
  readonly done: number;
  readonly failed: number;
  readonly waiting: number;
}

export interface CallWriter {
  append(calls: readonly NewCall[]): void;
}

const fields = 'n, project, url, at, body, tries, next_at AS nextAt';

export function callRows(db: Database): CallRows & CallWriter {
  const insert = db.prepare(
    `INSERT INTO calls (project, url, at, state, next_at, body) VALUES (?, ?, ?, 'waiting', ?, ?)`,
  );
  const heads = db.prepare<[], Call>(
    `SELECT ${fields} FROM calls WHERE n IN (SELECT min(n) FROM calls WHERE state = 'waiting' GROUP BY url) ORDER BY n`,
  );
  const arrived = db.prepare(`UPDATE calls SET state = 'done', tries = tries + 1, problem = NULL WHERE n = ?`);
  const retry = db.prepare('UPDATE calls SET tries = tries + 1, next_at = ?, problem = ? WHERE n = ?');
  const giveUp = db.prepare(`UPDATE calls SET state = 'failed', tries = tries + 1, problem = ? WHERE n = ?`);
  const drop = db.prepare(`DELETE FROM calls WHERE project = ? AND url = ? AND state <> 'done'`);
  const addresses = db.prepare<[], { project: string; url: string }>(
    `SELECT DISTINCT project, url FROM calls WHERE state <> 'done'`,
  );
  return {
    append(calls) {
      for (const { project, url, at, body } of calls) insert.run(project, url, at, at, body);
    },
    heads: () => heads.all(),
    arrived: (n) => void arrived.run(n),
    retry: (n, nextAt, problem) => void retry.run(nextAt, problem, n),
    giveUp: (n, problem) => void giveUp.run(problem, n),
    drop: (project, url) => void drop.run(project, url),
    addresses: () => addresses.all(),
    prune: pruner(db),
    counts: counter(db),
  };
}

const maxPruned = 300;

function pruner(db: Database): CallRows['prune'] {
  const thin = db.prepare<{ state: string; kept: number; most: number }>(
    `DELETE FROM calls WHERE n IN (SELECT n FROM calls WHERE state = @state AND n <=
       (SELECT n FROM calls WHERE state = @state ORDER BY n DESC LIMIT 1 OFFSET @kept) ORDER BY n LIMIT @most)`,
  );
  const crowded = db.prepare<[number], { url: string }>(
    `SELECT url FROM calls WHERE state = 'waiting' GROUP BY url HAVING count(*) > ?`,
  );
  const shed = db.prepare<{ url: string; kept: number }>(
    `UPDATE calls SET state = 'failed', problem = 'too many calls wait for this address' WHERE state = 'waiting' AND url = @url
       AND n <= (SELECT n FROM calls WHERE state = 'waiting' AND url = @url ORDER BY n DESC LIMIT 1 OFFSET @kept)`,
  );
  return db.transaction(({ done, failed, waiting }: CallLimits) => {
    for (const { url } of crowded.all(waiting)) shed.run({ url, kept: waiting });
    thin.run({ state: 'failed', kept: failed, most: maxPruned });
    thin.run({ state: 'done', kept: done, most: maxPruned });
  });
}

/** SQLite takes a bare column from a single min() or max() only, so several need joins. */
function counter(db: Database): CallRows['counts'] {
  const counts = db.prepare<[], CallCounts>(
    `SELECT given.project, given.url, given.waiting, given.waitingSince, first.problem AS waitingFor,
       given.failed, last.at AS failedAt, last.problem, given.arrived, given.arrivedAt
     FROM (
       SELECT project, url, sum(state = 'waiting') AS waiting, sum(state = 'failed') AS failed,
         sum(state = 'done') AS arrived, max(CASE state WHEN 'done' THEN at END) AS arrivedAt,
         min(CASE state WHEN 'waiting' THEN at END) AS waitingSince,
         min(CASE state WHEN 'waiting' THEN n END) AS firstN, max(CASE state WHEN 'failed' THEN n END) AS lastN
       FROM calls GROUP BY project, url
     ) AS given
     LEFT JOIN calls AS first ON first.n = given.firstN LEFT JOIN calls AS last ON last.n = given.lastN
     ORDER BY given.project, given.url`,
  );
  return () => counts.all();
}
