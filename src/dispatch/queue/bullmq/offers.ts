// Jobs that have not begun. They wait here, as rows of the database tell, and go to Redis only when they may run: their
// time has come, their checkout is free, and neither their project nor their executor has its share already.
import type { AttemptSpec, Job } from '../../job.js';
import type { JobRows, QueuedJob } from '../../store/index.js';
import { type Backlog, backlog } from '../backlog.js';
import type { QueueClock } from '../clock.js';
import { type Later, later } from '../later.js';
import { pack } from './parcel.js';
import { type Limits, type Quota, quota } from './quota.js';
import type { Offer, Shelf } from './shelf.js';

export interface OffersOptions {
  readonly jobs: JobRows;
  readonly shelf: Shelf;
  readonly clock: QueueClock;
  /** How many may lie in Redis at once, begun or not. */
  readonly limit: number;
  readonly limits: Limits;
  /** Whether Redis can be offered anything now. */
  readonly mayOffer: () => boolean;
  readonly onError: (error: unknown) => void;
}

interface Counted extends QueuedJob {
  readonly kind: string;
  readonly spec: AttemptSpec;
}

const offersAtOnce = 250;
const mostOffering = 4;
const onItsWay = Number.POSITIVE_INFINITY;

export class Offers {
  readonly #options: OffersOptions;
  readonly #backlog: Backlog<QueuedJob> = backlog();
  readonly #later: Later<QueuedJob>;
  readonly #quota: Quota<Counted>;
  readonly #offered = new Map<string, { readonly job: QueuedJob; readonly since: number }>();
  /** Their checkout is theirs already, and a limit holds them. */
  readonly #parked = new Map<string, QueuedJob>();
  #entered: Counted[] = [];
  #occupying = 0;
  #offering = 0;
  #isWoken = false;
  #isClosed = false;

  constructor(options: OffersOptions) {
    this.#options = options;
    this.#later = later(options.clock, (due) => this.await(due));
    this.#quota = quota(options.limits);
  }

  add(jobs: readonly Job[]): void {
    this.await(this.#options.jobs.add(jobs));
  }

  await(waiting: readonly QueuedJob[]): void {
    const now = this.#options.clock.now();
    for (const job of waiting) {
      if (job.notBefore !== null && job.notBefore > now) this.#later.add(job);
      else if (!this.#knows(job.id)) this.#backlog.add(job);
    }
    this.wake();
  }

  /** It has begun under an earlier Bosun. */
  occupy(job: QueuedJob): void {
    const counted = this.#counted(job);
    this.#backlog.occupy(job);
    if (counted !== null) this.#quota.occupy(counted);
    this.#occupying += 1;
  }

  /** A worker has it now, and its places stay taken until `release`; null: it is not on offer. */
  begin(id: string): QueuedJob | null {
    const job = this.#offered.get(id)?.job ?? null;
    if (job === null) return null;
    this.#offered.delete(id);
    this.#occupying += 1;
    return job;
  }

  /** It has not begun after all, and is still in Redis. */
  takeBack(job: QueuedJob): void {
    this.#occupying -= 1;
    this.#offered.set(job.id, { job, since: this.#options.clock.now() });
  }

  /** What had begun is over. */
  release(id: string): void {
    this.#occupying -= 1;
    this.#vacate(id);
  }

  /** One that has not begun goes for good; true: it may lie in Redis. */
  remove(id: string): boolean {
    this.#backlog.remove(id);
    this.#later.remove(id);
    const wasOffered = this.#offered.delete(id);
    const wasParked = this.#parked.delete(id);
    if (wasParked) this.#quota.remove(id);
    if (wasOffered || wasParked) this.#vacate(id);
    return wasOffered;
  }

  /** On offer since before that time. */
  offeredBefore(time: number): readonly string[] {
    return [...this.#offered].filter(([, { since }]) => since < time).map(([id]) => id);
  }

  /** Redis has lost them. */
  again(ids: readonly string[]): void {
    for (const id of ids) {
      const offered = this.#offered.get(id);
      if (offered !== undefined) this.#withdraw(offered.job);
    }
  }

  /** What happens in one turn of the event loop is worked on together, in the next. */
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
    this.#later.close();
  }

  #knows(id: string): boolean {
    return this.#offered.has(id) || this.#parked.has(id) || this.#backlog.has(id);
  }

  #vacate(id: string): void {
    for (const job of this.#quota.leave(id)) if (this.#parked.delete(job.id)) this.#entered.push(job);
    this.#backlog.release(id);
    this.wake();
  }

  #pump(): void {
    if (this.#isClosed || !this.#options.mayOffer() || this.#offering >= mostOffering) return;
    const picks = this.#pick();
    if (picks.length === 0) return;
    this.#offering += 1;
    this.#offer(picks)
      .catch((error: unknown) => {
        this.#options.onError(error);
        for (const job of picks) if (this.#offered.has(job.id)) this.#withdraw(job);
      })
      .finally(() => {
        this.#offering -= 1;
        this.wake();
      });
    if (picks.length >= offersAtOnce) this.wake();
  }

  #pick(): readonly Counted[] {
    const { limit } = this.#options;
    const picks = this.#entered.splice(0, offersAtOnce);
    while (picks.length < offersAtOnce && this.#offered.size + picks.length + this.#occupying < limit) {
      const job = this.#backlog.take();
      if (job === null) break;
      const counted = this.#counted(job);
      // It was dropped while it waited.
      if (counted === null) this.#backlog.release(job.id);
      else if (this.#quota.enter(counted)) picks.push(counted);
      else this.#parked.set(job.id, job);
    }
    for (const job of picks) this.#offered.set(job.id, { job, since: onItsWay });
    return picks;
  }

  async #offer(picks: readonly Counted[]): Promise<void> {
    const offers: Offer[] = picks.map((job) => ({ job, needs: job.spec.needs ?? [], parcel: pack(job.spec) }));
    await this.#options.shelf.offer(offers);
    const now = this.#options.clock.now();
    for (const { id } of picks) {
      const offered = this.#offered.get(id);
      if (offered !== undefined) this.#offered.set(id, { ...offered, since: now });
    }
  }

  /** It waits as if it had never been on offer. */
  #withdraw(job: QueuedJob): void {
    this.#offered.delete(job.id);
    this.#vacate(job.id);
    this.#backlog.add(job);
    this.wake();
  }

  #counted(job: QueuedJob): Counted | null {
    const spec = this.#options.jobs.payload(job.id);
    return spec === null ? null : { ...job, spec, kind: spec.executor?.kind ?? spec.kind };
  }
}
