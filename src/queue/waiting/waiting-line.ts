// Jobs that have not begun, until they may run: they wait for their time, their checkout, a capable worker, and their
// share of the limits of project and executor kind.

import type { QueueClock } from '../../base/index.js';
import type { AttemptSpec, QueuedJob } from '../../jobs/index.js';
import { type Backlog, backlog } from './backlog.js';
import { type DelayedJobs, later } from './delayed-jobs.js';
import { type Limits, type Quota, quota } from './quota.js';

export interface WaitingLineOptions<J extends WaitingCount> {
  readonly clock: QueueClock;
  readonly limits: Limits;
  /** Null if the job was removed while it waited. Throws if the store failed. */
  readonly count: (job: QueuedJob) => J | null;
  /** False if no worker can do the job; it then uses up no limit until `reconsider`. */
  readonly isPossible: (job: J) => boolean;
  /** The store failed: the jobs keep waiting, and `wake` is not called. */
  readonly onError: (error: unknown) => void;
  /** True if the job runs or is on offer already. */
  readonly isKnown: (id: string) => boolean;
  /** Called when there may be a job to take. */
  readonly wake: () => void;
}

export interface WaitingCount extends QueuedJob {
  /** The kind of its executor, or of the job if it has none. */
  readonly kind: string;
}

export function kindOf({ executor, kind }: AttemptSpec): string {
  return executor?.kind ?? kind;
}

export class WaitingLine<J extends WaitingCount> {
  readonly #options: WaitingLineOptions<J>;
  readonly #backlog: Backlog<QueuedJob> = backlog();
  readonly #later: DelayedJobs<QueuedJob>;
  readonly #quota: Quota<J>;
  /** Jobs that occupy their checkout and that no worker can do. */
  readonly #aside = new Map<string, QueuedJob>();
  /** Jobs that occupy their checkout and wait for a limit. */
  readonly #parked = new Set<string>();
  /** Formerly parked jobs, next to be taken. */
  readonly #entered = new Map<string, J>();

  constructor(options: WaitingLineOptions<J>) {
    this.#options = options;
    this.#later = later(options.clock, (due) => this.add(due));
    this.#quota = quota(options.limits);
  }

  add(waiting: readonly QueuedJob[]): void {
    const now = this.#options.clock.now();
    for (const job of waiting) {
      if (job.notBefore !== null && job.notBefore > now) this.#later.add(job);
      else if (!this.#has(job.id) && !this.#options.isKnown(job.id)) this.#backlog.add(job);
    }
    this.#options.wake();
  }

  /** Counts a job that began under an earlier process. */
  occupy(job: QueuedJob): void {
    const counted = this.#options.count(job);
    this.#backlog.occupy(job);
    if (counted !== null) this.#quota.occupy(counted);
  }

  /** The next job that may run. It keeps its checkout and its share of the limits until it is released. */
  take(): J | null {
    for (const [id, job] of this.#entered) {
      this.#entered.delete(id);
      return job;
    }
    for (let job = this.#backlog.take(); job !== null; job = this.#backlog.take()) {
      const entered = this.#enter(job);
      if (entered === 'failed') return null;
      if (entered !== null) return entered;
    }
    return null;
  }

  /** Frees the job's checkout and share; idempotent. */
  release(id: string): void {
    this.#vacate(id);
    this.#options.wake();
  }

  /**
   * Puts the job back as if it had never been taken. Does not wake, because a caller that failed knows when to retry.
   */
  putBack(job: QueuedJob): void {
    this.#vacate(job.id);
    this.#backlog.add(job);
  }

  /** Requeues jobs that no worker could do: one may be able to now. */
  reconsider(): void {
    if (this.#aside.size === 0) return;
    const aside = [...this.#aside.values()];
    this.#aside.clear();
    for (const job of aside) this.putBack(job);
    this.#options.wake();
  }

  remove(id: string): void {
    this.#backlog.remove(id);
    this.#later.remove(id);
    if (this.#aside.delete(id)) this.release(id);
    const wasParked = this.#parked.delete(id);
    if (wasParked) this.#quota.remove(id);
    if (this.#entered.delete(id) || wasParked) this.release(id);
  }

  close(): void {
    this.#later.close();
  }

  #enter(job: QueuedJob): J | 'failed' | null {
    try {
      const counted = this.#options.count(job);
      if (counted === null) this.#backlog.release(job.id);
      else if (!this.#options.isPossible(counted)) this.#aside.set(job.id, job);
      else if (this.#quota.enter(counted)) return counted;
      else this.#parked.add(job.id);
      return null;
    } catch (error) {
      this.#backlog.release(job.id);
      this.#backlog.add(job);
      this.#options.onError(error);
      return 'failed';
    }
  }

  #vacate(id: string): void {
    for (const job of this.#quota.leave(id)) if (this.#parked.delete(job.id)) this.#entered.set(job.id, job);
    this.#backlog.release(id);
  }

  #has(id: string): boolean {
    return this.#aside.has(id) || this.#parked.has(id) || this.#entered.has(id) || this.#backlog.has(id);
  }
}
