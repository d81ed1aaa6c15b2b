// Each job ends exactly once.

import { type QueueClock, writeFailureOf } from '../../../base/index.js';
import type { BegunJob, JobRows, Progress, QueuedJob } from '../../../jobs/index.js';
import type { QueueEvents } from '../../port.js';
import type { IdleWorker } from '../offers/idle-workers.js';
import type { ReadyJobs } from '../offers/ready-jobs.js';
import type { Grants } from '../protocol/grants.js';
import type { HomeMessage, StartAnswer, WorkerMessage } from '../protocol/messages.js';
import { parsedResult, type Result, type ResultKey } from '../protocol/results.js';
import { type Claims, claimsOf, type Endings, endingsOf } from './batched-writes.js';
import { GrantedJobs } from './granted-jobs.js';
import { canBeLost, carriedBy, type HeldJob, isOf, recalled } from './held-jobs.js';
import { PendingControls } from './pending-controls.js';

export interface JobRegistryOptions {
  readonly jobs: JobRows;
  readonly offers: ReadyJobs;
  readonly leaseMs: number;
  readonly clock: QueueClock;
  readonly events: () => QueueEvents | null;
  readonly say: (session: string, down: HomeMessage) => Promise<void>;
  readonly grants: Grants;
  readonly disk: string | null;
  readonly readResult: (key: ResultKey) => Promise<Result | null>;
  readonly dropResult: (key: ResultKey) => void;
  readonly removeFromRedis: (id: string) => void;
  readonly onRedisError: (error: unknown) => void;
  readonly onError: (error: unknown) => void;
}

/** Time for a worker to reconnect and hand in. */
const momentMs = 3_000;
const retryMs = 1_000;

export class JobRegistry {
  readonly #options: JobRegistryOptions;
  readonly #claims: Claims;
  readonly #carried = new Map<string, HeldJob>();
  readonly #endings: Endings;
  readonly wants: PendingControls;
  readonly granted: GrantedJobs;

  constructor(options: JobRegistryOptions) {
    this.#options = options;
    const { jobs, clock, grants, disk, leaseMs, say, onRedisError, onError } = options;
    this.#claims = claimsOf(jobs, () => clock.now() + leaseMs);
    this.#endings = endingsOf(jobs, onError);
    const carried = this.#carried;
    this.wants = new PendingControls({ carried, say, onRedisError });
    this.granted = new GrantedJobs({ carried, jobs, grants, leaseMs, disk, onRedisError });
  }

  /** Jobs of an earlier Bosun get a full lease from now. */
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

  isRunBy(id: string, session: string): boolean {
    const one = this.#carried.get(id);
    return one?.session === session && one.phase === 'running';
  }

  /** Those that Redis must know. */
  running(): readonly string[] {
    const known = [...this.#carried].filter(([, one]) => canBeLost(one) && one.grant !== 'unsent');
    return known.map(([id]) => id);
  }

  async ask(id: string, session: string, worker: string): Promise<void> {
    const one = this.#carried.get(id);
    // A repetition: the first answer is on its way.
    if (one?.session === session && one.phase === 'starting') return;
    const answer = one === undefined ? await this.#begin(id, session, worker) : answerTo(one, session);
    if (answer === null) return;
    await this.#options.say(session, { type: 'answer', id, answer }).catch(this.#options.onRedisError);
  }

  /** Hands a job to a worker that has not asked, once its start is on disk. */
  async grant(job: QueuedJob, body: string, { name, session }: IdleWorker): Promise<void> {
    const one = carriedBy(job, name, session, this.#until());
    one.grant = 'unsent';
    this.#carried.set(job.id, one);
    if ((await this.#start(one)) === 'go') await this.granted.send(one, body);
  }

  hear(session: string, up: Extract<WorkerMessage, { type: 'beat' }>): void {
    for (const id of up.runs) {
      const one = this.#carried.get(id);
      if (one === undefined || !isOf(one, session, up.name)) this.#send(session, { type: 'lose', id });
      else this.#renew(one, session);
    }
  }

  /** A worker that said goodbye begins nothing more. */
  async leave(session: string): Promise<void> {
    const left = [...this.#carried.values()].filter((one) => one.session === session && one.grant !== null);
    for (const one of left) one.until = this.#now;
    await Promise.all(left.filter(({ phase }) => phase === 'running').map((one) => this.#giveUp(one)));
  }

  progress(id: string, session: string, progress: Progress): void {
    if (this.isRunBy(id, session)) this.#options.events()?.progress(id, progress);
  }

  /** `written`: the result, if the message carried it. */
  async result(key: ResultKey, written?: string): Promise<void> {
    const one = this.#carried.get(key.id);
    const mayBe = one !== undefined && (one.session === null || one.session === key.session);
    if (!mayBe || one.phase === 'ending') {
      await this.#tellLate(key);
      this.#options.dropResult(key);
      if (mayBe) this.#end(one);
      return;
    }
    // The start must be recorded first, and one end is enough.
    if (one.phase === 'running') await this.#settle(one, key, written);
  }

  /** Only the cost of a late envelope counts. Best effort. */
  async #tellLate(key: ResultKey): Promise<void> {
    try {
      const result = await this.#options.readResult(key);
      if (result !== null) await this.#options.events()?.late?.(key.id, result.envelope);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async ended(id: string, session: string): Promise<void> {
    const one = this.#carried.get(id);
    if (one?.session !== session) return;
    if (one.phase === 'ending') this.#end(one);
    else if (one.phase === 'running') await this.lose(id);
  }

  /** Occupies its checkout until its handler ends, and gets no more controls. */
  forget(id: string): void {
    const one = this.#carried.get(id);
    if (one === undefined || one.phase === 'ending') return;
    if (one.session !== null) this.#send(one.session, { type: 'lose', id });
    // Recovery has ended its processes. A worker that is alive after all gets `lose` at its next heartbeat.
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

  /** The worker may have been cut off as well: give it a moment to hand in. */
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
    this.#options.jobs.flush();
  }

  /** Their start never reached the disk. */
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
    // `drop`: cancelled or over. `later`: an earlier offer, not its turn now.
    if (job === null) return jobs.payload(id) === null || this.#endings.has(id) ? 'drop' : 'later';
    const one = carriedBy(job, worker, session, this.#until());
    this.#carried.set(id, one);
    return this.#start(one);
  }

  async #start(one: HeldJob): Promise<StartAnswer> {
    const { worker, session } = one;
    const { id } = one.job;
    try {
      if (await this.#claims.claim({ id, worker, ...(session !== null && { instance: session }) })) {
        if ((await this.#options.events()?.started(id, worker)) === true) {
          // The commit of the start has usually written the claim.
          this.#options.jobs.flush();
          return this.#go(one);
        }
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

  /** The envelope may be stored and only its message lost: look first. */
  async #giveUp(one: HeldJob): Promise<void> {
    const { id } = one.job;
    if (one.session !== null && one.phase === 'running') await this.result({ id, session: one.session });
    if (one.until <= this.#now) await this.lose(id);
  }

  #go(one: HeldJob): StartAnswer {
    // Settled elsewhere meanwhile.
    if (one.phase === 'ending') {
      this.#end(one);
      return 'drop';
    }
    one.phase = 'running';
    one.until = this.#until();
    return 'go';
  }

  #putBack(one: HeldJob): StartAnswer {
    if (one.phase !== 'starting') {
      // Settled elsewhere while the store was awaited.
      this.#end(one);
      return 'later';
    }
    this.#carried.delete(one.job.id);
    try {
      this.#options.jobs.requeue([one.job.id]);
      const { offers, clock } = this.#options;
      offers.takeBack(one.job);
      if (one.grant !== null) clock.after(retryMs, () => offers.again([one.job.id]));
    } catch (error) {
      this.#options.onError(error);
      this.#carried.set(one.job.id, one);
      // Nothing has run: retry until the store accepts it.
      if (writeFailureOf(error) === null) this.#orphan(one);
      else this.#options.clock.after(retryMs, () => void this.#putBack(one));
    }
    return 'later';
  }

  async #settle(one: HeldJob, key: ResultKey, written?: string): Promise<void> {
    one.phase = 'settling';
    const read = written === undefined ? this.#options.readResult(key) : Promise.resolve(parsedResult(written));
    const result = await read.catch((error: unknown) => {
      // Redis failed; it keeps the envelope until it answers again.
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
    // The worker missed or ignored the earlier `lose`.
    if (one.phase === 'ending') this.#send(session, { type: 'lose', id: one.job.id });
  }

  #over(one: HeldJob): void {
    this.#endings.add(one.job.id);
    this.#end(one);
  }

  #end(one: HeldJob): void {
    if (!this.#carried.delete(one.job.id)) return;
    this.#options.offers.release(one.job.id);
    this.granted.drop(one);
  }

  #send(session: string, down: HomeMessage): void {
    this.#options.say(session, down).catch(this.#options.onRedisError);
  }

  #until(): number {
    return this.#now + this.#options.leaseMs;
  }

  /** Steady: the wall clock can be set. */
  get #now(): number {
    return this.#options.clock.steady();
  }
}

function answerTo(one: HeldJob, session: string): StartAnswer | null {
  if (one.session !== session) return 'drop';
  return one.phase === 'running' ? 'go' : 'drop';
}
