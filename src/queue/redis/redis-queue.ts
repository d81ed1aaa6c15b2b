import { atMost, keepWorks, type QueueClock, systemClock } from '../../base/index.js';
import type { Claim, JobRows } from '../../jobs/index.js';
import { type NeedsOf, ownNeeds } from '../../jobs/index.js';
import type { JobQueue, QueueEvents, QueueWorker, RecoverableQueue, WorkerOptions } from '../port.js';
import type { Limits } from '../waiting/quota.js';
import { placeOf } from './connection/connect.js';
import { RedisConnections } from './connection/connections.js';
import { HealthCheck } from './connection/health-check.js';
import { isOfRedis, type Problems, problemsOf } from './connection/problems.js';
import { type StreamReader, startReader } from './connection/stream-reader.js';
import { type BullmqQueues, openBullmqQueues } from './offers/bullmq-queues.js';
import { idleWorkers } from './offers/idle-workers.js';
import { ReadyJobs } from './offers/ready-jobs.js';
import { type Grants, openGrants } from './protocol/grants.js';
import type { HomeMessage } from './protocol/messages.js';
import { type Names, namesOf } from './protocol/redis-keys.js';
import { readResult, resultDropper } from './protocol/results.js';
import { rearrange, reconcile } from './reconcile.js';
import { type BullmqWorker, bullmqWorker } from './redis-worker.js';
import { JobRegistry } from './registry/job-registry.js';
import { RemoteRequests } from './registry/remote-requests.js';
import { type ListedWorker, WorkerList } from './registry/worker-list.js';
import { type HearingParts, hear } from './registry/worker-messages.js';

export interface BullmqOptions {
  readonly agentKinds: readonly string[];
  readonly redis: string;
  readonly home: string;
  readonly jobs: JobRows;
  readonly limit?: number;
  readonly limits?: Limits;
  readonly needsOf?: NeedsOf;
  readonly leaseMs?: number;
  readonly reconcileMs?: number;
  readonly closeTimeoutMs?: number;
  readonly clock?: QueueClock;
  readonly disk?: string;
  /** False: another Bosun may own this queue, so write nothing to Redis. */
  readonly isActive?: () => boolean;
  /** Null: Redis works. */
  readonly onProblem?: (problem: string | null) => void;
  readonly onError?: (error: unknown) => void;
}

export interface BullmqQueue extends RecoverableQueue {
  readonly problem: string | null;
  listWorkers(): readonly ListedWorker[];
  onOffer(): ReadonlyMap<string, number>;
  reconcile(): Promise<void>;
}

export function bullmqQueue(options: BullmqOptions): BullmqQueue {
  return new RedisQueue(options);
}

class RedisQueue implements BullmqQueue {
  readonly #options: BullmqOptions;
  readonly #names: Names;
  readonly #clock: QueueClock;
  readonly #leaseMs: number;
  readonly #connections: RedisConnections;
  readonly #queues: BullmqQueues;
  readonly #offers: ReadyJobs;
  readonly #grants: Grants;
  readonly #registry: JobRegistry;
  readonly #requests: RemoteRequests;
  readonly #workerList: WorkerList;
  readonly #health: HealthCheck;
  readonly #problems: Problems;
  readonly #report: (error: unknown) => void;
  readonly #workers = new Set<BullmqWorker>();
  readonly #works = keepWorks();
  #reader: StreamReader | null = null;
  #events: QueueEvents | null = null;
  #reconciling: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: BullmqOptions) {
    const { redis: url, home, jobs, leaseMs = 15_000, clock = systemClock } = options;
    this.#options = options;
    this.#names = namesOf(home);
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#report = options.onError ?? ((error) => process.emitWarning(`queue: ${String(error)}`));
    this.#problems = problemsOf(placeOf(url), options.onProblem ?? (() => undefined), { isUnknown: true });
    const note = (error: unknown) => this.#noteRedis(error);
    this.#connections = new RedisConnections({
      ...{ url, home, names: this.#names, leaseMs, clock, disk: options.disk ?? null },
      onConnect: () => this.#onConnect(),
      onError: note,
    });
    const { redis } = this.#connections;
    this.#queues = openBullmqQueues({
      ...{ redis, names: this.#names, onRedisError: note },
      onError: (error) => this.#report(error),
    });
    this.#workerList = new WorkerList({
      clock,
      leaseMs,
      disk: options.disk ?? null,
      onNew: () => this.#watch(rearrange({ shelf: this.#queues, offers: this.#offers })),
    });
    this.#health = new HealthCheck({
      ...{ clock, everyMs: leaseMs / 4, reconcileMs: options.reconcileMs ?? 15_000 },
      touch: () => this.#touch(),
      onBeat: () => this.#onBeat(),
      onSound: () => this.#onSound(),
      reconcile: () => this.reconcile(),
      onError: note,
    });
    this.#offers = new ReadyJobs({
      ...{ jobs, shelf: this.#queues, clock, limit: options.limit ?? 20_000, limits: options.limits ?? {} },
      needsOf: options.needsOf ?? ownNeeds,
      canBeDone: (needs) => this.#workerList.canDo(needs),
      idleWorkers: () => idleWorkers(this.#workerList.grantTakers(), this.#registry.granted.heldBy()),
      grant: (job, body, worker) => this.#watch(this.#registry.grant(job, body, worker)),
      onOwnError: (error) => this.#report(error),
      mayOffer: () => this.#events !== null && this.#health.isSound && this.#isActive,
      onError: (error) => {
        this.#noteRedis(error);
        this.#health.doubt();
      },
    });
    const say = (session: string, down: HomeMessage) => this.#say(session, down);
    this.#grants = openGrants({ redis, names: this.#names, isActive: () => this.#isActive, say, onError: note });
    this.#registry = new JobRegistry({
      ...{ jobs, offers: this.#offers, leaseMs, clock, events: () => this.#events },
      ...{ say, grants: this.#grants, disk: options.disk ?? null },
      readResult: (key) => readResult(redis, this.#names, key),
      dropResult: resultDropper(redis, this.#names, note),
      removeFromRedis: (id) => void this.#queues.remove([id]).catch(note),
      onRedisError: note,
      onError: (error) => this.#report(error),
    });
    this.#requests = new RemoteRequests({
      ...{ events: () => this.#events, say, onRedisError: note },
      isRunBy: (id, session) => this.#registry.isRunBy(id, session),
    });
    this.#registry.recall(jobs.leased());
    this.#offers.await(jobs.queued());
  }

  get problem(): string | null {
    return this.#problems.present;
  }

  listWorkers(): readonly ListedWorker[] {
    return this.#workerList.present();
  }

  onOffer(): ReadonlyMap<string, number> {
    return this.#offers.onOffer();
  }

  listen(events: QueueEvents): void {
    this.#events = events;
    this.#registry.renewAll();
    const { up, told } = this.#names;
    const { redis, reading } = this.#connections;
    const hearing: HearingParts = {
      ...{ names: this.#names, workerList: this.#workerList, hands: this.#registry, errands: this.#requests },
      redisNow: () => this.#connections.redisNow(),
      watch: (work) => this.#watch(work),
    };
    this.#reader ??= startReader({
      ...{ reading, redis, blockMs: Math.min(2_000, Math.ceil(this.#leaseMs / 4)) },
      // Order matters: progress before its attempt's end.
      streams: [told, up],
      mayTake: () => this.#isActive,
      take: (entry) => hear(hearing, entry),
      onConnect: (redisNow) => {
        this.#connections.setTime(redisNow);
        this.#onConnect();
      },
      onError: (error) => this.#noteRedis(error),
      now: () => this.#clock.steady(),
    });
    this.#health.start(this.#connections.isThere);
    this.#offers.wake();
  }

  async add(jobs: Parameters<JobQueue['add']>[0]): Promise<void> {
    this.#offers.add(jobs);
  }

  async cancel(id: string): Promise<'removed' | 'signalled' | 'unknown'> {
    const isSignalled = this.#registry.wants.add(id, (one) => {
      one.isCancelled = true;
    });
    if (isSignalled) return 'signalled';
    const became = this.#options.jobs.remove(id);
    this.#removeWaiting(id);
    return became === 'removed' ? 'removed' : 'unknown';
  }

  async extend(id: string, byMs: number): Promise<boolean> {
    return this.#registry.wants.add(id, (one) => {
      one.extendedMs += byMs;
    });
  }

  async wait(id: string, isWaiting: boolean): Promise<boolean> {
    return this.#registry.wants.add(id, (one) => {
      one.isWaiting = isWaiting;
    });
  }

  work(options: WorkerOptions): QueueWorker {
    const { redis, home, agentKinds, onError, closeTimeoutMs, clock } = this.#options;
    const worker = bullmqWorker({
      ...options,
      ...{ redis, home, agentKinds, leaseMs: this.#leaseMs },
      ...(closeTimeoutMs === undefined ? {} : { closeTimeoutMs }),
      ...(clock === undefined ? {} : { clock }),
      ...(onError === undefined ? {} : { onError }),
    });
    this.#workers.add(worker);
    return { close: () => this.#closeWorker(worker) };
  }

  async counts(project?: string) {
    this.#registry.flush();
    return this.#options.jobs.counts(project ?? null);
  }

  async known(): Promise<readonly string[]> {
    this.#registry.flush();
    return this.#options.jobs.known();
  }

  async abandoned(): Promise<readonly Claim[]> {
    return this.#registry.claims();
  }

  async outliving(): Promise<readonly string[]> {
    return this.#registry.claims().map(({ id }) => id);
  }

  async requeue(ids: readonly string[]): Promise<void> {
    this.#registry.requeue(ids);
  }

  async forget(ids: readonly string[]): Promise<void> {
    this.#options.jobs.forget(ids);
    for (const id of ids) {
      this.#removeWaiting(id);
      this.#registry.forget(id);
    }
  }

  reconcile(): Promise<void> {
    this.#reconciling ??= this.#reconcile().finally(() => {
      this.#reconciling = null;
    });
    return this.#reconciling;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#closeWorker(worker)));
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#health.close();
    this.#offers.close();
    await this.#reader?.close();
    // BullMQ waits for a goodbye that an absent Redis never answers.
    const leaving = this.#isReady ? [this.#connections.leave(), this.#queues.close()] : [];
    await atMost(this.#clock, this.#closeTimeoutMs, Promise.allSettled(leaving));
    this.#connections.close();
    await atMost(this.#clock, this.#closeTimeoutMs, this.#works.ended());
    try {
      this.#registry.flush();
    } catch (error) {
      // The next process finds the jobs begun and their attempts settled.
      this.#report(error);
    }
  }

  async #touch(): Promise<void> {
    if (!this.#isActive) return;
    await this.#connections.touch();
    const silentMs = this.#clock.steady() - (this.#reader?.lastAnswerAt ?? 0);
    if (silentMs > this.#leaseMs / 2) throw new Error('Redis did not answer a read in time');
    this.#problems.clear();
  }

  #onBeat(): void {
    if (!this.#isActive) return;
    this.#registry.wants.repeat(false);
    this.#registry.granted.sendAgain();
    // Not awaited: ending orphans may take long, and heartbeats must not wait.
    if (this.#events !== null) this.#watch(this.#registry.loseOverdue());
    this.#offers.wake();
  }

  /** Even a brief disconnect can lose Redis's last writes and our calls. */
  #onConnect(): void {
    if (!this.#connections.isThere) return;
    this.#health.now();
    this.#registry.wants.repeat(true);
    this.#watch(this.reconcile());
  }

  #onSound(): void {
    this.#registry.renewAll();
    this.#registry.wants.repeat(true);
    this.#registry.granted.sendAgain();
    this.#offers.wake();
    this.#watch(this.reconcile());
  }

  async #reconcile(): Promise<void> {
    if (this.#events === null || !this.#isReady || !this.#isActive) return;
    await reconcile({
      ...{
        redis: this.#connections.redis,
        names: this.#names,
        shelf: this.#queues,
        grants: this.#grants,
        offers: this.#offers,
        hands: this.#registry,
      },
      jobs: this.#options.jobs,
      now: () => this.#clock.now(),
      caughtUp: () => this.#reader?.caughtUp() ?? Promise.resolve(),
      watch: (work) => this.#watch(work),
    });
  }

  async #say(session: string, down: HomeMessage): Promise<void> {
    if (this.#isActive) await this.#connections.say(session, down);
  }

  #removeWaiting(id: string): void {
    if (this.#offers.remove(id) && this.#isActive) this.#watch(this.#queues.remove([id]));
  }

  async #closeWorker(worker: BullmqWorker): Promise<void> {
    if (!this.#workers.delete(worker)) return;
    await worker.close();
    const until = this.#clock.steady() + this.#closeTimeoutMs;
    while (this.#health.isSound && this.#registry.carriedFor(worker.session) && this.#clock.steady() < until) {
      await new Promise<void>((resolve) => this.#clock.after(5, resolve));
    }
  }

  get #isActive(): boolean {
    return this.#options.isActive?.() ?? true;
  }

  get #isReady(): boolean {
    return this.#connections.redis.status === 'ready';
  }

  get #closeTimeoutMs(): number {
    return this.#options.closeTimeoutMs ?? 10_000;
  }

  #watch(work: Promise<unknown>): void {
    // Work in flight at close still writes to the database.
    this.#works.add(work).catch((error: unknown) => this.#noteAny(error));
  }

  /** While Redis is unreachable, any error counts as a consequence. */
  #noteAny(error: unknown): void {
    if (!this.#isReady || isOfRedis(error)) this.#noteRedis(error);
    else this.#report(error);
  }

  #noteRedis(error: unknown): void {
    if (!this.#isClosed) this.#problems.note(error);
  }
}
