// Waiting jobs are rows. A job leaves only when it may run: time, checkout, capable worker, limits. Then an idle worker
// gets it directly. If all are busy for a moment, or jobs are on offer already, it goes to BullMQ, where any worker takes it.

import type { QueueClock } from '../../../base/index.js';
import type { AttemptSpec, Job, JobRows, QueuedJob } from '../../../jobs/index.js';
import { homeDisk, type NeedsOf } from '../../../jobs/index.js';
import type { Limits } from '../../waiting/quota.js';
import { kindOf, type WaitingCount, WaitingLine } from '../../waiting/waiting-line.js';
import { maxGrantChars } from '../protocol/messages.js';
import type { BullmqQueues, QueuedOffer } from './bullmq-queues.js';
import type { IdleWorker, IdleWorkers } from './idle-workers.js';
import { pack } from './job-payload.js';

export interface ReadyJobsOptions {
  readonly jobs: JobRows;
  readonly shelf: BullmqQueues;
  readonly clock: QueueClock;
  readonly limit: number;
  readonly limits: Limits;
  readonly needsOf: NeedsOf;
  readonly canBeDone: (needs: readonly string[]) => boolean;
  readonly mayOffer: () => boolean;
  readonly idleWorkers: () => IdleWorkers;
  /** The job keeps its share of the limits until `release`. */
  readonly grant: (job: QueuedJob, body: string, worker: IdleWorker) => void;
  readonly onError: (error: unknown) => void;
  readonly onOwnError: (error: unknown) => void;
}

interface Speced extends WaitingCount {
  readonly spec: AttemptSpec;
  readonly body: string;
}

interface Offered {
  readonly job: QueuedJob;
  readonly needs: readonly string[];
  readonly since: number;
}

const offersAtOnce = 250;
const mostOffering = 4;
const onItsWay = Number.POSITIVE_INFINITY;
/** A slot that frees up within this time gets its next job directly. */
const holdMs = 300;

export class ReadyJobs {
  readonly #options: ReadyJobsOptions;
  readonly #line: WaitingLine<Speced>;
  readonly #offered = new Map<string, Offered>();
  #occupying = 0;
  #offering = 0;
  #isWoken = false;
  #stopHold: (() => void) | null = null;
  #isHoldOver = false;
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

  occupy(job: QueuedJob): void {
    this.#line.occupy(job);
    this.#occupying += 1;
  }

  /** Keeps its share of the limits until `release`. Null: not on offer. */
  begin(id: string): QueuedJob | null {
    const job = this.#offered.get(id)?.job ?? null;
    if (job === null) return null;
    this.#offered.delete(id);
    this.#occupying += 1;
    return job;
  }

  /** Its start failed; Redis still has it, unless it was to go directly. */
  takeBack(job: QueuedJob): void {
    this.#occupying -= 1;
    const spec = this.#options.jobs.payload(job.id);
    const needs = spec === null ? [] : this.#needsOf(spec);
    this.#offered.set(job.id, { job, needs, since: this.#options.clock.now() });
  }

  release(id: string): void {
    this.#occupying -= 1;
    this.#endHold();
    this.#line.release(id);
  }

  /** True: Redis may have it. */
  remove(id: string): boolean {
    this.#line.remove(id);
    const wasOffered = this.#offered.delete(id);
    if (wasOffered) this.#line.release(id);
    return wasOffered;
  }

  onOffer(): ReadonlyMap<string, number> {
    return new Map([...this.#offered].map(([id, { since }]) => [id, Math.min(since, this.#options.clock.now())]));
  }

  offeredBefore(time: number): readonly string[] {
    return [...this.#offered].filter(([, { since }]) => since < time).map(([id]) => id);
  }

  again(ids: readonly string[]): void {
    for (const id of ids) {
      const offered = this.#offered.get(id);
      if (offered !== undefined) this.#withdraw(offered.job);
    }
  }

  /** No worker can do them, or they no longer need the home's disk. */
  misplaced(): readonly string[] {
    return [...this.#offered].filter(([id, { needs }]) => this.#isMisplaced(id, needs)).map(([id]) => id);
  }

  /** A new worker may do blocked jobs, or their needs have shrunk. */
  reconsider(): void {
    this.#line.reconsider();
  }

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
    this.#endHold();
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
    const idle = this.#offered.size === 0 ? this.#options.idleWorkers() : null;
    while (picks.length < offersAtOnce && this.#offered.size + this.#occupying < limit) {
      if (idle?.areBusy === true && picks.length === 0 && this.#isHolding()) break;
      const job = this.#line.take();
      if (job === null) break;
      const needs = this.#needsOf(job.spec);
      // Jobs on offer were first.
      const mayGrant =
        picks.length === 0 && job.body.length <= maxGrantChars && needs.every((need) => need === homeDisk);
      const worker = mayGrant ? (idle?.take(needs.length > 0) ?? null) : null;
      if (worker !== null) {
        this.#occupying += 1;
        this.#options.grant(job, job.body, worker);
        continue;
      }
      picks.push({ job, needs, payload: pack(job.body) });
      this.#offered.set(job.id, { job, needs, since: onItsWay });
    }
    return picks;
  }

  #isHolding(): boolean {
    if (this.#isHoldOver) return false;
    this.#stopHold ??= this.#options.clock.after(holdMs, () => {
      this.#stopHold = null;
      this.#isHoldOver = true;
      this.#pump();
    });
    return true;
  }

  #endHold(): void {
    this.#stopHold?.();
    this.#stopHold = null;
    this.#isHoldOver = false;
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

  /** If the checkout cannot be inspected, assume the home's disk. */
  #needsOf(spec: AttemptSpec): readonly string[] {
    try {
      return this.#options.needsOf(spec);
    } catch (error) {
      this.#options.onOwnError(error);
      return [...new Set([...(spec.needs ?? []), homeDisk])];
    }
  }

  #withdraw(job: QueuedJob): void {
    this.#offered.delete(job.id);
    this.#line.putBack(job);
    this.wake();
  }

  #speced(job: QueuedJob): Speced | null {
    const written = this.#options.jobs.written(job.id);
    return written === null ? null : { ...job, ...written, kind: kindOf(written.spec) };
  }
}
