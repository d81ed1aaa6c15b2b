// The queue for display: counts and oldest entries of waiting, offered and running attempts.

import type { NeedsOf, WaitingJob } from '../../jobs/index.js';
import type { RuntimeQueue } from '../../queue/index.js';
import type { AttemptRow, SqliteStore, Store } from '../../store/index.js';

/** One attempt in the queue; the store has the rest under its id. */
export interface QueuedWork {
  readonly attempt: string;
  readonly needs: readonly string[];
  /** When it entered its present state: dispatched, offered or started. */
  readonly since: number;
  /** Earliest start; null: at once. */
  readonly notBefore: number | null;
  /** The worker that runs or requested it; null: none. */
  readonly worker: string | null;
}

/** The total, and the oldest entries first. */
export interface QueuePart {
  readonly count: number;
  readonly oldest: readonly QueuedWork[];
}

/** How many waiting or offered attempts of a project share the same needs. */
export interface WaitingGroup {
  readonly project: string;
  readonly needs: readonly string[];
  readonly count: number;
}

export type RedisState =
  /** With the embedded queue. */
  { readonly kind: 'none' } | { readonly kind: 'fine' } | { readonly kind: 'away'; readonly problem: string };

export interface QueueView {
  readonly redis: RedisState;
  /** In the database and not ready: the checkout is busy, a limit applies, or its time has not come. */
  readonly waiting: QueuePart;
  /** In Redis, for any capable worker; empty with the embedded queue. */
  readonly offered: QueuePart;
  readonly running: QueuePart;
  /** Waiting and offered attempts by project and needs, the largest group first. */
  readonly groups: readonly WaitingGroup[];
}

export interface QueueState {
  readonly offered: number;
  /** The problem of Redis; null: none, or no Redis. */
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
  // Without Redis one process runs everything, so needs do not apply.
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
