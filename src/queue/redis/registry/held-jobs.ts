// starting → running → settling (an envelope or a loss is being recorded) → gone
// any of these → ending (settled elsewhere; its handler still occupies the checkout) → gone
// settling → orphaned (its end could not be recorded; the lease runs out) → settling
import type { BegunJob, QueuedJob } from '../../../jobs/index.js';
import type { HomeMessage } from '../protocol/messages.js';
import { isSession } from '../protocol/redis-keys.js';

export interface HeldJob {
  readonly job: QueuedJob;
  readonly worker: string;
  /** Null: its worker is not heard yet. */
  session: string | null;
  readonly isFromBefore: boolean;
  isHeard: boolean;
  phase: 'starting' | 'running' | 'settling' | 'ending' | 'orphaned';
  /** After this the job counts as lost. */
  until: number;
  /** Redis lost it: heartbeats no longer renew its lease. */
  isMissed: boolean;
  isCancelled: boolean;
  extendedMs: number;
  isWaiting: boolean;
  isTold: boolean;
  /** Null: its worker took it from BullMQ. `unsent`: Redis has not confirmed it. */
  grant: 'unsent' | 'sent' | null;
}

export function carriedBy(job: QueuedJob, worker: string, session: string, until: number): HeldJob {
  return {
    ...{ job, worker, session, phase: 'starting', until, isFromBefore: false, isHeard: true, isMissed: false },
    ...{ isCancelled: false, extendedMs: 0, isWaiting: false, isTold: true, grant: null },
  };
}

export function recalled(job: BegunJob, until: number): HeldJob {
  const { worker, instance, isCancelled, extendedMs } = job;
  const session = isSession(instance) ? instance : null;
  return {
    ...{ job, worker, session, phase: 'running', until, isFromBefore: true, isHeard: false, isMissed: false },
    ...{ isCancelled, extendedMs, isWaiting: false, isTold: false },
    grant: session === null ? null : 'unsent',
  };
}

/** Without a recorded session the worker's name decides. */
export function isOf(one: HeldJob, session: string, worker: string): boolean {
  return one.session === null ? one.worker === worker : one.session === session;
}

export function wantsOf({ job, isCancelled, extendedMs, isWaiting }: HeldJob): HomeMessage {
  return { type: 'wants', id: job.id, isCancelled, extendedMs, isWaiting };
}

export function canBeLost({ phase }: HeldJob): boolean {
  return phase === 'running' || phase === 'orphaned' || phase === 'ending';
}
