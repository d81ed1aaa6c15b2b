// Running sums by project and by day in the project's zone.
import type { Database } from 'better-sqlite3';
import { dayOf, daysBefore } from './day.js';
import type { AttemptSpending, NodeCost, Spending, Sum } from './run-types.js';

export interface SpendingReader {
  /** `zone` null: the machine's. */
  spending(project: string, at: number, zone?: string | null): Spending;
  costsOfRun(run: string): readonly NodeCost[];
}

export interface SpendingRows extends SpendingReader {
  add(spent: readonly AttemptSpending[]): void;
}

interface SumRow {
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

const daysOfWeek = 7;
/** Sorts after every date. */
const endOfTime = 'z';

export function spendingRows(db: Database): SpendingRows {
  const add = db.prepare(
    `INSERT INTO spending (project, day, usd, tokens_in, tokens_out) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (project, day) DO UPDATE SET usd = usd + excluded.usd, tokens_in = tokens_in + excluded.tokens_in,
       tokens_out = tokens_out + excluded.tokens_out`,
  );
  const between = db.prepare<[string, string, string], SumRow>(
    `SELECT total(usd) AS usd, coalesce(sum(tokens_in), 0) AS tokensIn, coalesce(sum(tokens_out), 0) AS tokensOut
     FROM spending WHERE project = ? AND day BETWEEN ? AND ?`,
  );
  const ofRun = db.prepare<[string], NodeCost>(
    `SELECT chain, node, count(*) AS attempts, cast(total(json_extract(body, '$.durationMs')) AS INTEGER) AS durationMs,
       sum(json_extract(body, '$.costUsd')) AS costUsd,
       cast(total(json_extract(body, '$.tokensIn')) AS INTEGER) AS tokensIn,
       cast(total(json_extract(body, '$.tokensOut')) AS INTEGER) AS tokensOut
     FROM attempts INDEXED BY attempts_by_node WHERE run = ? GROUP BY chain, node`,
  );
  const ofAttempt = db.prepare(
    `UPDATE attempts SET body = json_set(body, '$.costUsd', ?, '$.tokensIn', ?, '$.tokensOut', ?) WHERE id = ?`,
  );
  const sum = (project: string, from: string, to: string): Sum =>
    between.get(project, from, to) ?? { usd: 0, tokensIn: 0, tokensOut: 0 };

  return {
    add(spent) {
      for (const { project, at, zone = null, usd, tokensIn, tokensOut, late } of spent) {
        add.run(project, dayOf(at, zone), usd, tokensIn, tokensOut);
        if (late) ofAttempt.run(late.costUsd, tokensIn, tokensOut, late.attempt);
      }
    },
    spending(project, at, zone = null): Spending {
      const today = dayOf(at, zone);
      return {
        today: sum(project, today, today),
        week: sum(project, daysBefore(today, daysOfWeek - 1), today),
        ever: sum(project, '', endOfTime),
      };
    },
    costsOfRun: (run) => ofRun.all(run),
  };
}
