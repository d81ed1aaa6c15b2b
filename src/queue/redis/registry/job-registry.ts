// Tracks the jobs that workers hold: answers their start questions, renews their leases, and ends each job exactly
// once.

import { type QueueClock, writeFailureOf } from '../../../base/index.js';
import type { BegunJob, JobRows, Progress } from '../../../jobs/index.js';
import type { QueueEvents } from '../../port.js';
import type { ReadyJobs } from '../offers/ready-jobs.js';
import type { HomeMessage, StartAnswer, WorkerMessage } from '../protocol/messages.js';
import { parsedResult, type Result, type ResultKey } from '../protocol/results.js';
import { type Claims, claimsOf, type Endings, endingsOf } from './batched-writes.js';
import { canBeLost, carriedBy, type HeldJob, isOf, recalled } from './held-jobs.js';
import { PendingControls } from './pending-controls.js';

export interface JobRegistryOptions {
  readonly jobs: JobRows;
  readonly offers: ReadyJobs;
  readonly leaseMs: number;
  readonly clock: QueueClock;
  /** Null until a listener is attached; no job begins before. */
  readonly events: () => QueueEvents | null;
  readonly say: (session: string, down: HomeMessage) => Promise<void>;
  readonly readResult: (key: ResultKey) => Promise<Result | null>;
  readonly dropResult: (key: ResultKey) => void;
  readonly removeFromRedis: (id: string) => void;
  readonly onRedisError: (error: unknown) => void;
  /** Receives failures of the store or the listener. */
  readonly onError: (error: unknown) => void;
}

/** Longer than a worker's pauses before it reconnects and hands in again. */
const momentMs = 3_000;
/** Backoff after the store rejected a write. */
const retryMs = 1_000;

export class JobRegistry {
  readonly #options: JobRegistryOptions;
  readonly #claims: Claims;
  readonly #carried = new Map<string, HeldJob>();
  readonly #endings: Endings;
  /** Controls (cancel, extend, wait) for held jobs. */
  readonly wants: PendingControls;

  constructor(options: JobRegistryOptions) {
    this.#options = options;
    const { jobs, clock, leaseMs, say, onRedisError, onError } = options;
    this.#claims = claimsOf(jobs, () => clock.now() + leaseMs);
    this.#endings = endingsOf(jobs, onError);
    this.wants = new PendingControls({ carried: this.#carried, say, onRedisError });
  }

  /** Jobs that began under an earlier Bosun get a full lease from now. */
  recall(begun: readonly BegunJob[]): void {
    for (const job of begun) {
      this.#carried.set(job.id, recalled(job, this.#until()));
      this.#options.offers.occupy(job);
    }
  }

  has(id: string): boolean {
    return this.#carried.has(id);
  }

  carriedFor(session: string): boolean {
    for (const one of this.#carried.values()) if (one.session === session && one.phase !== 'orphaned') return true;
    return false;
  }

  /** True if this session holds the job and its handler runs. */
  isRunBy(id: string, session: string): boolean {
    const one = this.#carried.get(id);
    return one?.session === session && one.phase === 'running';
  }

  /** Jobs that have begun and are not known to be over. */
  running(): readonly string[] {
    return [...this.#carried].filter(([, one]) => canBeLost(one)).map(([id]) => id);
  }

  async ask(id: string, session: string, worker: string): Promise<void> {
    const one = this.#carried.get(id);
    // A repeated question: the answer to the first is on its way.
    if (one?.session === session && one.phase === 'starting') return;
    const answer = one === undefined ? await this.#begin(id, session, worker) : answerTo(one, session);
    if (answer === null) return;
    await this.#options.say(session, { type: 'answer', id, answer }).catch(this.#options.onRedisError);
  }

  hear(session: string, up: Extract<WorkerMessage, { type: 'beat' }>): void {
    for (const id of up.runs) {
      const one = this.#carried.get(id);
      if (one === undefined || !isOf(one, session, up.name)) this.#send(session, { type: 'lose', id });
      else this.#renew(one, session);
    }
  }

  progress(id: string, session: string, progress: Progress): void {
    if (this.isRunBy(id, session)) this.#options.events()?.progress(id, progress);
  }

  /** `written`: the result, if the message carried it; else it is read from Redis. */
  async result(key: ResultKey, written?: string): Promise<void> {
    const one = this.#carried.get(key.id);
    const mayBe = one !== undefined && (one.session === null || one.session === key.session);
    if (!mayBe || one.phase === 'ending') {
      await this.#tellLate(key);
      this.#options.dropResult(key);
      if (mayBe) this.#end(one);
      return;
    }
    // A job that is starting or settling cannot end here: its start must be recorded first, and one end is enough.
    if (one.phase === 'running') await this.#settle(one, key, written);
  }

  /** Reports the cost of a late envelope. Best effort: otherwise it stays unknown. */
  async #tellLate(key: ResultKey): Promise<void> {
    try {
      const result = await this.#options.readResult(key);
      if (result !== null) await this.#options.events()?.late?.(key.id, result.envelope);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** The handler has ended without an envelope. */
  async ended(id: string, session: string): Promise<void> {
    const one = this.#carried.get(id);
    if (one?.session !== session) return;
    if (one.phase === 'ending') this.#end(one);
    else if (one.phase === 'running') await this.lose(id);
  }

  /** The job was settled elsewhere. It occupies its checkout until its handler has ended, and gets no more controls. */
  forget(id: string): void {
    const one = this.#carried.get(id);
    if (one === undefined || one.phase === 'ending') return;
    if (one.session !== null) this.#send(one.session, { type: 'lose', id });
    // Recovery has already ended its processes. If its worker is alive after all, the next heartbeat is answered with
    // `lose`.
    if (!one.isHeard) {
      this.#end(one);
      return;
    }
    one.phase = 'ending';
    one.until = this.#until();
  }

  /** Redis was unreachable, so missing heartbeats prove nothing: renew every lease. */
  renewAll(): void {
    for (const one of this.#carried.values()) {
      if (one.phase === 'orphaned') continue;
      one.until = this.#until();
      one.isMissed = false;
    }
  }

  async loseOverdue(): Promise<void> {
    const now = this.#now;
    const overdue = [...this.#carried.values()].filter((one) => canBeLost(one) && one.until <= now);
    await Promise.all(overdue.map((one) => this.#giveUp(one)));
  }

  /**
   * The job is no longer in Redis. Its worker may have been cut off too, so it gets a moment to hand in its envelope.
   */
  async miss(id: string): Promise<void> {
    const one = this.#carried.get(id);
    if (one?.phase !== 'running') return this.lose(id);
    if (one.isMissed) return;
    one.isMissed = true;
    one.until = this.#now + momentMs;
  }

  async lose(id: string): Promise<void> {
    const one = this.#carried.get(id);
    if (one === undefined || !canBeLost(one)) return;
    if (one.session !== null) this.#send(one.session, { type: 'lose', id });
    this.#options.removeFromRedis(id);
    if (one.phase === 'ending') return this.#end(one);
    one.phase = 'settling';
    try {
      await this.#options.events()?.lost(id, one.worker);
      this.#over(one);
    } catch (error) {
      this.#options.onError(error);
      this.#orphan(one);
    }
  }

  flush(): void {
    this.#endings.flush();
  }

  /** Requeues jobs whose start never reached the disk. */
  requeue(ids: readonly string[]): void {
    const mine = ids.filter((id) => this.#carried.has(id));
    for (const id of mine) {
      this.#carried.delete(id);
      this.#options.offers.release(id);
    }
    this.#options.offers.await(this.#options.jobs.requeue(mine));
  }

  claims(): readonly { readonly id: string; readonly worker: string }[] {
    const before = [...this.#carried.values()].filter(({ isFromBefore }) => isFromBefore);
    return before.map(({ job, worker }) => ({ id: job.id, worker }));
  }

  async #begin(id: string, session: string, worker: string): Promise<StartAnswer> {
    const { jobs, offers } = this.#options;
    const events = this.#options.events();
    if (events === null) return 'later';
    const job = offers.begin(id);
    // `drop`: cancelled or over. `later`: left in Redis from an earlier offer, and not its turn now.
    if (job === null) return jobs.payload(id) === null || this.#endings.has(id) ? 'drop' : 'later';
    const one = carriedBy(job, worker, session, this.#until());
    this.#carried.set(id, one);
    try {
      if (await this.#claims.claim({ id, worker, instance: session })) {
        if (await events.started(id, worker)) return this.#go(one);
        this.#over(one);
      } else {
        this.#end(one);
      }
      return 'drop';
    } catch (error) {
      this.#options.onError(error);
      return this.#putBack(one);
    }
  }

  /** The worker is silent, but its envelope may be stored and only the message lost: look before giving up. */
  async #giveUp(one: HeldJob): Promise<void> {
    const { id } = one.job;
    if (one.session !== null && one.phase === 'running') await this.result({ id, session: one.session });
    if (one.until <= this.#now) await this.lose(id);
  }

  #go(one: HeldJob): StartAnswer {
    // It was settled elsewhere meanwhile.
    if (one.phase === 'ending') {
      this.#end(one);
      return 'drop';
    }
    one.phase = 'running';
    one.until = this.#until();
    return 'go';
  }

  /** Undoes a start that could not be recorded. */
  #putBack(one: HeldJob): StartAnswer {
    if (one.phase !== 'starting') {
      // It was settled elsewhere while it waited for the store.
      this.#end(one);
      return 'later';
    }
    this.#carried.delete(one.job.id);
    try {
      this.#options.jobs.requeue([one.job.id]);
      this.#options.offers.takeBack(one.job);
    } catch (error) {
      this.#options.onError(error);
      this.#carried.set(one.job.id, one);
      // Nothing has run, so nothing is lost: retry until the store accepts it.
      if (writeFailureOf(error) === null) this.#orphan(one);
      else this.#options.clock.after(retryMs, () => void this.#putBack(one));
    }
    return 'later';
  }

  async #settle(one: HeldJob, key: ResultKey, written?: string): Promise<void> {
    one.phase = 'settling';
    const read = written === undefined ? this.#options.readResult(key) : Promise.resolve(parsedResult(written));
    const result = await read.catch((error: unknown) => {
      // The envelope is still in Redis and is found when Redis answers again.
      this.#options.onRedisError(error);
      one.until = this.#until();
      return 'unread' as const;
    });
    if (result === 'unread' || result === null || (one.session === null && result.worker !== one.worker)) {
      one.phase = 'running';
      if (result !== null && result !== 'unread') this.#options.dropResult(key);
      return;
    }
    try {
      await this.#options.events()?.finished(one.job.id, result.envelope);
      this.#over(one);
      this.#options.dropResult(key);
    } catch (error) {
      this.#options.onError(error);
      this.#orphan(one);
    }
  }

  #orphan(one: HeldJob): void {
    one.phase = 'orphaned';
    one.until = this.#until();
  }

  #renew(one: HeldJob, session: string): void {
    if (one.phase === 'orphaned') return;
    if (!one.isMissed) one.until = this.#until();
    one.isHeard = true;
    if (one.session === null) {
      one.session = session;
      this.wants.tell(one);
    }
    // The worker missed the earlier `lose`, or ignores it.
    if (one.phase === 'ending') this.#send(session, { type: 'lose', id: one.job.id });
  }

  /** Also deletes its row. */
  #over(one: HeldJob): void {
    this.#endings.add(one.job.id);
    this.#end(one);
  }

  #end(one: HeldJob): void {
    if (!this.#carried.delete(one.job.id)) return;
    this.#options.offers.release(one.job.id);
  }

  #send(session: string, down: HomeMessage): void {
    this.#options.say(session, down).catch(this.#options.onRedisError);
  }

  #until(): number {
    return this.#now + this.#options.leaseMs;
  }

  /** Steady, because the machine's wall clock can be set. */
  get #now(): number {
    return this.#options.clock.steady();
  }
}

function answerTo(one: HeldJob, session: string): StartAnswer | null {
  if (one.session !== session) return 'drop';
  return one.phase === 'running' ? 'go' : 'drop';
}
