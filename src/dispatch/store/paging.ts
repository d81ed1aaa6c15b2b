// Long lists in pieces, each of which begins behind the last one of the piece before.
import type { Database } from 'better-sqlite3';
import type { Attempt, Interaction } from '../../engine/index.js';
import type { AttemptRow } from './port.js';
import { type Body, parsed } from './rows.js';

export interface PageRows {
  /** In the order in which they were dispatched. */
  attemptsAfter(run: string, attempt: string | null, limit: number): readonly AttemptRow[];
  /** Of all projects, in the order in which they were opened; `id` may be settled by now. */
  openAfter(
    id: string | null,
    limit: number,
  ): readonly { readonly run: string; readonly project: string; readonly interaction: Interaction }[];
}

interface AttemptData extends Body {
  readonly run: string;
  readonly chain: string;
  readonly node: string;
  readonly checkpoint: string | null;
}

// The indexes alone tell which rows are meant; the bodies of the others are not touched.
export function pageRows(db: Database): PageRows {
  const attempts = db.prepare<[string, string | null, number], AttemptData>(
    `SELECT run, chain, node, checkpoint, body FROM attempts WHERE rowid IN
       (SELECT rowid FROM attempts INDEXED BY attempts_by_node WHERE run = ?
        AND rowid > coalesce((SELECT rowid FROM attempts WHERE id = ?), 0) ORDER BY rowid LIMIT ?)
     ORDER BY rowid`,
  );
  const open = db.prepare<[string | null, number], Body & { run: string; project: string }>(
    `SELECT run, project, body FROM interactions WHERE rowid IN
       (SELECT rowid FROM interactions INDEXED BY interactions_open WHERE state = 'open'
        AND rowid > coalesce((SELECT rowid FROM interactions WHERE id = ?), 0) ORDER BY rowid LIMIT ?)
     ORDER BY rowid`,
  );
  return {
    attemptsAfter: (run, attempt, limit) =>
      attempts.all(run, attempt, limit).map(({ body, ...row }) => ({ ...row, attempt: parsed<Attempt>(body) })),
    openAfter: (id, limit) =>
      open.all(id, limit).map(({ body, ...row }) => ({ ...row, interaction: parsed<Interaction>(body) })),
  };
}
