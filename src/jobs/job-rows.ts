// The port for the job rows that a queue keeps in the database. The queue requires it; the store implements it.

import type { AttemptSpec } from './attempt-spec.js';
import type { Job } from './job.js';

/** A job as the queue orders it; the payload stays on disk until the job is claimed. */
export interface QueuedJob {
  readonly id: string;
  readonly project: string;
  readonly checkout: string | null;
  readonly group: string | null;
  readonly priority: number;
  /** Earliest start, as wall-clock time in ms. */
  readonly notBefore: number | null;
  /** Insertion order: lower is older. */
  readonly n: number;
}

export interface LeasedJob extends QueuedJob {
  readonly worker: string;
  /** The process that holds the lease. */
  readonly instance: string;
  readonly leaseUntil: number;
}

export interface BegunJob extends LeasedJob {
  /** Requests that have arrived for the running job: cancel, extend. */
  readonly isCancelled: boolean;
  readonly extendedMs: number;
}

export interface Extension {
  readonly attempt: string;
  readonly byMs: number;
}

export interface WaitingJob {
  readonly id: string;
  readonly project: string;
  readonly checkout: string | null;
  readonly needs: readonly string[];
}

export interface Claim {
  readonly id: string;
  readonly worker: string;
  /** The process that claims the job; default: the instance passed to `exchange`. */
  readonly instance?: string;
}

export interface JobCounts {
  readonly queued: number;
  readonly running: number;
}

export interface JobRows {
  /** Synced to disk on return. Returns those of the jobs that are waiting, whether new or already known. */
  add(jobs: readonly Job[]): readonly QueuedJob[];
  queued(): readonly QueuedJob[];
  leased(): readonly BegunJob[];
  /** Open jobs with a cancel request. */
  cancelled(): readonly string[];
  /**
   * Ends jobs held by `instance` and claims others in one transaction. Returns each claimed job's payload, or null if
   * it no longer waits. Not synced by itself: the next synced commit covers it, and a crash before that loses nothing
   * that the attempts' own rows do not also say.
   */
  exchange(ended: readonly string[], claims: readonly Claim[], instance: string, leaseUntil: number): (string | null)[];
  /** Returns the ids whose lease `instance` has lost. */
  renew(ids: readonly string[], instance: string, leaseUntil: number): readonly string[];
  /**
   * Takes over an expired lease; of several racing callers one wins. `leaseUntil`: still valid; `ended`: no such lease.
   */
  takeOver(
    id: string,
    instance: string,
    now: number,
    leaseUntil: number,
  ): 'taken' | 'ended' | { readonly leaseUntil: number };
  isHeldBy(id: string, instance: string): boolean;
  /** null once the job has ended. */
  payload(id: string): AttemptSpec | null;
  /** Removes a waiting job; a leased one stays. */
  remove(id: string): 'removed' | 'leased' | 'unknown';
  /** Puts leased jobs back into the queue and returns them. */
  requeue(ids: readonly string[]): readonly QueuedJob[];
  /** Ends jobs regardless of their state. */
  forget(ids: readonly string[]): void;
  counts(project: string | null): JobCounts;
  /** The oldest waiting jobs, read without the rest of their payload. */
  waitingNeeds(limit: number): readonly WaitingJob[];
  known(): readonly string[];
}
