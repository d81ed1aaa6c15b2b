// Jobs that workers have in their hands, as Bosun knows it: who has them, until when that is believed, what is wanted of
// them.
//
// starting → running → settling (an envelope or a loss goes on record) → gone
// any of these → ending (settled elsewhere; its handler still occupies the checkout) → gone
// settling → orphaned (its end could not be recorded; nobody renews it, so that it counts as lost) → settling
import type { QueuedJob } from '../../store/index.js';
import type { Down } from './messages.js';

export interface Carried {
  readonly job: QueuedJob;
  readonly worker: string;
  /** Null: it began under an earlier Bosun, and its worker has not been heard since. */
  session: string | null;
  readonly isFromBefore: boolean;
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

export function carriedBy(job: QueuedJob, worker: string, session: string | null, until: number): Carried {
  const phase = session === null ? 'running' : 'starting';
  return {
    ...{ job, worker, session, phase, until, isFromBefore: session === null },
    ...{ isMissed: false, isCancelled: false, extendedMs: 0, isWaiting: false, isTold: true },
  };
}

/** Whether this session has it; a job from before a restart belongs to the worker of its name. */
export function isOf(one: Carried, session: string, worker: string): boolean {
  return one.session === null ? one.worker === worker : one.session === session;
}

export function wantsOf({ job, isCancelled, extendedMs, isWaiting }: Carried): Down {
  return { type: 'wants', id: job.id, isCancelled, extendedMs, isWaiting };
}

export function canBeLost({ phase }: Carried): boolean {
  return phase === 'running' || phase === 'orphaned' || phase === 'ending';
}
