// A port: the queue requires it, the store implements it.

import type { AttemptSpec } from './attempt-spec.js';
import type { Job } from './job.js';

export interface QueuedJob {
  readonly id: string;
  readonly project: string;
  readonly checkout: string | null;
  readonly group: string | null;
  readonly priority: number;
  /** Wall clock, ms. */
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
  /** Default: the instance passed to `exchange`. */
  readonly instance?: string;
}

export interface JobCounts {
  readonly queued: number;
  readonly running: number;
}

export interface WrittenSpec {
  readonly spec: AttemptSpec;
  readonly body: string;
}

export interface JobRows {
  /** Synced on return. Returns the waiting ones, new or known. */
  add(jobs: readonly Job[]): readonly QueuedJob[];
  queued(): readonly QueuedJob[];
  leased(): readonly BegunJob[];
  cancelled(): readonly string[];
  /**
   * One transaction. A payload per claim, null if it no longer waits. Not synced: the next synced commit covers it, and
   * a crash loses nothing that the attempts' rows lack.
   */
  exchange(ended: readonly string[], claims: readonly Claim[], instance: string, leaseUntil: number): (string | null)[];
  /** Returns the ids that `instance` lost. */
  renew(ids: readonly string[], instance: string, leaseUntil: number): readonly string[];
  /** Of several racing callers one wins. `leaseUntil`: still valid; `ended`: no such lease. */
  takeOver(
    id: string,
    instance: string,
    now: number,
    leaseUntil: number,
  ): 'taken' | 'ended' | { readonly leaseUntil: number };
  isHeldBy(id: string, instance: string): boolean;
  /** Null once the job has ended. */
  payload(id: string): AttemptSpec | null;
  /** As written, and as it reads. */
  written(id: string): WrittenSpec | null;
  remove(id: string): 'removed' | 'leased' | 'unknown';
  /** Requeues leased jobs and returns them. */
  requeue(ids: readonly string[]): readonly QueuedJob[];
  /** Ends jobs in any state. */
  forget(ids: readonly string[]): void;
  counts(project: string | null): JobCounts;
  /** The oldest, without the rest of their payload. */
  waitingNeeds(limit: number): readonly WaitingJob[];
  known(): readonly string[];
}
