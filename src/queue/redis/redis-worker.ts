// A worker asks Bosun before each start and leaves envelopes in Redis. Cut off for too long, it aborts its jobs,
// because Bosun reassigns them.
import { hostname } from 'node:os';
import { type Job as BullJob, DelayedError } from 'bullmq';
import type { Redis } from 'ioredis';
import { atMost, keepWorks, type QueueClock, systemClock } from '../../base/index.js';
import { type Envelope, emptyEnvelope } from '../../engine/index.js';
import type { Progress } from '../../jobs/index.js';
import { homeDisk } from '../../jobs/index.js';
import { type ClaimedJob, hold } from '../claimed-job.js';
import type { QueueWorker, WorkerOptions } from '../port.js';
import { closeLink, connect, openTakingLink, placeOf } from './connection/connect.js';
import { diskIn } from './connection/home-heartbeat.js';
import { isOfRedis, type Problems, problemsOf } from './connection/problems.js';
import { type StreamReader, startReader } from './connection/stream-reader.js';
import { type UnpackedJob, unpack } from './offers/job-payload.js';
import { askWithRetry } from './protocol/ask-with-retry.js';
import { type MessageWriter, messageWriter } from './protocol/batched-messages.js';
import {
  type HomeMessage,
  parseDown,
  protocolVersion,
  type StartAnswer,
  shortened,
  type WorkerMessage,
} from './protocol/messages.js';
import { asTag, type Names, namesOf, newSession } from './protocol/redis-keys.js';
import { type AfarLine, afarLine } from './protocol/remote-line.js';
import { type BullmqWorkers, openTakers } from './worker/bullmq-workers.js';
import { handIn } from './worker/hand-in-result.js';
import { Redelivery } from './worker/redelivery.js';
import { hearOf, type RunningJob, taken } from './worker/running-job.js';
import { WorkerHeartbeat } from './worker/worker-heartbeat.js';

export interface BullmqWorkerOptions extends WorkerOptions {
  readonly redis: string;
  readonly home: string;
  readonly agentKinds: readonly string[];
  /** Extra abilities, such as `gpu` or `macos`. */
  readonly can?: readonly string[];
  readonly host?: string;
  readonly isAway?: boolean;
  /** Its disk, if it shares the home's; absent: no check. */
  readonly disk?: () => string | null;
  /** A Bosun on another disk took over: take no more jobs. */
  readonly onOtherDisk?: () => void;
  readonly version?: string;
  readonly leaseMs?: number;
  readonly patienceMs?: number;
  readonly closeTimeoutMs?: number;
  readonly clock?: QueueClock;
  readonly onProblem?: (problem: string | null) => void;
  readonly onError?: (error: unknown) => void;
}

export interface BullmqWorker extends QueueWorker {
  readonly session: string;
  readonly problem: string | null;
  drain(withinMs: number): Promise<boolean>;
}

export function bullmqWorker(options: BullmqWorkerOptions): BullmqWorker {
  return new TakingWorker(options);
}

type Grant = Extract<HomeMessage, { type: 'grant' }>;

const giveBackMs = 1_000;
const maxUntold = 2_000;
/** Caps progress while no Bosun reads. */
const maxTold = 2_000;
/** Days of heartbeats; reconciling finds other lost messages. */
const maxUp = 50_000;

class TakingWorker implements BullmqWorker {
  readonly session = newSession();
  readonly #options: BullmqWorkerOptions;
  readonly #names: Names;
  readonly #clock: QueueClock;
  readonly #leaseMs: number;
  readonly #redis: Redis;
  readonly #taking: Redis;
  readonly #up: MessageWriter;
  readonly #reader: StreamReader;
  readonly #takers: BullmqWorkers;
  readonly #problems: Problems;
  readonly #taken = new Map<string, RunningJob>();
  readonly #works = keepWorks();
  readonly #redelivery: Redelivery;
  readonly #signs: WorkerHeartbeat;
  #untold = 0;
  #closing: Promise<void> | null = null;
  #isGone = false;
  #isDraining = false;

  constructor(options: BullmqWorkerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#leaseMs = options.leaseMs ?? 15_000;
    this.#names = namesOf(options.home);
    this.#redelivery = new Redelivery(this.#clock);
    this.#problems = problemsOf(placeOf(options.redis), options.onProblem ?? (() => undefined));
    const note = (error: unknown) => this.#problems.note(error);
    const link = { url: options.redis, onError: note };
    this.#redis = connect({
      ...link,
      name: `${options.name} says`,
      commandTimeoutMs: Math.max(200, this.#leaseMs / 3),
    });
    this.#up = messageWriter({ redis: this.#redis, from: this.session, maxEntries: maxUp, keptMs: null });
    this.#taking = openTakingLink({ ...link, name: `${options.name} takes` });
    this.#signs = new WorkerHeartbeat({
      ...{ redis: this.#redis, names: this.#names, session: this.session, clock: this.#clock, leaseMs: this.#leaseMs },
      ...{ problems: this.#problems, state: () => this.#state(), say: (up) => this.#say(up) },
      onCutOff: () => this.#endWhatRuns(),
    });
    this.#redis.on('ready', () => void this.#signs.now());
    this.#reader = startReader({
      reading: connect({ ...link, name: `${options.name} hears`, commandTimeoutMs: null }),
      redis: this.#redis,
      streams: [this.#names.down(this.session)],
      blockMs: Math.min(2_000, Math.ceil(this.#leaseMs / 3)),
      mayTake: () => true,
      take: (entry) => this.#hear(parseDown(entry.message), entry.at),
      onConnect: (redisNow) => this.#redelivery.setTime(redisNow),
      onError: note,
      now: () => this.#clock.steady(),
    });
    this.#takers = openTakers({
      ...{ redis: this.#redis, taking: this.#taking, names: this.#names, name: options.name },
      ...{ can: abilitiesOf(options), concurrency: options.concurrency, lockMs: this.#leaseMs },
      process: (job, token) => this.#works.add(this.#process(job, token)),
      onError: (error) => this.#noteOfTakers(error),
    });
  }

  get problem(): string | null {
    return this.#problems.present;
  }

  async drain(withinMs: number): Promise<boolean> {
    this.#takers.stop();
    this.#refuseGrants();
    for (const { runs, answer } of this.#taken.values()) if (!runs) answer?.('later');
    await atMost(this.#clock, withinMs, this.#works.ended());
    return this.#works.size === 0;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const timeoutMs = this.#options.closeTimeoutMs ?? 10_000;
    this.#refuseGrants();
    const isAway = this.#redis.status !== 'ready';
    if (isAway) this.#takers.cut();
    const takers = isAway ? null : this.#takers.close();
    for (const { held, answer } of this.#taken.values()) {
      held.abort('interrupted');
      answer?.('later');
    }
    await atMost(this.#clock, timeoutMs, Promise.allSettled([this.#works.ended(), takers]));
    this.#takers.cut();
    this.#isGone = true;
    this.#signs.stop();
    await this.#say({ type: 'bye' }).catch((error: unknown) => this.#problems.note(error));
    await atMost(
      this.#clock,
      timeoutMs,
      this.#redis.del(this.#names.down(this.session), this.#names.worker(this.session)).catch(() => 0),
    );
    await this.#reader.close();
    closeLink(this.#redis);
    closeLink(this.#taking);
  }

  /** Bosun hears it before the results that free a slot. */
  #refuseGrants(): void {
    this.#isDraining = true;
    this.#sayLater(this.#state());
  }

  async #process(job: BullJob, token: string): Promise<void> {
    const id = job.id ?? '';
    const opened = unpack(id, job.data, this.#options.agentKinds);
    const held = hold(id, this.#options.name);
    const line = this.#lineOf(id, held);
    const one = taken(held, line);
    if (this.#taken.has(id) || this.#isDraining || this.#closing !== null) return giveBack(job, token);
    this.#taken.set(id, one);
    try {
      if (await this.#mustLeave()) return await giveBack(job, token);
      const answer = await this.#ask(id, one);
      if (answer === 'drop') return;
      if (answer === 'later') return await giveBack(job, token);
      await this.#run(one, opened);
    } finally {
      this.#taken.delete(id);
    }
  }

  /** A job that Bosun handed over; its start is on disk. */
  async #processGrant(id: string, payload: unknown): Promise<void> {
    const held = hold(id, this.#options.name);
    const one = taken(held, this.#lineOf(id, held));
    if (this.#closing !== null) held.abort('interrupted');
    this.#taken.set(id, one);
    const letGo = this.#takers.occupy();
    try {
      await this.#run(one, unpack(id, payload, this.#options.agentKinds));
    } finally {
      this.#taken.delete(id);
      letGo();
    }
  }

  async #run(one: RunningJob, opened: UnpackedJob): Promise<void> {
    const { held, line } = one;
    one.runs = true;
    this.#redelivery.note(held.id);
    const tell = (progress: Progress) => this.#tell(held.id, progress);
    const envelope = opened.ok
      ? await held.attempt(opened.body, this.#options.run, tell, line ?? undefined)
      : { ...emptyEnvelope, fault: { code: opened.code, message: opened.message, remedy: 'ask' as const } };
    await this.#handIn(held, envelope);
  }

  #lineOf(id: string, { signal }: ClaimedJob): AfarLine | null {
    if (this.#options.isAway !== true) return null;
    return afarLine({ id, clock: this.#clock, signal, say: (up) => this.#sayLater(up) });
  }

  async #mustLeave(): Promise<boolean> {
    if (this.#options.disk === undefined) return false;
    // Without Redis no job starts anyway.
    return this.#isOfOtherDisk(diskIn(await this.#redis.get(this.#names.alive).catch(() => null)));
  }

  /** After a takeover by another machine these checkouts are not Bosun's. */
  #isOfOtherDisk(mark: string | null): boolean {
    const { disk, onOtherDisk = () => undefined } = this.#options;
    if (disk === undefined || mark === null || mark === disk()) return false;
    this.#isDraining = true;
    this.#takers.stop();
    onOtherDisk();
    return true;
  }

  /** Repeats, because question or answer may be lost. Without an answer the job goes back. */
  async #ask(id: string, one: RunningJob): Promise<StartAnswer> {
    const { name } = this.#options;
    const until = this.#clock.steady() + this.#patienceMs;
    const asked = askWithRetry<StartAnswer>({
      ...{ clock: this.#clock, everyMs: this.#patienceMs / 4, withinMs: this.#patienceMs },
      say: () => this.#sayLater({ type: 'ask', id, name, patienceMs: Math.ceil(until - this.#clock.steady()) }),
      unanswered: () => 'later',
    });
    one.answer = asked.answer;
    const answer = await asked.answered;
    one.answer = null;
    return answer;
  }

  get #patienceMs(): number {
    return this.#options.patienceMs ?? 10_000;
  }

  #handIn(held: ClaimedJob, envelope: Envelope): Promise<void> {
    const parts = { redis: this.#redis, names: this.#names, session: this.session, clock: this.#clock };
    const say = (up: WorkerMessage) => this.#say(up);
    return handIn({ ...parts, problems: this.#problems, say, isGone: () => this.#isGone }, held, envelope);
  }

  #tell(id: string, progress: Progress): void {
    if (this.#untold >= maxUntold) return;
    this.#untold += 1;
    const said = JSON.stringify({ id, progress: shortened(progress) });
    const { told } = this.#names;
    this.#redis
      .xadd(told, 'MAXLEN', '~', maxTold, '*', 'from', this.session, 'm', said)
      .catch((error: unknown) => this.#problems.note(error))
      .finally(() => {
        this.#untold -= 1;
      });
  }

  #hear(down: HomeMessage | null, at: number): void {
    if (down === null) return;
    const one = this.#taken.get(down.id);
    if (one !== undefined) hearOf(one, down);
    else if (down.type === 'grant') this.#accept(down, at);
    // The job is over or was given back.
    else if (down.type === 'answer' && down.answer === 'go') this.#sayLater({ type: 'ended', id: down.id });
  }

  #accept({ id, withinMs, disk, payload }: Grant, at: number): void {
    // Bosun may have given up an old one.
    const isOver = this.#redelivery.has(id) || this.#redelivery.ageOf(at) > withinMs;
    if (isOver || this.#isOfOtherDisk(disk)) this.#sayLater({ type: 'ended', id });
    else void this.#works.add(this.#processGrant(id, payload));
  }

  #state(): Extract<WorkerMessage, { type: 'beat' }> {
    const runs = [...this.#taken].filter(([, { runs }]) => runs).map(([id]) => id);
    const { name, concurrency, host = hostname(), isAway = false, version = '' } = this.#options;
    const can = abilitiesOf(this.#options).filter((one) => one !== homeDisk);
    const own = { version: protocolVersion, name, can, slots: concurrency, host, isAway, bosun: version };
    const disk = this.#options.disk?.() ?? null;
    return { type: 'beat', ...own, runs, isDraining: this.#isDraining, disk };
  }

  #endWhatRuns(): void {
    for (const { held, runs } of this.#taken.values()) if (runs) held.abort('interrupted');
  }

  #sayLater(up: WorkerMessage): void {
    this.#say(up).catch((error: unknown) => this.#problems.note(error));
  }

  #say(up: WorkerMessage): Promise<void> {
    return this.#up.write(this.#names.up, JSON.stringify(up));
  }

  #noteOfTakers(error: unknown): void {
    if (this.#redis.status !== 'ready' || isOfRedis(error)) this.#problems.note(error);
    // Redis lost the job or Bosun removed it; Bosun reports both.
    else if (isOfALock.test(String(error instanceof Error ? error.message : error))) return;
    else if (this.#closing === null) this.#options.onError?.(error);
  }
}

function abilitiesOf({ can = [], isAway = false }: BullmqWorkerOptions): readonly string[] {
  const others = can.map(asTag).filter((one) => one !== homeDisk);
  return isAway ? others : [...others, homeDisk];
}

const isOfALock = /^(Missing (key|lock) |Lock mismatch )/;

async function giveBack(job: BullJob, token: string): Promise<never> {
  await job.moveToDelayed(Date.now() + giveBackMs, token);
  throw new DelayedError();
}
