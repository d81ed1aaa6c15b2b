// Counts whose cost does not grow with the history.

import { isSilent, type LivenessCheck, type WorkerStatus } from '../../dispatch/index.js';
import type { RowCounts } from '../../store/index.js';
import { grouped } from './counter.js';
import type { Scraped } from './index.js';
import { gauge, gauges, type Metric, type Sample } from './text.js';

const kinds = ['review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget'];
/** Only the most recent workers. */
const maxWorkers = 100;
const maxNameChars = 100;

export function workMetrics({ services, now }: Scraped): readonly Metric[] {
  const { counts } = services.runtime.reader;
  const at = now();
  const names = services.config().projects.map((project) => project.name);
  const [runs, attempts, open] = [counts.unfinishedRuns(), counts.attempts(), counts.interactions()];
  const queued = attempts.filter(({ word }) => word === 'queued');
  const inbox = counts.inbox();
  const writes = services.runtime.writeState;
  return [
    gauge('bosun_projects', 'Projects in config.yaml.', names.length),
    gauges(
      'bosun_runs_unfinished',
      'Runs that have not ended, by status.',
      byWord('status', ['draft', 'running', 'paused'], runs),
    ),
    gauges('bosun_jobs', 'Attempts queued or running.', byWord('state', ['queued', 'running'], attempts)),
    gauges(
      'bosun_queue_depth',
      'Attempts that wait for a worker, by project.',
      byProject(names, queued, ({ count }) => count),
    ),
    gauges(
      'bosun_queue_oldest_seconds',
      'How long the oldest of them has waited.',
      byProject(names, queued, ({ since }) => ageSeconds(at, since)),
    ),
    gauges('bosun_interactions_open', 'Open interactions, by kind.', byWord('kind', kinds, open)),
    gauges(
      'bosun_interactions_oldest_seconds',
      'How long the oldest of each kind has waited.',
      byWord('kind', kinds, open, (rows) => oldest(at, rows)),
    ),
    gauges(
      'bosun_project_interactions_open',
      'Open interactions, by project.',
      byProject(names, open, ({ count }) => count),
    ),
    gauge('bosun_inbox_backlog', 'Incoming messages that are not processed yet.', inbox.count),
    gauge('bosun_inbox_oldest_seconds', 'How long the oldest of them has waited.', ageSeconds(at, inbox.since)),
    gauge(
      'bosun_queue_problem',
      '1 while Redis is away, full or too slow.',
      services.runtime.queueState().problem === null ? 0 : 1,
    ),
    gauge('bosun_writes_waiting', 'Results that wait in memory because the database refuses them.', writes.waiting),
    gauge('bosun_database_problem', '1 while the database takes no writes.', writes.problem === null ? 0 : 1),
    ...workers(services.runtime, { at, leaseMs: services.config().queue.leaseMs }),
  ];
}

function workers(
  { isWorking, workers: signs }: Scraped['services']['runtime'],
  watch: LivenessCheck,
): readonly Metric[] {
  const all = signs();
  const living = all.filter(({ seenAt }) => !isSilent(seenAt, watch));
  const samples = [...seenByName(all)]
    .sort(([, one], [, other]) => other - one)
    .slice(0, maxWorkers)
    .map(([worker, seenAt]) => ({ labels: { worker }, value: Math.max(0, watch.at - seenAt) / 1000 }));
  return [
    gauge('bosun_worker_working', '1 when this process runs agents.', isWorking ? 1 : 0),
    gauge('bosun_workers', 'Workers with a heartbeat within the lease.', living.length),
    gauges('bosun_worker_seen_seconds', 'Since a worker of this name was last known to be alive.', samples),
  ];
}

/** A label must not grow with restarts, so the session is stripped. */
function seenByName(signs: readonly WorkerStatus[]): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  for (const { name, seenAt } of signs) {
    const plain = name.replace(/ \([^()]{1,8}\)$/, '').slice(0, maxNameChars);
    seen.set(plain, Math.max(seen.get(plain) ?? 0, seenAt));
  }
  return seen;
}

/** Usual words even at 0: no gaps in graphs. */
function byWord(
  label: string,
  usual: readonly string[],
  rows: readonly RowCounts[],
  value: (rows: readonly RowCounts[]) => number = (some) => some.reduce((sum, { count }) => sum + count, 0),
): readonly Sample[] {
  const words = [...new Set([...usual, ...rows.map(({ word }) => word)])];
  return words.map((word) => ({ labels: { [label]: word }, value: value(rows.filter((row) => row.word === word)) }));
}

function byProject(
  names: readonly string[],
  rows: readonly RowCounts[],
  value: (row: RowCounts) => number,
): readonly Sample[] {
  return grouped(names, rows).map(({ project, rows: own }) => {
    const total = { project, word: '', count: sum(own), since: first(own) };
    return { labels: { project }, value: own.length === 0 ? 0 : value(total) };
  });
}

function sum(rows: readonly RowCounts[]): number {
  return rows.reduce((total, { count }) => total + count, 0);
}

function first(rows: readonly RowCounts[]): number {
  return rows.reduce((least, { since }) => Math.min(least, since), Number.POSITIVE_INFINITY);
}

function oldest(at: number, rows: readonly RowCounts[]): number {
  return rows.length === 0 ? 0 : ageSeconds(at, first(rows));
}

/** 0: nothing waits. */
function ageSeconds(at: number, since: number): number {
  return since === 0 ? 0 : Math.max(0, at - since) / 1000;
}
