// Jobs that have not begun: they wait for their time, for their checkout, for somebody who can do them, and for their share
// of what their project and their kind of executor may have at once.

import type { QueueClock } from '../../base/index.js';
import type { AttemptSpec, QueuedJob } from '../../jobs/index.js';
import { type Backlog, backlog } from './backlog.js';
import { type DelayedJobs, later } from './delayed-jobs.js';
import { type Limits, type Quota, quota } from './quota.js';

export interface WaitingLineOptions<J extends WaitingCount> {
  readonly clock: QueueClock;
  readonly limits: Limits;
  /** Null: it was dropped while it waited. Throws when the store failed. */
  readonly count: (job: QueuedJob) => J | null;
  /** Whether there is anybody who can do it; false: it takes nobody's share until `reconsider`. */
  readonly isPossible: (job: J) => boolean;
  /** The store failed: what waits goes on waiting, and nobody is woken. */
  readonly onError: (error: unknown) => void;
  /** Whether it is at work or on its way already. */
  readonly isKnown: (id: string) => boolean;
  /** There may be something to take. */
  readonly wake: () => void;
}

export interface WaitingCount extends QueuedJob {
  /** Of its executor; of the job where it has none. */
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
  /** Their checkout is theirs already, and nobody can do them. */
  readonly #aside = new Map<string, QueuedJob>();
  /** Their checkout is theirs already, and a limit holds them. */
  readonly #parked = new Set<string>();
  /** They were parked, and are the next. */
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

  /** It has begun under an earlier process. */
  occupy(job: QueuedJob): void {
    const counted = this.#options.count(job);
    this.#backlog.occupy(job);
    if (counted !== null) this.#quota.occupy(counted);
  }

  /** The next one that may go on; its places are taken until it is released. */
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

  /** Gives its places free; once, however often it is said. */
  release(id: string): void {
    this.#vacate(id);
    this.#options.wake();
  }

  /** It waits as if it had never been taken. Wakes nobody: whoever could not go on with it knows when to try again. */
  putBack(job: QueuedJob): void {
    this.#vacate(job.id);
    this.#backlog.add(job);
  }

  /** There may be somebody now for what nobody could do. */
  reconsider(): void {
    if (this.#aside.size === 0) return;
    const aside = [...this.#aside.values()];
    this.#aside.clear();
    for (const job of aside) this.putBack(job);
    this.#options.wake();
  }

  /** One that waits goes for good. */
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

  /** Null: not now. */
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
