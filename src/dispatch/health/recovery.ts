// Recovers attempts and operations that an earlier process left open. A settled attempt never runs again.

import { forEachIsolated } from '../../base/index.js';
import type { Envelope, WorkspaceOp } from '../../engine/index.js';
import { parseWorker } from '../../jobs/index.js';
import type { RecoverableQueue } from '../../queue/index.js';
import type { AttemptRow, SqliteStore, Store } from '../../store/index.js';
import { interrupted } from '../attempts/attempt-events.js';
import { isExternal } from '../attempts/external-attempts.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';
import { heal } from './heal.js';

export interface RecoveryParts {
  readonly store: Store & Pick<SqliteStore, 'jobs'>;
  readonly queue: RecoverableQueue;
  readonly now: () => number;
  submit(work: MakePlan): Promise<Submitted>;
  endProcesses(attempts: readonly string[]): Promise<unknown>;
  exportLog(attempt: string): Promise<unknown>;
  /** A remote worker still runs it. */
  goesOn(row: AttemptRow): void;
  performOp(run: string, op: WorkspaceOp): void;
  isProposed(project: string): boolean;
  exportAll(): void;
  /** A bug in one run is told there; the others go on. */
  onBug(error: unknown): void;
}

export async function recover(parts: RecoveryParts): Promise<void> {
  const { store, queue } = parts;
  const open = store.openAttempts();
  const remote = await workedOnElsewhere(queue);
  const begun = open.filter((row) => row.attempt.state === 'running' && !isExternal(row));
  const running = begun.filter((row) => !remote.has(row.attempt.id));
  if (running.length > 0) await parts.endProcesses(running.map((row) => row.attempt.id));
  const unwanted = new Set(store.jobs.cancelled());
  const howEnded = ({ attempt }: AttemptRow) => (unwanted.has(attempt.id) ? 'cancel' : 'interrupted');
  // A disk failure aborts the start, one broken run does not.
  await forEachIsolated(running, (row) => settle(row, howEnded(row), parts), parts.onBug);
  const dropped = open.filter((row) => isDropped(row, store, unwanted));
  await forEachIsolated(dropped, (row) => settle(row, 'cancel', parts), parts.onBug);
  const settled = new Set([...running, ...dropped].map((row) => row.attempt.id));
  await queue.forget([...settled]);
  // Claimed without a committed start, so nothing ran.
  const claimed = await queue.abandoned();
  const goingOn = begun.filter((row) => remote.has(row.attempt.id));
  const elsewhere = new Set(goingOn.map((row) => row.attempt.id));
  await queue.requeue(claimed.map((claim) => claim.id).filter((id) => !settled.has(id) && !elsewhere.has(id)));
  for (const row of goingOn) parts.goesOn(row);
  parts.exportAll();
  await heal(parts);
}

/** Excludes own workers, which died with their process. */
async function workedOnElsewhere(queue: RecoverableQueue): Promise<ReadonlySet<string>> {
  const outliving = new Set((await queue.outliving?.()) ?? []);
  const claims = outliving.size === 0 ? [] : await queue.abandoned();
  const remote = claims.filter(({ id, worker }) => outliving.has(id) && parseWorker(worker).kind !== 'own');
  return new Set(remote.map(({ id }) => id));
}

/** Its queue was not told before the crash. */
function isDropped({ attempt, run, chain, node }: AttemptRow, store: Store, unwanted: ReadonlySet<string>): boolean {
  if (attempt.state !== 'queued') return false;
  if (unwanted.has(attempt.id)) return true;
  return store.chain(run, chain)?.nodes.find((one) => one.id === node)?.state === 'cancelled';
}

async function settle({ run, chain, attempt }: AttemptRow, killed: Envelope['killed'], parts: RecoveryParts) {
  await parts.exportLog(attempt.id);
  const envelope = { ...interrupted, killed };
  await parts.submit((now) => ({
    ...emptyPlan,
    events: [{ type: 'attempt_settled', run, chain, at: now.at, attempt: attempt.id, envelope }],
  }));
}
