// Jobs are database rows that only this process claims. No polling: each change wakes the queue.
import { randomBytes } from 'node:crypto';
import { atMost, type QueueClock, systemClock, writeFailureOf } from '../../base/index.js';
import type { Claim, JobRows, LeasedJob, QueuedJob } from '../../jobs/index.js';
import { type ClaimedJob, hold } from '../claimed-job.js';
import type { JobQueue, QueueEvents, QueueWorker, WorkerOptions } from '../port.js';
import type { Limits } from '../waiting/quota.js';
import { kindOf, type WaitingCount, WaitingLine } from '../waiting/waiting-line.js';
import { type Leases, leases } from './leases.js';

export interface EmbeddedOptions {
  readonly jobs: JobRows;
  readonly limit?: number;
  readonly limits?: Limits;
  readonly leaseMs?: number;
  readonly closeTimeoutMs?: number;
  readonly clock?: QueueClock;
  readonly onError?: (error: unknown) => void;
}

export interface EmbeddedQueue extends JobQueue {
  abandoned(): Promise<readonly Claim[]>;
  requeue(ids: readonly string[]): Promise<void>;
}

interface Worker extends WorkerOptions {
  readonly carries: Map<ClaimedJob, { readonly job: QueuedJob; readonly ended: Promise<void> }>;
  taken: number;
}

interface Pick {
  readonly job: WaitingCount;
  readonly worker: Worker;
}

/** `unstarted`: the start was not recorded, so nothing ran. */
type End = 'done' | 'lost' | 'orphaned' | 'unstarted';

const claimsAtOnce = 256;
const retryMs = 1_000;

export function embeddedQueue(options: EmbeddedOptions): EmbeddedQueue {
  return new RowQueue(options);
}

class RowQueue implements EmbeddedQueue {
  readonly #instance = `${process.pid}-${randomBytes(6).toString('hex')}`;
  readonly #jobs: JobRows;
  readonly #clock: QueueClock;
  readonly #limit: number;
  readonly #leaseMs: number;
  readonly #closeTimeoutMs: number;
  readonly #report: (error: unknown) => void;
  readonly #line: WaitingLine<WaitingCount>;
  readonly #leases: Leases;
  readonly #holds = new Map<string, ClaimedJob>();
  readonly #workers = new Set<Worker>();
  #events: QueueEvents | null = null;
  #ended: string[] = [];
  #starting = 0;
  #isWoken = false;
  #isClosed = false;

  constructor(options: EmbeddedOptions) {
    this.#jobs = options.jobs;
    this.#clock = options.clock ?? systemClock;
    this.#limit = options.limit ?? 64;
    this.#leaseMs = options.leaseMs ?? 15_000;
    this.#closeTimeoutMs = options.closeTimeoutMs ?? 10_000;
    this.#report = options.onError ?? ((error) => process.emitWarning(`queue: ${String(error)}`));
    this.#leases = leases({
      jobs: this.#jobs,
      clock: this.#clock,
      leaseMs: this.#leaseMs,
      instance: this.#instance,
      taken: (id) => this.#holds.get(id)?.lose(),
      lost: (job) => this.#settleLost(job),
      gone: (id) => this.#line.release(id),
      report: this.#report,
    });
    this.#line = new WaitingLine({
      ...{ clock: this.#clock, limits: options.limits ?? {} },
      count: (job) => this.#counted(job),
      isPossible: () => true,
      isKnown: () => false,
      wake: () => this.#wake(),
      onError: (error) => this.#failed(error),
    });
    // A full lease for an earlier process's jobs lets recovery act first.
    for (const job of this.#jobs.leased()) {
      this.#line.occupy(job);
      this.#leases.watch({ ...job, leaseUntil: Math.max(job.leaseUntil, this.#leases.until()) });
    }
    this.#line.add(this.#jobs.queued());
  }

  listen(events: QueueEvents): void {
    this.#events = events;
    this.#leases.start();
    this.#wake();
  }

  async add(jobs: Parameters<JobQueue['add']>[0]): Promise<void> {
    this.#line.add(this.#jobs.add(jobs));
  }

  async cancel(id: string): Promise<'removed' | 'signalled' | 'unknown'> {
    const held = this.#holds.get(id);
    if (held !== undefined) {
      held.abort('cancel');
      return 'signalled';
    }
    const became = this.#jobs.remove(id);
    this.#line.remove(id);
    return became === 'removed' ? 'removed' : 'unknown';
  }

  async extend(id: string, byMs: number): Promise<boolean> {
    const held = this.#holds.get(id);
    held?.extend(byMs);
    return held !== undefined;
  }

  async wait(id: string, isWaiting: boolean): Promise<boolean> {
    const held = this.#holds.get(id);
    held?.wait(isWaiting);
    return held !== undefined;
  }

  work(options: WorkerOptions): QueueWorker {
    const worker: Worker = { ...options, carries: new Map(), taken: 0 };
    this.#workers.add(worker);
    this.#wake();
    return { close: () => this.#closeWorker(worker) };
  }

  async counts(project?: string) {
    this.#flush();
    return this.#jobs.counts(project ?? null);
  }

  async known(): Promise<readonly string[]> {
    this.#flush();
    return this.#jobs.known();
  }

  async abandoned(): Promise<readonly Claim[]> {
    const foreign = this.#leases.watched().filter((job) => job.instance !== this.#instance);
    return foreign.map(({ id, worker }) => ({ id, worker }));
  }

  async requeue(ids: readonly string[]): Promise<void> {
    const mine = ids.filter((id) => this.#leases.unwatch(id));
    for (const id of mine) this.#line.release(id);
    this.#line.add(this.#jobs.requeue(mine));
  }

  async forget(ids: readonly string[]): Promise<void> {
    this.#jobs.forget(ids);
    for (const id of ids) {
      this.#line.remove(id);
      this.#leases.unwatch(id);
      const held = this.#holds.get(id);
      // Its handler still occupies the checkout.
      if (held === undefined) this.#line.release(id);
      else held.lose();
    }
    this.#wake();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#closeWorker(worker)));
    this.#leases.close();
    this.#line.close();
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#flush();
    } catch (error) {
      // The next process finds the jobs leased and their attempts settled.
      this.#report(error);
    }
  }

  /** Batches wakes: calls in one turn of the event loop share a pass. */
  #wake(): void {
    if (this.#isWoken || this.#isClosed) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      if (!this.#isClosed) this.#pump();
    });
  }

  #pump(): void {
    const picks = this.#pick();
    if (picks.length === 0) {
      this.#flushIfIdle();
      return;
    }
    const bodies = this.#claim(picks);
    if (bodies === null) return;
    for (const [at, pick] of picks.entries()) this.#start(pick, bodies[at] ?? null);
    if (picks.length === claimsAtOnce) this.#wake();
  }

  /** Null: the store failed, and the jobs wait again. */
  #claim(picks: readonly Pick[]): readonly (string | null)[] | null {
    try {
      return this.#exchange(picks.map(({ job, worker }) => ({ id: job.id, worker: worker.name })));
    } catch (error) {
      for (const { job, worker } of picks) {
        worker.taken -= 1;
        this.#line.putBack(job);
      }
      this.#failed(error);
      return null;
    }
  }

  #failed(error: unknown): void {
    this.#report(error);
    this.#clock.after(retryMs, () => this.#wake());
  }

  #exchange(claims: readonly Claim[]): readonly (string | null)[] {
    const bodies = this.#jobs.exchange(this.#ended, claims, this.#instance, this.#leases.until());
    this.#ended = [];
    return bodies;
  }

  #flush(): void {
    if (this.#ended.length > 0) this.#exchange([]);
    this.#jobs.flush();
  }

  /** The commit of a start writes them too. */
  #flushIfIdle(): void {
    try {
      if (this.#starting === 0) this.#flush();
    } catch (error) {
      this.#failed(error);
    }
  }

  #pick(): readonly Pick[] {
    const picks: Pick[] = [];
    if (this.#events === null) return picks;
    const room = Math.min(claimsAtOnce, this.#limit - this.#holds.size);
    while (picks.length < room) {
      const worker = this.#freeWorker();
      const job = worker === null ? null : this.#line.take();
      if (worker === null || job === null) break;
      worker.taken += 1;
      picks.push({ job, worker });
    }
    return picks;
  }

  #freeWorker(): Worker | null {
    for (const worker of this.#workers) if (worker.taken < worker.concurrency) return worker;
    return null;
  }

  #start({ job, worker }: Pick, body: string | null): void {
    const { id } = job;
    if (body === null || this.#events === null) {
      worker.taken -= 1;
      this.#line.release(id);
      return;
    }
    const held = hold(id, worker.name);
    this.#holds.set(id, held);
    this.#leases.keep(id);
    const ended = this.#carry(held, body, worker, this.#events).then(
      (end) => this.#settle(job, held, worker, end),
      (error: unknown) => {
        this.#report(error);
        this.#settle(job, held, worker, 'orphaned');
      },
    );
    worker.carries.set(held, { job, ended });
  }

  async #carry(held: ClaimedJob, body: string, worker: Worker, events: QueueEvents): Promise<End> {
    const { id } = held;
    let mayRun: boolean;
    this.#starting += 1;
    try {
      mayRun = await events.started(id, worker.name);
      // The commit of the start has usually written the claim.
      if (mayRun) this.#flush();
    } catch (error) {
      if (writeFailureOf(error) === null) throw error;
      this.#report(error);
      return 'unstarted';
    } finally {
      this.#starting -= 1;
    }
    if (!mayRun) return held.isLost ? 'lost' : 'done';
    const envelope = await held.attempt(body, worker.run, (progress) => events.progress(id, progress));
    if (held.isLost || !this.#isHeld(id)) {
      if (envelope.costUsd !== null) await events.late?.(id, envelope);
      return 'lost';
    }
    await events.finished(id, envelope);
    return 'done';
  }

  #isHeld(id: string): boolean {
    try {
      return this.#jobs.isHeldBy(id, this.#instance);
    } catch (error) {
      // A renewed lease keeps other processes away, and the attempt id fences a late result.
      this.#report(error);
      return true;
    }
  }

  #settle(job: QueuedJob, held: ClaimedJob, worker: Worker, end: End): void {
    const { id } = job;
    worker.carries.delete(held);
    worker.taken -= 1;
    this.#holds.delete(id);
    this.#leases.drop(id);
    if (end === 'orphaned' && !held.isLost) {
      this.#watchOwn(job, worker.name);
    } else if (end === 'unstarted' && !held.isLost) {
      this.#requeueLater(job);
    } else {
      this.#leases.unwatch(id);
      if (end === 'done') this.#ended.push(id);
      this.#line.release(id);
    }
    this.#wake();
  }

  #requeueLater(job: QueuedJob): void {
    this.#clock.after(retryMs, () => {
      if (this.#isClosed) return;
      try {
        const again = this.#jobs.requeue([job.id]);
        this.#line.release(job.id);
        this.#line.add(again);
      } catch (error) {
        this.#report(error);
        this.#requeueLater(job);
      }
    });
  }

  /** Does not renew the lease: the job counts as lost when it expires. */
  #watchOwn(job: QueuedJob, worker: string): void {
    if (this.#isClosed) return;
    this.#leases.watch({ ...job, worker, instance: this.#instance, leaseUntil: this.#leases.until() });
  }

  async #settleLost(job: LeasedJob): Promise<void> {
    this.#holds.get(job.id)?.lose();
    await this.#events?.lost(job.id, job.worker);
    this.#ended.push(job.id);
    this.#line.release(job.id);
  }

  #counted(job: QueuedJob): WaitingCount | null {
    const spec = this.#jobs.payload(job.id);
    return spec === null ? null : { ...job, kind: kindOf(spec) };
  }

  async #closeWorker(worker: Worker): Promise<void> {
    this.#workers.delete(worker);
    for (const held of worker.carries.keys()) held.abort('interrupted');
    const ended = [...worker.carries.values()].map((carry) => carry.ended);
    await atMost(this.#clock, this.#closeTimeoutMs, Promise.all(ended));
    for (const [held, { job }] of worker.carries) {
      this.#leases.drop(held.id);
      this.#watchOwn(job, worker.name);
    }
  }
}
