// Jobs wait for their time, checkout, a capable worker and the limits.

import type { QueueClock } from '../../base/index.js';
import type { AttemptSpec, QueuedJob } from '../../jobs/index.js';
import { type Backlog, backlog } from './backlog.js';
import { type DelayedJobs, later } from './delayed-jobs.js';
import { type Limits, type Quota, quota } from './quota.js';

export interface WaitingLineOptions<J extends WaitingCount> {
  readonly clock: QueueClock;
  readonly limits: Limits;
  /** Null: removed while waiting. Throws if the store failed. */
  readonly count: (job: QueuedJob) => J | null;
  /** False: no worker can do it. It uses no limit until `reconsider`. */
  readonly isPossible: (job: J) => boolean;
  /** The jobs keep waiting and need another `wake`. */
  readonly onError: (error: unknown) => void;
  readonly isKnown: (id: string) => boolean;
  readonly wake: () => void;
}

export interface WaitingCount extends QueuedJob {
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
  /** At the head of their checkout, but no worker can do them. */
  readonly #aside = new Map<string, QueuedJob>();
  /** At the head of their checkout, waiting for a limit. */
  readonly #parked = new Set<string>();
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

  occupy(job: QueuedJob): void {
    const counted = this.#options.count(job);
    this.#backlog.occupy(job);
    if (counted !== null) this.#quota.occupy(counted);
  }

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

  release(id: string): void {
    this.#vacate(id);
    this.#options.wake();
  }

  /** Does not wake: a caller that failed knows when to retry. */
  putBack(job: QueuedJob): void {
    this.#vacate(job.id);
    this.#backlog.add(job);
  }

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
