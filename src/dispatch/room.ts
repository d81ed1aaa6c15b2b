// The room as a whole: store, queue, workers and checkouts around one dispatcher. What comes back from any of them goes
// in again as an event; what a decision wants is done here once it is on disk.
import {
  type Envelope,
  type Event,
  emptyEnvelope,
  type Report,
  type State,
  type WorkspaceOp,
} from '../engine/index.js';
import { attemptJob, type JobParts } from './attempt-job.js';
import { workOnCheckout } from './checkout-work.js';
import { Dispatcher } from './dispatcher.js';
import { attemptRunner, endProcessesOf } from './executor/index.js';
import { exportRun } from './exports.js';
import type { Flush } from './flush.js';
import { type HandReport, readHandReport } from './hand-report.js';
import { attemptToken, type Config, type Home } from './home/index.js';
import { checkpointBeforeInterruption } from './interrupted.js';
import type { Progress } from './job.js';
import { Lines } from './lines.js';
import type { Present, Submitted, Work } from './plan.js';
import { type EmbeddedQueue, embeddedQueue, type QueueWorker } from './queue/index.js';
import { recover } from './recovery.js';
import { RestWatch } from './rest.js';
import { inCheckout } from './run-attempt.js';
import { RunCache } from './run-cache.js';
import { shownRun } from './status.js';
import { type Message, openStore, type Store } from './store/index.js';

export interface RoomParts {
  readonly home: Home;
  readonly config: () => Config;
  readonly present: Present;
  readonly now?: () => number;
  readonly url?: () => string;
  readonly log?: (message: string) => void;
  readonly leaseMs?: number;
}

export interface Room {
  readonly store: Store;
  submit(work: Work): Promise<Submitted>;
  /** Settles what an earlier process left open. To be called once, before work starts. */
  recover(): Promise<void>;
  startWorker(concurrency: number): void;
  readonly isWorking: boolean;
  /** True once nothing is under way, false when the time is up. */
  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  onMessages(listen: (messages: readonly Message[]) => void): () => void;
  /** What live attempts did last, by attempt; memory only. */
  lastSign(attempt: string): { readonly at: number; readonly line: string } | null;
  /** What an agent that a person started by hand has to show for the step that is ready. */
  readHandReport(state: State, node: string, given: Report | null): Promise<HandReport>;
  close(): Promise<void>;
}

/** What agents of an earlier process get to end by themselves. */
const orphanGraceMs = 1_500;
const interrupted: Envelope = { ...emptyEnvelope, killed: 'interrupted' };
const cancelled: Envelope = { ...emptyEnvelope, killed: 'cancel' };

export function openRoom(parts: RoomParts): Room {
  return new DispatchRoom(parts);
}

class DispatchRoom implements Room {
  readonly store: ReturnType<typeof openStore>;
  readonly #parts: RoomParts;
  readonly #queue: EmbeddedQueue;
  readonly #cache: RunCache;
  readonly #dispatcher: Dispatcher;
  readonly #rest: RestWatch;
  readonly #listeners = new Set<(messages: readonly Message[]) => void>();
  readonly #signs = new Map<string, { at: number; line: string }>();
  /** Work on checkouts, one chain of promises a folder; and exports, one a project. */
  readonly #ops = new Map<string, number>();
  readonly #lines = new Lines({
    onError: (name, error) => this.#log(`${name}: ${String(error)}`),
    onEmpty: () => this.#rest.look(),
  });
  #worker: QueueWorker | null = null;
  #announced = 0;

  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.store = openStore(parts.home.dbPath, { homeId: parts.home.homeId });
    this.#cache = new RunCache(this.store);
    const leaseMs = parts.leaseMs ?? 15_000;
    this.#queue = embeddedQueue({
      jobs: this.store.jobs,
      leaseMs,
      onError: (error) => this.#log(`queue: ${String(error)}`),
    });
    this.#dispatcher = new Dispatcher({
      store: this.store,
      cache: this.#cache,
      present: parts.present,
      now: () => this.#now(),
      jobOf: (state, node, attempt) => attemptJob(state, node, attempt, this.#jobParts()),
      act: (flush, messages) => this.#act(flush, messages),
    });
    this.#rest = new RestWatch({ isBusy: (project) => this.#isBusy(project) });
    this.#queue.listen({
      started: (id, worker) => this.#started(id, worker),
      progress: (id, progress) => this.#progress(id, progress),
      finished: (id, envelope) =>
        this.#settle(id, (event) => ({ ...event, type: 'attempt_settled', attempt: id, envelope })),
      lost: (id) => this.#interrupted(id),
    });
  }

  submit(work: Work): Promise<Submitted> {
    const submitted = this.#dispatcher.submit(work);
    // A plan that failed changes nothing, and yet it is no longer under way.
    submitted.catch(() => this.#rest.look());
    return submitted;
  }

  get isWorking(): boolean {
    return this.#worker !== null;
  }

  recover(): Promise<void> {
    return recover({
      store: this.store,
      queue: this.#queue,
      now: () => this.#now(),
      submit: (work) => this.submit(work),
      endProcesses: (attempts) =>
        endProcessesOf(
          attempts.map((id) => attemptToken(this.#parts.home.secret, id)),
          orphanGraceMs,
        ),
      performOp: (run, op) => this.#perform(run, op),
      exportAll: () => this.#exportAll(),
      onBug: (error) => this.#log(`recovery: ${String(error)}`),
    });
  }

  startWorker(concurrency: number): void {
    const run = inCheckout({
      run: attemptRunner({}),
      noteCheckpoint: (attempt, checkpoint) => this.store.setCheckpoint(attempt, JSON.stringify(checkpoint)),
      earlierCheckpoint: (attempt) => checkpointBeforeInterruption(this.store, attempt),
      log: (message) => this.#log(message),
    });
    this.#worker ??= this.#queue.work({ name: `local-${process.pid}`, concurrency, run });
  }

  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#rest.whenAtRest(project, timeoutMs, signal);
  }

  onMessages(listen: (messages: readonly Message[]) => void): () => void {
    this.#listeners.add(listen);
    return () => this.#listeners.delete(listen);
  }

  lastSign(attempt: string) {
    return this.#signs.get(attempt) ?? null;
  }

  readHandReport(state: State, node: string, given: Report | null): Promise<HandReport> {
    return readHandReport(state, node, given, this.#jobParts(), attemptRunner({}));
  }

  async close(): Promise<void> {
    await this.#worker?.close();
    this.#rest.close();
    // Nothing may work on a checkout once this process let go of the home.
    await this.#lines.drain();
    this.#dispatcher.close();
    await this.#lines.drain();
    await this.#queue.close();
    this.store.close();
  }

  /** After the commit, in this order: queue, kills, checkouts, listeners, files for other tools. */
  #act(flush: Flush, messages: readonly Message[]): void {
    const { after } = flush;
    if (after.jobs.length > 0) this.#watch(this.#queue.add(after.jobs));
    for (const attempt of after.cancels) this.#watch(this.#cancel(attempt));
    for (const { attempt, byMs } of after.extensions) this.#watch(this.#queue.extend(attempt, byMs));
    for (const { run, op } of after.ops) this.#perform(run, op);
    this.#announce(messages);
    for (const run of after.touched) this.#export(run, flush.chainsOf(run));
    for (const run of after.ended) this.#startNext(run);
    this.#rest.look();
  }

  /** A card whose words did not change comes back as the message that it already was; nobody hears it twice. */
  #announce(messages: readonly Message[]): void {
    const news = messages.filter((message) => numberOf(message) > this.#announced);
    if (news.length === 0) return;
    this.#announced = Math.max(this.#announced, ...news.map(numberOf));
    for (const listen of this.#listeners) {
      try {
        listen(news);
      } catch (error) {
        // What is committed stays so, whoever could not show it.
        this.#log(`messages: ${String(error)}`);
      }
    }
  }

  async #started(id: string, worker: string): Promise<boolean> {
    const row = this.store.attempt(id);
    if (!row) return false;
    const { run, chain } = row;
    const submitted = await this.submit(() => ({
      events: [{ type: 'attempt_started', run, chain, at: this.#now(), attempt: id, worker }],
    }));
    return submitted.ignored[0] === null;
  }

  async #settle(id: string, make: (base: { run: string; chain: string; at: number }) => Event): Promise<void> {
    this.#signs.delete(id);
    const row = this.store.attempt(id);
    if (row) await this.submit((now) => ({ events: [make({ run: row.run, chain: row.chain, at: now.at })] }));
    // The queue lets go of the job only after this; whoever waits for rest looks once more then.
    setImmediate(() => this.#rest.look());
  }

  #interrupted(id: string): Promise<void> {
    return this.#settle(id, (base) => ({ ...base, type: 'attempt_settled', attempt: id, envelope: interrupted }));
  }

  /** A job that had not begun will never tell; so it is told here. */
  async #cancel(attempt: string): Promise<void> {
    const what = await this.#queue.cancel(attempt);
    if (what === 'signalled') return;
    await this.#settle(attempt, (base) => ({ ...base, type: 'attempt_settled', attempt, envelope: cancelled }));
  }

  #progress(id: string, progress: Progress): void {
    if (progress.type === 'output') this.#signs.set(id, { at: this.#now(), line: progress.line.slice(0, 300) });
    if (progress.type === 'expiring') this.#watch(this.#offerMoreTime(id, progress.inMs));
  }

  async #offerMoreTime(id: string, inMs: number): Promise<void> {
    const row = this.store.attempt(id);
    const expiring = this.#parts.present.expiring;
    if (row)
      await this.submit((now) => ({ events: [], messages: expiring(row, inMs, now.store.followers(row.run), now.at) }));
  }

  #perform(run: string, op: WorkspaceOp): void {
    const found = this.store.run(run);
    const project = this.#parts.config().projects.find((one) => one.name === found?.project);
    const root = project?.root ?? '';
    this.#ops.set(run, (this.#ops.get(run) ?? 0) + 1);
    this.#lines.add(root, async () => {
      const result = project
        ? await workOnCheckout(root, run, op, this.store)
        : ({ ok: false, code: 'blocked', message: noProject(found?.project ?? run), files: [] } as const);
      const chain = op.kind === 'deliver' || op.kind === 'rollback' ? op.chain : '';
      try {
        await this.submit((now) => ({
          events: [{ type: 'workspace_done', run, chain, at: now.at, op: op.id, result }],
        }));
      } finally {
        this.#ops.set(run, (this.#ops.get(run) ?? 1) - 1);
        if (this.#ops.get(run) === 0) this.#ops.delete(run);
        this.#rest.look();
      }
    });
  }

  /** Of each project the run that it shows, be it one that ended just before its files were written. */
  #exportAll(): void {
    for (const { name } of this.#parts.config().projects) {
      const run = shownRun(this.store, name);
      if (run) this.#export(run.id, null);
    }
  }

  #export(run: string, chains: readonly string[] | null): void {
    const spine = this.#cache.spine(run);
    const root = this.#parts.config().projects.find((one) => one.name === spine?.run.project)?.root;
    if (!spine || !root) return;
    const keys = chains ?? spine.items.map((item) => item.key);
    this.#lines.add(`export ${root}`, () =>
      exportRun(root, this.#cache.spine(run) ?? spine, keys, (key) => this.#cache.chain(run, key)),
    );
  }

  /** A project whose run has ended takes the next one that a person said yes to. */
  #startNext(ended: string): void {
    const project = this.store.run(ended)?.project;
    if (!project) return;
    this.#watch(
      this.submit((now) => {
        const next = now.liveRun(project) ? null : (now.drafts(project).find((run) => run.approved) ?? null);
        if (!next) return { events: [] };
        return { events: [{ type: 'start', run: next.id, chain: '', at: now.at, by: next.createdBy, behind: null }] };
      }),
    );
  }

  #isBusy(project: string | null): boolean {
    if (!this.#dispatcher.isIdle) return true;
    const isOf = (run: string) => project === null || this.store.run(run)?.project === project;
    if (this.store.openAttempts().some((row) => isOf(row.run)) || [...this.#ops.keys()].some(isOf)) return true;
    // Whoever waited reads the files next.
    return this.#parts
      .config()
      .projects.some((one) => (project === null || one.name === project) && this.#lines.has(`export ${one.root}`));
  }

  #watch(promise: Promise<unknown>): void {
    promise.catch((error: unknown) => this.#log(String(error)));
  }

  #jobParts(): JobParts {
    const { config, home, url } = this.#parts;
    return { config: config(), secret: home.secret, url: url?.() ?? '' };
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now();
  }

  #log(message: string): void {
    this.#parts.log?.(message);
  }
}

function noProject(name: string): string {
  return `${name} is not in config.yaml any more. Put it back under projects, then retry.`;
}

function numberOf(message: Message): number {
  return Number.parseInt(message.id.slice(1), 10);
}
