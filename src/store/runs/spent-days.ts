// For display; limits use the sums of spending.ts.
import type { Database } from 'better-sqlite3';

export interface DayFilter {
  readonly project: string | null;
  readonly from: string;
  readonly after: Pick<DaySpent, 'day' | 'project'> | null;
  readonly limit: number;
}

export interface DaySpent {
  readonly project: string;
  readonly day: string;
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface SpentDays {
  spentByDay(filter: DayFilter): readonly DaySpent[];
  spentOnDays(from: string): readonly Omit<DaySpent, 'project'>[];
  spentSince(from: string): readonly Omit<DaySpent, 'day'>[];
}

export function spentDays(db: Database): SpentDays {
  const sql = statements(db);
  return {
    spentByDay({ project, from, after, limit }) {
      const { day, project: name } = after ?? { day: '', project: '' };
      if (project === null) return sql.days.all(from, day, name, limit);
      return sql.daysOf.all(project, from, day, name, limit);
    },
    spentOnDays: (from) => sql.onDays.all(from),
    spentSince: (from) => sql.since.all(from),
  };
}

function statements(db: Database) {
  const days = 'SELECT project, day, usd, tokens_in AS tokensIn, tokens_out AS tokensOut FROM spending';
  const behind = 'day >= ? AND (day, project) > (?, ?) ORDER BY day, project LIMIT ?';
  const sums = 'total(usd) AS usd, sum(tokens_in) AS tokensIn, sum(tokens_out) AS tokensOut';
  return {
    days: db.prepare<[string, string, string, number], DaySpent>(`${days} WHERE ${behind}`),
    daysOf: db.prepare<[string, string, string, string, number], DaySpent>(`${days} WHERE project = ? AND ${behind}`),
    onDays: db.prepare<[string], Omit<DaySpent, 'project'>>(
      `SELECT day, ${sums} FROM spending WHERE day >= ? GROUP BY day ORDER BY day`,
    ),
    since: db.prepare<[string], Omit<DaySpent, 'day'>>(
      `SELECT project, ${sums} FROM spending WHERE day >= ? GROUP BY project ORDER BY project`,
    ),
  };
}
