// What an earlier process left open, settled before new work starts. Nothing that was settled runs again, nothing that
// was promised is forgotten.
import { emptyEnvelope, type WorkspaceOp } from '../engine/index.js';
import type { Submitted, Work } from './plan.js';
import type { EmbeddedQueue } from './queue/index.js';
import type { AttemptRow, Store } from './store/index.js';

export interface RecoveryParts {
  readonly store: Store;
  readonly queue: EmbeddedQueue;
  readonly now: () => number;
  submit(work: Work): Promise<Submitted>;
  /** Ends every process that still carries the token of one of these attempts. */
  endProcesses(attempts: readonly string[]): Promise<unknown>;
  performOp(run: string, op: WorkspaceOp): void;
  exportRun(run: string): void;
}

export async function recover(parts: RecoveryParts): Promise<void> {
  const { store, queue } = parts;
  const open = store.openAttempts();
  // As the earlier process left them: what settling begins anew is performed anyway.
  const ops = store.unfinishedRuns().flatMap((run) => (run.op ? [{ run: run.id, op: run.op }] : []));
  const running = open.filter((row) => row.attempt.state === 'running');
  if (running.length > 0) await parts.endProcesses(running.map((row) => row.attempt.id));
  for (const row of running) await settleAsCrashed(row, parts);
  await queue.forget(running.map((row) => row.attempt.id));
  // Claimed, but its start never reached the disk: nothing has run, so it simply waits again.
  const claimed = await queue.abandoned();
  const settled = new Set(running.map((row) => row.attempt.id));
  await queue.requeue(claimed.map((claim) => claim.id).filter((id) => !settled.has(id)));
  for (const { run, op } of ops) parts.performOp(run, op);
  for (const run of store.unfinishedRuns()) parts.exportRun(run.id);
  await startApproved(parts);
}

async function settleAsCrashed(row: AttemptRow, parts: RecoveryParts): Promise<void> {
  const envelope = { ...emptyEnvelope, killed: 'interrupted' as const };
  await parts.submit((now) => ({
    events: [
      { type: 'attempt_settled', run: row.run, chain: row.chain, at: now.at, attempt: row.attempt.id, envelope },
    ],
  }));
}

/** A draft whose turn came just as the process died. */
async function startApproved(parts: RecoveryParts): Promise<void> {
  await parts.submit((now) => {
    const approved = now.store.unfinishedRuns().filter((run) => run.status === 'draft' && run.approved);
    const first = new Map([...approved].reverse().map((run) => [run.project, run]));
    const due = [...first.values()].filter((run) => now.liveRun(run.project) === null);
    return {
      events: due.map((run) => ({
        type: 'start',
        run: run.id,
        chain: '',
        at: now.at,
        by: run.createdBy,
        behind: null,
      })),
    };
  });
}
