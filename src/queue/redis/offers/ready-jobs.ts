// Jobs that have not begun. They wait as database rows and go to Redis only when they may run: their time has come,
// their checkout is free, a worker can do them, and their project and executor are below their limits.

import type { QueueClock } from '../../../base/index.js';
import type { AttemptSpec, Job, JobRows, QueuedJob } from '../../../jobs/index.js';
import { homeDisk, type NeedsOf } from '../../../jobs/index.js';
import type { Limits } from '../../waiting/quota.js';
import { kindOf, type WaitingCount, WaitingLine } from '../../waiting/waiting-line.js';
import type { BullmqQueues, QueuedOffer } from './bullmq-queues.js';
import { pack } from './job-payload.js';

export interface ReadyJobsOptions {
  readonly jobs: JobRows;
  readonly shelf: BullmqQueues;
  readonly clock: QueueClock;
  /** Upper bound on jobs in Redis at once, begun or not. */
  readonly limit: number;
  readonly limits: Limits;
  readonly needsOf: NeedsOf;
  /** True if some worker meets these needs. */
  readonly canBeDone: (needs: readonly string[]) => boolean;
  /** False while nothing can be offered to Redis. */
  readonly mayOffer: () => boolean;
  readonly onError: (error: unknown) => void;
  /** Receives failures of the store or of inspecting a checkout. */
  readonly onOwnError: (error: unknown) => void;
}

interface Speced extends WaitingCount {
  readonly spec: AttemptSpec;
}

interface Offered {
  readonly job: QueuedJob;
  /** The needs at the time of the offer. */
  readonly needs: readonly string[];
  readonly since: number;
}

const offersAtOnce = 250;
const mostOffering = 4;
const onItsWay = Number.POSITIVE_INFINITY;

export class ReadyJobs {
  readonly #options: ReadyJobsOptions;
  readonly #line: WaitingLine<Speced>;
  readonly #offered = new Map<string, Offered>();
  #occupying = 0;
  #offering = 0;
  #isWoken = false;
  #isClosed = false;

  constructor(options: ReadyJobsOptions) {
    this.#options = options;
    this.#line = new WaitingLine({
      ...{ clock: options.clock, limits: options.limits },
      count: (job) => this.#speced(job),
      isPossible: ({ spec }) => options.canBeDone(this.#needsOf(spec)),
      isKnown: (id) => this.#offered.has(id),
      wake: () => this.wake(),
      onError: options.onOwnError,
    });
  }

  add(jobs: readonly Job[]): void {
    this.await(this.#options.jobs.add(jobs));
  }

  await(waiting: readonly QueuedJob[]): void {
    this.#line.add(waiting);
  }

  /** Counts a job that began under an earlier Bosun process. */
  occupy(job: QueuedJob): void {
    this.#line.occupy(job);
    this.#occupying += 1;
  }

  /** A worker has the job now. It keeps its share of the limits until `release`; null if it is not on offer. */
  begin(id: string): QueuedJob | null {
    const job = this.#offered.get(id)?.job ?? null;
    if (job === null) return null;
    this.#offered.delete(id);
    this.#occupying += 1;
    return job;
  }

  /** The job has not begun after all and is still in Redis. */
  takeBack(job: QueuedJob): void {
    this.#occupying -= 1;
    const spec = this.#options.jobs.payload(job.id);
    const needs = spec === null ? [] : this.#needsOf(spec);
    this.#offered.set(job.id, { job, needs, since: this.#options.clock.now() });
  }

  release(id: string): void {
    this.#occupying -= 1;
    this.#line.release(id);
  }

  /** Removes a job that has not begun; true if it may be in Redis. */
  remove(id: string): boolean {
    this.#line.remove(id);
    const wasOffered = this.#offered.delete(id);
    if (wasOffered) this.#line.release(id);
    return wasOffered;
  }

  /** Jobs on offer, and since when. */
  onOffer(): ReadonlyMap<string, number> {
    return new Map([...this.#offered].map(([id, { since }]) => [id, Math.min(since, this.#options.clock.now())]));
  }

  offeredBefore(time: number): readonly string[] {
    return [...this.#offered].filter(([, { since }]) => since < time).map(([id]) => id);
  }

  /** Offers jobs again that Redis has lost. */
  again(ids: readonly string[]): void {
    for (const id of ids) {
      const offered = this.#offered.get(id);
      if (offered !== undefined) this.#withdraw(offered.job);
    }
  }

  /** Jobs offered in vain: no worker is left that can do them, or they no longer need the home's disk. */
  misplaced(): readonly string[] {
    return [...this.#offered].filter(([id, { needs }]) => this.#isMisplaced(id, needs)).map(([id]) => id);
  }

  /** Reconsiders blocked jobs: a new worker may be able to do them, or their needs have shrunk. */
  reconsider(): void {
    this.#line.reconsider();
  }

  /** Batches wakes: all calls in one turn of the event loop share one pass in the next. */
  wake(): void {
    if (this.#isWoken || this.#isClosed) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      this.#pump();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#line.close();
  }

  #pump(): void {
    if (this.#isClosed || !this.#options.mayOffer() || this.#offering >= mostOffering) return;
    const picks = this.#pick();
    if (picks.length === 0) return;
    this.#offering += 1;
    this.#offer(picks)
      .catch((error: unknown) => {
        this.#options.onError(error);
        for (const { job } of picks) if (this.#offered.has(job.id)) this.#withdraw(job);
      })
      .finally(() => {
        this.#offering -= 1;
        this.wake();
      });
    if (picks.length >= offersAtOnce) this.wake();
  }

  #pick(): readonly QueuedOffer[] {
    const { limit } = this.#options;
    const picks: QueuedOffer[] = [];
    while (picks.length < offersAtOnce && this.#offered.size + this.#occupying < limit) {
      const job = this.#line.take();
      if (job === null) break;
      const needs = this.#needsOf(job.spec);
      picks.push({ job, needs, payload: pack(job.spec) });
      this.#offered.set(job.id, { job, needs, since: onItsWay });
    }
    return picks;
  }

  async #offer(picks: readonly QueuedOffer[]): Promise<void> {
    await this.#options.shelf.offer(picks);
    const now = this.#options.clock.now();
    for (const { job } of picks) {
      const { id } = job;
      const offered = this.#offered.get(id);
      if (offered !== undefined) this.#offered.set(id, { ...offered, since: now });
    }
  }

  #isMisplaced(id: string, needs: readonly string[]): boolean {
    if (!this.#options.canBeDone(needs)) return true;
    const spec = needs.includes(homeDisk) ? this.#options.jobs.payload(id) : null;
    return spec !== null && !this.#needsOf(spec).includes(homeDisk);
  }

  /** A checkout that cannot be inspected must not block other jobs; its job is assumed to need the home's disk. */
  #needsOf(spec: AttemptSpec): readonly string[] {
    try {
      return this.#options.needsOf(spec);
    } catch (error) {
      this.#options.onOwnError(error);
      return [...new Set([...(spec.needs ?? []), homeDisk])];
    }
  }

  /** Puts the job back as if it had never been on offer. */
  #withdraw(job: QueuedJob): void {
    this.#offered.delete(job.id);
    this.#line.putBack(job);
    this.wake();
  }

  #speced(job: QueuedJob): Speced | null {
    const spec = this.#options.jobs.payload(job.id);
    return spec === null ? null : { ...job, spec, kind: kindOf(spec) };
  }
}
