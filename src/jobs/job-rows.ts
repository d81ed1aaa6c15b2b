// The rows that a queue keeps in the database. The queue requires this port; the store implements it.

import type { AttemptSpec } from './attempt-spec.js';
import type { Job } from './job.js';

/** A job as the queue orders it; what it carries stays on disk until it is claimed. */
export interface QueuedJob {
  readonly id: string;
  readonly project: string;
  readonly checkout: string | null;
  readonly group: string | null;
  readonly priority: number;
  /** The time of day before which it does not begin. */
  readonly notBefore: number | null;
  /** Its age: lower came earlier. */
  readonly n: number;
}

export interface LeasedJob extends QueuedJob {
  readonly worker: string;
  /** The process that has it. */
  readonly instance: string;
  readonly leaseUntil: number;
}

export interface BegunJob extends LeasedJob {
  /** What is wanted of it: its end, and more time. */
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
  /** The process that has it from now on; left out: the one that ends and claims. */
  readonly instance?: string;
}

export interface JobCounts {
  readonly queued: number;
  readonly running: number;
}

export interface JobRows {
  /** Synced when it returns; gives those of them that wait now, known before or not. */
  add(jobs: readonly Job[]): readonly QueuedJob[];
  queued(): readonly QueuedJob[];
  leased(): readonly BegunJob[];
  /** Open ones whose end is wanted. */
  cancelled(): readonly string[];
  /**
   * Ends the jobs that `instance` holds and claims others, in one transaction. Gives the claimed ones' bodies, null for
   * one that does not wait any more. Not synced: the next synced commit covers it, and without one nothing has happened
   * that the attempts' own rows do not tell.
   */
  exchange(ended: readonly string[], claims: readonly Claim[], instance: string, leaseUntil: number): (string | null)[];
  /** Gives the ids that `instance` does not hold any more. */
  renew(ids: readonly string[], instance: string, leaseUntil: number): readonly string[];
  /** Takes a lease that ran out, once for all who look. `leaseUntil`: it has not; `ended`: there is none. */
  takeOver(
    id: string,
    instance: string,
    now: number,
    leaseUntil: number,
  ): 'taken' | 'ended' | { readonly leaseUntil: number };
  isHeldBy(id: string, instance: string): boolean;
  /** What a job carries, for as long as it is open. */
  payload(id: string): AttemptSpec | null;
  /** Removes a job that waits. */
  remove(id: string): 'removed' | 'leased' | 'unknown';
  /** Puts leased jobs back to wait; gives those. */
  requeue(ids: readonly string[]): readonly QueuedJob[];
  /** Ends jobs whatever became of them. */
  forget(ids: readonly string[]): void;
  counts(project: string | null): JobCounts;
  /** Of the oldest that wait, without reading the rest of what they carry. */
  waitingNeeds(limit: number): readonly WaitingJob[];
  known(): readonly string[];
}
