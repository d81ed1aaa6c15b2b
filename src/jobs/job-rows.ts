import type { AttemptSpec } from './attempt-spec.js';
import type { Job } from './job.js';

export interface QueuedJob {
  readonly id: string;
  readonly project: string;
  readonly checkout: string | null;
  readonly group: string | null;
  readonly priority: number;
  readonly notBefore: number | null;
  readonly n: number;
}

export interface LeasedJob extends QueuedJob {
  readonly worker: string;
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
  /** Synced to disk on return. Returns the waiting jobs. */
  add(jobs: readonly Job[]): readonly QueuedJob[];
  queued(): readonly QueuedJob[];
  leased(): readonly BegunJob[];
  cancelled(): readonly string[];
  /**
   * A claim gets null if its job no longer waits. The next commit writes both, or `flush`; until then only this process
   * sees them. After a crash the attempts' rows still know everything.
   */
  exchange(ended: readonly string[], claims: readonly Claim[], instance: string, leaseUntil: number): (string | null)[];
  /** Not synced. */
  flush(): void;
  /** Returns the ids whose lease `instance` lost. */
  renew(ids: readonly string[], instance: string, leaseUntil: number): readonly string[];
  /** Only one of several racing callers wins. */
  takeOver(
    id: string,
    instance: string,
    now: number,
    leaseUntil: number,
  ): 'taken' | 'ended' | { readonly leaseUntil: number };
  isHeldBy(id: string, instance: string): boolean;
  payload(id: string): AttemptSpec | null;
  written(id: string): WrittenSpec | null;
  remove(id: string): 'removed' | 'leased' | 'unknown';
  requeue(ids: readonly string[]): readonly QueuedJob[];
  forget(ids: readonly string[]): void;
  counts(project: string | null): JobCounts;
  waitingNeeds(limit: number): readonly WaitingJob[];
  known(): readonly string[];
}
