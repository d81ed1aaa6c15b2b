// Each search reads a bounded part of the history.
import type { Database } from 'better-sqlite3';
import type { Run } from '../../engine/index.js';
import type { Body } from '../file/json-column.js';
import { runsOf } from './row-values.js';

export interface SearchFilter {
  readonly words: string;
  readonly project: string | null;
  readonly status: string | null;
  readonly by: string | null;
  readonly workflow: string | null;
  /** The program of an attempt. */
  readonly agent: string | null;
  readonly minUsd: number | null;
  readonly maxUsd: number | null;
  readonly since: number | null;
  readonly before: number | null;
  readonly limit: number;
}

export interface FoundRuns {
  readonly runs: readonly Run[];
  /** Null: all searched. */
  readonly next: number | null;
}

export interface RunSearch {
  searchRuns(filter: SearchFilter): FoundRuns;
}

const maxScanned = 1_000;
const maxWordsChars = 100;

type Bound = Omit<SearchFilter, 'before'> & { readonly from: number; readonly to: number };

export function runSearch(db: Database): RunSearch {
  // An interaction's id begins with its run's number. A body leaves out a cost of 0.
  const find = db.prepare<Bound, Body>(
    `SELECT body FROM runs WHERE number < @to AND number >= @from AND (@project IS NULL OR project = @project)
       AND (@status IS NULL OR status = @status)
       AND (@by IS NULL OR lower(json_extract(body, '$.createdBy')) = lower(@by))
       AND (@workflow IS NULL OR json_extract(body, '$.workflow') = @workflow)
       AND (@since IS NULL OR json_extract(body, '$.createdAt') >= @since)
       AND (@minUsd IS NULL OR coalesce(json_extract(body, '$.costUsd'), 0) > @minUsd)
       AND (@maxUsd IS NULL OR coalesce(json_extract(body, '$.costUsd'), 0) < @maxUsd)
       AND (@agent IS NULL OR EXISTS (SELECT 1 FROM attempts AS tried INDEXED BY attempts_by_node
              WHERE tried.run = runs.id AND lower(json_extract(tried.body, '$.program')) = lower(@agent)))
       AND (@words = '' OR instr(lower(id || ' ' || project || ' ' || json_extract(body, '$.workflow') || ' ' ||
              json_extract(body, '$.createdBy') || ' ' || json_extract(body, '$.task')), @words) > 0
         OR EXISTS (SELECT 1 FROM interactions AS asked WHERE asked.id >= 'i' || runs.number || '-'
              AND asked.id < 'i' || runs.number || '.' AND instr(lower(asked.body), @words) > 0))
     ORDER BY number DESC LIMIT @limit`,
  );
  const newest = db.prepare<[], { n: number | null }>('SELECT max(number) AS n FROM runs');
  return {
    searchRuns({ before, words, ...filter }) {
      const to = Math.min(before ?? Number.MAX_SAFE_INTEGER, (newest.get()?.n ?? 0) + 1);
      const from = Math.max(0, to - maxScanned);
      const said = words.trim().toLowerCase().slice(0, maxWordsChars);
      const runs = runsOf(find.all({ ...filter, words: said, from, to }));
      const last = runs.length === filter.limit ? (runs.at(-1)?.number ?? null) : null;
      return { runs, next: last ?? (from > 1 ? from : null) };
    },
  };
}
