// Jobs that workers have in their hands, as Bosun knows it: who has them, until when that is believed, what is wanted of
// them.
//
// starting → running → settling (an envelope or a loss goes on record) → gone
// any of these → ending (settled elsewhere; its handler still occupies the checkout) → gone
// settling → orphaned (its end could not be recorded; nobody renews it, so that it counts as lost) → settling
import type { BegunJob, QueuedJob } from '../../../jobs/index.js';
import type { HomeMessage } from '../protocol/messages.js';
import { isSession } from '../protocol/redis-keys.js';

export interface HeldJob {
  readonly job: QueuedJob;
  readonly worker: string;
  /** Null: it is not on record, and its worker has not been heard yet. */
  session: string | null;
  /** It began under an earlier Bosun. */
  readonly isFromBefore: boolean;
  /** Whether its worker has been heard by this Bosun. */
  isHeard: boolean;
  phase: 'starting' | 'running' | 'settling' | 'ending' | 'orphaned';
  /** When it counts as lost. */
  until: number;
  /** Redis has lost it: nobody renews it any more. */
  isMissed: boolean;
  isCancelled: boolean;
  extendedMs: number;
  isWaiting: boolean;
  /** Whether its worker has been told all that is wanted. */
  isTold: boolean;
}

export function carriedBy(job: QueuedJob, worker: string, session: string, until: number): HeldJob {
  return {
    ...{ job, worker, session, phase: 'starting', until, isFromBefore: false, isHeard: true, isMissed: false },
    ...{ isCancelled: false, extendedMs: 0, isWaiting: false, isTold: true },
  };
}

/** As an earlier Bosun left it. */
export function recalled(job: BegunJob, until: number): HeldJob {
  const { worker, instance, isCancelled, extendedMs } = job;
  const session = isSession(instance) ? instance : null;
  return {
    ...{ job, worker, session, phase: 'running', until, isFromBefore: true, isHeard: false, isMissed: false },
    ...{ isCancelled, extendedMs, isWaiting: false, isTold: false },
  };
}

/** Whether this session has it; where none is on record, it belongs to the worker of its name. */
export function isOf(one: HeldJob, session: string, worker: string): boolean {
  return one.session === null ? one.worker === worker : one.session === session;
}

export function wantsOf({ job, isCancelled, extendedMs, isWaiting }: HeldJob): HomeMessage {
  return { type: 'wants', id: job.id, isCancelled, extendedMs, isWaiting };
}

export function canBeLost({ phase }: HeldJob): boolean {
  return phase === 'running' || phase === 'orphaned' || phase === 'ending';
}
