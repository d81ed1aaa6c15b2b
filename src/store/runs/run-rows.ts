import type { Database } from 'better-sqlite3';
import { BosunError } from '../../base/index.js';
import {
  byPlace,
  type Chain,
  type Interaction,
  type Item,
  type Node,
  type Run,
  readSnapshot,
  type Workflow,
} from '../../engine/index.js';
import { type Body, parsed, parsedAll } from '../file/json-column.js';
import { restoreHint } from '../file/sqlite-failure.js';
import { runShape } from './row-shapes.js';
import {
  type AttemptData,
  attemptOf,
  chainOf,
  type InteractionData,
  interactionOf,
  type NodeRow,
  nodeOf,
  runsOf,
} from './row-values.js';
import type { AttemptRow, Spine } from './run-types.js';

export interface RunReader {
  spine(run: string): Spine | null;
  chain(run: string, key: string): Chain | null;
  run(id: string): Run | null;
  liveRuns(project: string | null): readonly Run[];
  /** Of any age: a failed run blocks others until retried or ended. */
  failedRuns(project: string): readonly Run[];
  drafts(project: string): readonly Run[];
  /** Oldest first, drafts and paused ones included. */
  unfinishedRuns(): readonly Run[];
  /** Without drafts awaiting approval. */
  activeRuns(): readonly Run[];
  runs(project: string | null, limit: number, beforeNumber: number | null): readonly Run[];
  nodes(run: string): readonly (Node & { readonly chain: string })[];
  attempt(id: string): AttemptRow | null;
  attempts(run: string, node: string): readonly AttemptRow[];
  attemptsOfRun(run: string, limit: number): readonly AttemptRow[];
  openAttempts(): readonly AttemptRow[];
  interaction(id: string): { readonly run: string; readonly interaction: Interaction } | null;
  openInteractions(project: string | null): readonly { readonly run: string; readonly interaction: Interaction }[];
}

export interface RunRows extends RunReader {
  /** Never the same number twice, even if the run was not written. */
  nextRunNumber(): number;
  setCheckpoint(attempt: string, checkpoint: string): void;
}

const workflowsKept = 64;
const live = `status IN ('running', 'paused')`;
const node = `SELECT n.chain, n.body, l.body AS live, t.body AS last FROM nodes n
  LEFT JOIN attempts l ON l.id = n.live LEFT JOIN attempts t ON t.id = n.last`;
const attempt = 'SELECT run, chain, node, checkpoint, body FROM attempts';
const interaction = 'SELECT run, body FROM interactions';

export function runReader(db: Database, path: string): RunRows {
  const read = statements(db);
  const workflow = workflowReader(db, path);
  let lastNumber = 0;

  function run(id: string): Run | null {
    const row = read.run.get(id);
    return row === undefined ? null : runShape.read(row.body);
  }

  return {
    run,
    spine(id): Spine | null {
      const found = run(id);
      if (found === null) return null;
      return {
        run: found,
        items: parsedAll<Item>(read.items.all(id)),
        interactions: parsedAll<Interaction>(read.openOfRun.all(id)),
        workflow: workflow(found),
      };
    },
    chain(id, key) {
      const row = read.chain.get(id, key);
      return row === undefined ? null : chainOf(row.body, read.chainNodes.all(id, key).map(nodeOf));
    },
    nextRunNumber() {
      // Two runs may start before the first is on disk.
      lastNumber = Math.max(lastNumber, read.lastNumber.get()?.number ?? 0) + 1;
      return lastNumber;
    },
    liveRuns: (project) => runsOf(project === null ? read.live.all() : read.liveIn.all(project)),
    unfinishedRuns: () => runsOf(read.unfinished.all()),
    activeRuns: () => runsOf(read.active.all()),
    failedRuns: (project) => runsOf(read.failedIn.all(project)),
    drafts: (project) => [...runsOf(read.drafts.all(project))].sort(byPlace),
    runs(project, limit, beforeNumber) {
      const before = beforeNumber ?? Number.MAX_SAFE_INTEGER;
      return runsOf(project === null ? read.runs.all(before, limit) : read.runsIn.all(project, before, limit));
    },
    nodes: (id) => read.nodes.all(id).map((row) => ({ ...nodeOf(row), chain: row.chain })),
    attempt(id) {
      const row = read.attempt.get(id);
      return row === undefined ? null : attemptOf(row);
    },
    attempts: (id, nodeId) => read.attempts.all(id, nodeId).map(attemptOf),
    attemptsOfRun: (id, limit) => read.attemptsOfRun.all(id, limit).map(attemptOf),
    openAttempts: () => read.openAttempts.all().map(attemptOf),
    setCheckpoint(id, checkpoint) {
      if (read.setCheckpoint.run(checkpoint, id).changes === 0) {
        throw new BosunError('not_found', `There is no attempt ${id} to set a checkpoint for`);
      }
    },
    interaction(id) {
      const row = read.interaction.get(id);
      return row === undefined ? null : interactionOf(row);
    },
    openInteractions(project) {
      return (project === null ? read.open.all() : read.openIn.all(project)).map(interactionOf);
    },
  };
}

/** Snapshots never change, and runs share them. */
function workflowReader(db: Database, path: string): (run: Run) => Workflow {
  const get = db.prepare<[string], Body>('SELECT body FROM snapshots WHERE hash = ?');
  const kept = new Map<string, Workflow>();
  return (run) => {
    const known = kept.get(run.snapshot);
    if (known !== undefined) return known;
    const row = get.get(run.snapshot);
    if (row === undefined) {
      throw new BosunError('bad_database', `${path}: it lacks the workflow of run ${run.id}`, {
        hint: restoreHint,
      });
    }
    const workflow = readSnapshot(parsed<Workflow>(row.body));
    const oldest = kept.size < workflowsKept ? undefined : kept.keys().next().value;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(run.snapshot, workflow);
    return workflow;
  };
}

// Names the indexes: SQLite's planner prefers a full scan to sorting a partial index.
function statements(db: Database) {
  return {
    run: db.prepare<[string], Body>('SELECT body FROM runs WHERE id = ?'),
    lastNumber: db.prepare<[], { number: number | null }>('SELECT max(number) AS number FROM runs'),
    live: db.prepare<[], Body>(`SELECT body FROM runs INDEXED BY runs_live WHERE ${live} ORDER BY number`),
    liveIn: db.prepare<[string], Body>(
      `SELECT body FROM runs INDEXED BY runs_live WHERE ${live} AND project = ? ORDER BY number`,
    ),
    failedIn: db.prepare<[string], Body>(
      `SELECT body FROM runs INDEXED BY runs_by_status_in_project WHERE project = ? AND status = 'failed' ORDER BY number`,
    ),
    drafts: db.prepare<[string], Body>(
      `SELECT body FROM runs INDEXED BY runs_draft WHERE status = 'draft' AND project = ? ORDER BY number`,
    ),
    unfinished: db.prepare<[], Body>(
      'SELECT body FROM runs INDEXED BY runs_unfinished WHERE unfinished = 1 ORDER BY number',
    ),
    active: db.prepare<[], Body>(
      `SELECT body FROM runs INDEXED BY runs_unfinished WHERE unfinished = 1 AND (status <> 'draft'
         OR json_extract(body, '$.approved') OR body -> '$.ops' IS NOT NULL OR json_extract(body, '$.opened') IS NOT NULL)
       ORDER BY number`,
    ),
    runs: db.prepare<[number, number], Body>('SELECT body FROM runs WHERE number < ? ORDER BY number DESC LIMIT ?'),
    runsIn: db.prepare<[string, number, number], Body>(
      'SELECT body FROM runs WHERE project = ? AND number < ? ORDER BY number DESC LIMIT ?',
    ),
    items: db.prepare<[string], Body>('SELECT body FROM items WHERE run = ? ORDER BY pos'),
    chain: db.prepare<[string, string], Body>('SELECT body FROM chains WHERE run = ? AND key = ?'),
    chainNodes: db.prepare<[string, string], NodeRow>(`${node} WHERE n.run = ? AND n.chain = ? ORDER BY n.pos`),
    nodes: db.prepare<[string], NodeRow>(
      `${node} LEFT JOIN items i ON i.run = n.run AND i.key = n.chain WHERE n.run = ?
       ORDER BY coalesce(i.pos, -1), n.chain, n.pos`,
    ),
    attempt: db.prepare<[string], AttemptData>(`${attempt} WHERE id = ?`),
    attempts: db.prepare<[string, string], AttemptData>(`${attempt} WHERE run = ? AND node = ? ORDER BY rowid`),
    // The inner query reads only the index, not the bodies of other attempts.
    attemptsOfRun: db.prepare<[string, number], AttemptData>(
      `${attempt} WHERE rowid IN (SELECT rowid FROM attempts WHERE run = ? ORDER BY rowid LIMIT ?) ORDER BY rowid`,
    ),
    openAttempts: db.prepare<[], AttemptData>(
      `${attempt} INDEXED BY attempts_open WHERE state IN ('queued', 'running') ORDER BY rowid`,
    ),
    setCheckpoint: db.prepare<[string, string]>('UPDATE attempts SET checkpoint = ? WHERE id = ?'),
    interaction: db.prepare<[string], InteractionData>(`${interaction} WHERE id = ?`),
    openOfRun: db.prepare<[string], Body>(
      `SELECT body FROM interactions INDEXED BY interactions_open WHERE state = 'open' AND run = ? ORDER BY rowid`,
    ),
    open: db.prepare<[], InteractionData>(
      `${interaction} INDEXED BY interactions_open WHERE state = 'open' ORDER BY rowid`,
    ),
    openIn: db.prepare<[string], InteractionData>(
      `${interaction} INDEXED BY interactions_open_in_project WHERE state = 'open' AND project = ? ORDER BY rowid`,
    ),
  };
}
