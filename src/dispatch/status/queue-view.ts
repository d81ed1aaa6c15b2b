import type { NeedsOf, WaitingJob } from '../../jobs/index.js';
import type { RuntimeQueue } from '../../queue/index.js';
import type { AttemptRow, SqliteStore, Store } from '../../store/index.js';

export interface QueuedWork {
  readonly attempt: string;
  readonly needs: readonly string[];
  /** Start of its present state. */
  readonly since: number;
  readonly notBefore: number | null;
  readonly worker: string | null;
}

export interface QueuePart {
  readonly count: number;
  readonly oldest: readonly QueuedWork[];
}

/** Waiting or offered attempts of a project with the same needs. */
export interface WaitingGroup {
  readonly project: string;
  readonly needs: readonly string[];
  readonly count: number;
}

export type RedisState =
  /** `none`: the embedded queue. */
  { readonly kind: 'none' } | { readonly kind: 'fine' } | { readonly kind: 'away'; readonly problem: string };

export interface QueueView {
  readonly redis: RedisState;
  /** The checkout is busy, a limit applies, or its time has not come. */
  readonly waiting: QueuePart;
  /** For capable workers; empty if embedded. */
  readonly offered: QueuePart;
  readonly running: QueuePart;
  readonly groups: readonly WaitingGroup[];
}

export interface QueueState {
  readonly offered: number;
  readonly problem: string | null;
}

export interface QueueViewParts {
  readonly store: Pick<Store, 'openAttempts'> & Pick<SqliteStore, 'jobs'>;
  readonly queue: Pick<RuntimeQueue, 'onOffer' | 'problem'>;
  readonly needsOf: NeedsOf;
}

const mostLookedAt = 1_000;

export function viewQueue({ store, queue, needsOf }: QueueViewParts, limit: number): QueueView {
  const offers = queue.onOffer?.() ?? new Map<string, number>();
  // The embedded queue's one process runs everything.
  const looked = store.jobs.waitingNeeds(mostLookedAt).map(({ checkout, ...job }) => {
    const needs = queue.onOffer === undefined ? [] : needsOf({ ...job, workdir: checkout ?? '' });
    return { ...job, needs };
  });
  const needs = new Map(looked.map((job) => [job.id, job.needs]));
  const open = store.openAttempts();
  const running = open.filter(({ attempt }) => attempt.state === 'running');
  const begun = new Set(running);
  const part = (rows: readonly AttemptRow[], sinceOf: (row: AttemptRow) => number): QueuePart => {
    const shown = rows.map((row) => workOf(row, sinceOf(row), needs)).sort((a, b) => a.since - b.since);
    return { count: rows.length, oldest: shown.slice(0, limit) };
  };
  const rest = open.filter((row) => !begun.has(row));
  const isOffered = ({ attempt }: AttemptRow) => offers.has(attempt.id);
  return {
    redis: redisState(queue),
    waiting: part(
      rest.filter((row) => !isOffered(row)),
      ({ attempt }) => attempt.dispatchedAt,
    ),
    offered: part(rest.filter(isOffered), ({ attempt }) => offers.get(attempt.id) ?? attempt.dispatchedAt),
    running: part(running, ({ attempt }) => attempt.startedAt ?? attempt.dispatchedAt),
    groups: groupsOf(looked).slice(0, limit),
  };
}

function redisState({ onOffer, problem = null }: QueueViewParts['queue']): RedisState {
  if (onOffer === undefined) return { kind: 'none' };
  return problem === null ? { kind: 'fine' } : { kind: 'away', problem };
}

function workOf({ attempt }: AttemptRow, since: number, needs: ReadonlyMap<string, readonly string[]>): QueuedWork {
  const { id, notBefore = null, worker = null } = attempt;
  return { attempt: id, needs: needs.get(id) ?? [], since, notBefore, worker };
}

function groupsOf(jobs: readonly Pick<WaitingJob, 'project' | 'needs'>[]): readonly WaitingGroup[] {
  const groups = new Map<string, WaitingGroup>();
  for (const { project, needs } of jobs) {
    const key = JSON.stringify([project, needs]);
    groups.set(key, { project, needs, count: (groups.get(key)?.count ?? 0) + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
