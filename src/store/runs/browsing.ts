// Each query reads about as many rows as the page shows.
import type { Database } from 'better-sqlite3';
import type { Event, Interaction, Node, Run } from '../../engine/index.js';
import type { Body } from '../file/json-column.js';
import { type ChatHistory, chatHistory } from '../messages/chat-history.js';
import { type MessageSearch, messageSearch } from '../messages/message-search.js';
import { eventShape } from './row-shapes.js';
import {
  type AttemptData,
  attemptOf,
  type InteractionData,
  interactionOf,
  type NodeRow,
  nodeOf,
  runsOf,
} from './row-values.js';
import { type RunSearch, runSearch } from './run-search.js';
import type { AttemptRow, StoredEvent } from './run-types.js';
import { type SpentDays, spentDays } from './spent-days.js';

export interface RunFilter {
  readonly project: string | null;
  readonly status: string | null;
  readonly before: number | null;
  readonly limit: number;
}

export interface BrowsingRows extends SpentDays, ChatHistory, MessageSearch, RunSearch {
  /** 0: none. */
  newestSeq(): number;
  /** 0: none. */
  newestMessage(): number;
  openInteractions(
    project: string | null,
    limit: number,
  ): readonly { readonly run: string; readonly interaction: Interaction }[];
  countOpen(project: string | null): number;
  oldestOpen(run: string): Interaction | null;
  liveRuns(project: string, limit: number): readonly Run[];
  runsAtWork(project: string | null, limit: number): { readonly runs: readonly Run[]; readonly count: number };
  runningAttempts(limit: number): readonly { readonly id: string; readonly run: string }[];
  runs(filter: RunFilter): readonly Run[];
  newestAttempts(run: string, limit: number): readonly AttemptRow[];
  chainNodes(run: string, chain: string, from: number, limit: number): readonly Node[];
  chainLength(run: string, chain: string): { readonly count: number; readonly over: number };
  nodeName(run: string, node: string): string | null;
  nodeLabel(run: string, node: string): string | null;
  countEvents(run: string): number;
  nthEvent(run: string, n: number): StoredEvent | null;
  /** Searches only events near `endedAt`. */
  settledEvent(run: string, attempt: string, endedAt: number): Event | null;
  /** By anyone or one person, newest first. `next` null: the end. */
  byPeople(
    by: string | null,
    before: number | null,
    limit: number,
  ): { readonly events: readonly StoredEvent[]; readonly next: number | null };
}

const settledWithin = 2_000;

interface EventData {
  readonly seq: number;
  readonly payload: string;
}

export function browsingRows(db: Database): BrowsingRows {
  const sql = statements(db);
  const storedEvent = ({ seq, payload }: EventData): StoredEvent => ({ seq, event: eventShape.read(payload) });

  /** Binary search: times grow with event numbers, unless the clock was set back. */
  function firstSeqAt(at: number): number {
    let low = 1;
    let high = (sql.newestSeq.get()?.n ?? 0) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((sql.timeOf.get(middle)?.at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    ...spentDays(db),
    ...chatHistory(db),
    ...messageSearch(db),
    ...runSearch(db),
    newestSeq: () => sql.newestSeq.get()?.n ?? 0,
    newestMessage: () => sql.newestMessage.get()?.n ?? 0,
    openInteractions: (project, limit) =>
      (project === null ? sql.open.all(limit) : sql.openIn.all(project, limit)).map(interactionOf),
    countOpen: (project) => (project === null ? sql.countOpen.get() : sql.countOpenIn.get(project))?.n ?? 0,
    oldestOpen(run) {
      const row = sql.oldestOpen.get(run);
      return row === undefined ? null : interactionOf(row).interaction;
    },
    liveRuns: (project, limit) => runsOf(sql.liveIn.all(project, limit)),
    runsAtWork(project, limit) {
      const ids = project === null ? sql.atWork.all() : sql.atWorkIn.all(project);
      const shown = ids.slice(0, limit).map(({ id }) => id);
      return { runs: runsOf(sql.runsNamed.all(JSON.stringify(shown))), count: ids.length };
    },
    runningAttempts: (limit) => sql.running.all(limit),
    runs({ project, status, before, limit }) {
      const from = before ?? Number.MAX_SAFE_INTEGER;
      if (project === null && status === null) return runsOf(sql.runs.all(from, limit));
      if (project === null) return runsOf(sql.runsThat.all(status, from, limit));
      if (status === null) return runsOf(sql.runsIn.all(project, from, limit));
      return runsOf(sql.runsThatIn.all(project, status, from, limit));
    },
    newestAttempts: (run, limit) => sql.newestAttempts.all(run, limit).map(attemptOf),
    chainNodes: (run, chain, from, limit) => sql.chainNodes.all(run, chain, limit, from).map(nodeOf),
    chainLength(run, chain) {
      const { count, done } = sql.chainLength.get(run, chain) ?? { count: 0, done: 0 };
      return { count, over: done };
    },
    nodeName: (run, id) => sql.nodeName.get(run, id)?.template ?? null,
    nodeLabel: (run, id) => sql.nodeName.get(run, id)?.label ?? null,
    countEvents: (run) => sql.countEvents.get(run)?.n ?? 0,
    nthEvent(run, n) {
      const row = sql.nthEvent.get(run, Math.max(0, n - 1));
      return row === undefined ? null : storedEvent(row);
    },
    settledEvent(run, attempt, endedAt) {
      const from = firstSeqAt(endedAt);
      // The clock was set back: read all.
      const row =
        sql.settled.get(run, from, from + settledWithin, attempt) ??
        sql.settled.get(run, 0, Number.MAX_SAFE_INTEGER, attempt);
      return row === undefined ? null : eventShape.read(row.payload);
    },
    byPeople(by, before, limit) {
      const from = before ?? Number.MAX_SAFE_INTEGER;
      // One more tells if there is a next page.
      const found = by === null ? sql.byPeople.all(from, limit + 1) : sql.byPerson.all(by, from, limit + 1);
      const events = found.slice(0, limit).map(storedEvent);
      return { events, next: found.length > limit ? (events.at(-1)?.seq ?? null) : null };
    },
  };
}

interface Count {
  readonly n: number | null;
}

function statements(db: Database) {
  const atWork = `SELECT id FROM runs INDEXED BY runs_live WHERE status IN ('running', 'paused') AND
    (EXISTS (SELECT 1 FROM attempts INDEXED BY attempts_open WHERE run = runs.id AND state IN ('queued', 'running'))
     OR json_array_length(body, '$.ops') > 0)`;
  const open = 'SELECT run, body FROM interactions INDEXED BY';
  return {
    newestSeq: db.prepare<[], Count>('SELECT max(seq) AS n FROM events'),
    newestMessage: db.prepare<[], Count>('SELECT max(n) AS n FROM outbox'),
    // Events of archived runs leave gaps.
    timeOf: db.prepare<[number], { at: number }>('SELECT at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1'),
    open: db.prepare<[number], InteractionData>(
      `${open} interactions_open WHERE state = 'open' ORDER BY rowid LIMIT ?`,
    ),
    openIn: db.prepare<[string, number], InteractionData>(
      `${open} interactions_open_in_project WHERE state = 'open' AND project = ? ORDER BY rowid LIMIT ?`,
    ),
    oldestOpen: db.prepare<[string], InteractionData>(
      `${open} interactions_open WHERE state = 'open' AND run = ? ORDER BY rowid LIMIT 1`,
    ),
    countOpen: db.prepare<[], Count>(
      `SELECT count(*) AS n FROM interactions INDEXED BY interactions_open WHERE state = 'open'`,
    ),
    countOpenIn: db.prepare<[string], Count>(
      `SELECT count(*) AS n FROM interactions INDEXED BY interactions_open_in_project WHERE state = 'open' AND project = ?`,
    ),
    liveIn: db.prepare<[string, number], Body>(
      `SELECT body FROM runs INDEXED BY runs_live WHERE status IN ('running', 'paused') AND project = ?
       ORDER BY number LIMIT ?`,
    ),
    atWork: db.prepare<[], { id: string }>(`${atWork} ORDER BY project, number`),
    atWorkIn: db.prepare<[string], { id: string }>(`${atWork} AND project = ? ORDER BY number`),
    runsNamed: db.prepare<[string], Body>(
      'SELECT body FROM runs WHERE id IN (SELECT value FROM json_each(?)) ORDER BY project, number',
    ),
    running: db.prepare<[number], { id: string; run: string }>(
      `SELECT id, run FROM attempts INDEXED BY attempts_open
       WHERE state IN ('queued', 'running') AND state = 'running' LIMIT ?`,
    ),
    runs: db.prepare<[number, number], Body>('SELECT body FROM runs WHERE number < ? ORDER BY number DESC LIMIT ?'),
    runsThat: db.prepare<[string | null, number, number], Body>(
      `SELECT body FROM runs INDEXED BY runs_by_status WHERE status = ? AND number < ? ORDER BY number DESC LIMIT ?`,
    ),
    runsIn: db.prepare<[string, number, number], Body>(
      `SELECT body FROM runs INDEXED BY runs_by_project WHERE project = ? AND number < ? ORDER BY number DESC LIMIT ?`,
    ),
    runsThatIn: db.prepare<[string, string, number, number], Body>(
      `SELECT body FROM runs INDEXED BY runs_by_status_in_project WHERE project = ? AND status = ? AND number < ?
       ORDER BY number DESC LIMIT ?`,
    ),
    newestAttempts: db.prepare<[string, number], AttemptData>(
      `SELECT run, chain, node, checkpoint, body FROM attempts WHERE rowid IN
       (SELECT rowid FROM attempts WHERE run = ? ORDER BY rowid DESC LIMIT ?) ORDER BY rowid DESC`,
    ),
    chainNodes: db.prepare<[string, string, number, number], NodeRow>(
      `SELECT n.chain, n.body, l.body AS live, t.body AS last FROM nodes n INDEXED BY nodes_by_chain
       LEFT JOIN attempts l ON l.id = n.live LEFT JOIN attempts t ON t.id = n.last
       WHERE n.run = ? AND n.chain = ? ORDER BY n.pos LIMIT ? OFFSET ?`,
    ),
    chainLength: db.prepare<[string, string], { count: number; done: number }>(
      `SELECT count(*) AS count, count(*) FILTER (WHERE state IN ('passed', 'skipped')) AS done
       FROM nodes INDEXED BY nodes_by_chain WHERE run = ? AND chain = ?`,
    ),
    nodeName: db.prepare<[string, string], { template: string; label: string }>(
      `SELECT json_extract(body, '$.template') AS template, json_extract(body, '$.label') AS label FROM nodes WHERE run = ? AND id = ?`,
    ),
    countEvents: db.prepare<[string], Count>('SELECT count(*) AS n FROM events INDEXED BY events_of_run WHERE run = ?'),
    nthEvent: db.prepare<[string, number], EventData>(
      `SELECT seq, payload FROM events WHERE seq =
       (SELECT seq FROM events INDEXED BY events_of_run WHERE run = ? ORDER BY seq LIMIT 1 OFFSET ?)`,
    ),
    settled: db.prepare<[string, number, number, string], { payload: string }>(
      `SELECT payload FROM events INDEXED BY events_of_run WHERE run = ? AND seq >= ? AND seq < ?
       AND type = 'attempt_settled' AND json_extract(payload, '$.attempt') = ? LIMIT 1`,
    ),
    byPeople: db.prepare<[number, number], EventData>(
      `SELECT seq, payload FROM events INDEXED BY events_of_people WHERE seq < ? AND "by" IS NOT NULL
       ORDER BY seq DESC LIMIT ?`,
    ),
    byPerson: db.prepare<[string, number, number], EventData>(
      `SELECT seq, payload FROM events INDEXED BY events_of_person WHERE "by" = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
  };
}
