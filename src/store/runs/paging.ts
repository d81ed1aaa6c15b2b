// A page begins after the last one's last row.
import type { Database } from 'better-sqlite3';
import type { Chain, Interaction, Node } from '../../engine/index.js';
import type { Body } from '../file/json-column.js';
import {
  type AttemptData,
  attemptOf,
  chainOf,
  type InteractionData,
  interactionOf,
  type NodeRow,
  nodeOf,
} from './row-values.js';
import type { AttemptRow } from './run-types.js';

export interface PageRows {
  attemptsAfter(run: string, attempt: string | null, limit: number): readonly AttemptRow[];
  /** In the order of opening; `id` may be settled by now. */
  openAfter(
    id: string | null,
    limit: number,
  ): readonly { readonly run: string; readonly project: string; readonly interaction: Interaction }[];
  nodePlaces(run: string): readonly NodePlace[];
  nodesNamed(run: string, ids: readonly string[]): readonly (Node & { readonly chain: string })[];
  chainBegin(run: string, chain: string, limit: number): Chain | null;
  /** This node, and the nearest earlier one with a finished attempt. */
  chainBefore(run: string, chain: string, node: string): Chain | null;
}

export interface NodePlace {
  readonly id: string;
  readonly chain: string;
}

export function pageRows(db: Database): PageRows {
  const attempts = db.prepare<[string, string | null, number], AttemptData>(
    `SELECT run, chain, node, checkpoint, body FROM attempts WHERE rowid IN
       (SELECT rowid FROM attempts INDEXED BY attempts_by_node WHERE run = ?
        AND rowid > coalesce((SELECT rowid FROM attempts WHERE id = ?), 0) ORDER BY rowid LIMIT ?)
     ORDER BY rowid`,
  );
  const open = db.prepare<[string | null, number], InteractionData & { project: string }>(
    `SELECT run, project, body FROM interactions WHERE rowid IN
       (SELECT rowid FROM interactions INDEXED BY interactions_open WHERE state = 'open'
        AND rowid > coalesce((SELECT rowid FROM interactions WHERE id = ?), 0) ORDER BY rowid LIMIT ?)
     ORDER BY rowid`,
  );
  return {
    attemptsAfter: (run, attempt, limit) => attempts.all(run, attempt, limit).map(attemptOf),
    openAfter: (id, limit) => open.all(id, limit).map((row) => ({ ...interactionOf(row), project: row.project })),
    ...nodePages(db),
  };
}

function nodePages(db: Database): Omit<PageRows, 'attemptsAfter' | 'openAfter'> {
  const whole = `SELECT n.chain, n.body, l.body AS live, t.body AS last FROM nodes n
    LEFT JOIN attempts l ON l.id = n.live LEFT JOIN attempts t ON t.id = n.last`;
  const places = db.prepare<[string], NodePlace>(
    'SELECT id, chain FROM nodes INDEXED BY nodes_by_chain WHERE run = ? ORDER BY chain, pos',
  );
  const named = db.prepare<[string, string], NodeRow>(
    `${whole} WHERE n.run = ? AND n.id IN (SELECT value FROM json_each(?))`,
  );
  const chain = db.prepare<[string, string], Body>('SELECT body FROM chains WHERE run = ? AND key = ?');
  const begin = db.prepare<[string, string, number], NodeRow>(
    `${whole} WHERE n.run = ? AND n.chain = ? ORDER BY n.pos LIMIT ?`,
  );
  const before = db.prepare<[string, string, string, string], NodeRow>(
    `${whole} WHERE n.run = ? AND n.chain = ? AND n.last IS NOT NULL
     AND n.pos < (SELECT pos FROM nodes WHERE run = ? AND id = ?) ORDER BY n.pos DESC LIMIT 1`,
  );
  const chainWith = (run: string, key: string, nodes: () => readonly NodeRow[]) => {
    const row = chain.get(run, key);
    return row === undefined ? null : chainOf(row.body, nodes().map(nodeOf));
  };
  return {
    nodePlaces: (run) => places.all(run),
    nodesNamed: (run, ids) => named.all(run, JSON.stringify(ids)).map((row) => ({ ...nodeOf(row), chain: row.chain })),
    chainBegin: (run, key, limit) => chainWith(run, key, () => begin.all(run, key, limit)),
    chainBefore: (run, key, node) =>
      chainWith(run, key, () => [...before.all(run, key, run, node), ...named.all(run, JSON.stringify([node]))]),
  };
}
