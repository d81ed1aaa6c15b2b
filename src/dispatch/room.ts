// The room as a whole: store, queue, workers and checkouts around one dispatcher. What comes back from any of them goes
// in again as an event; what a decision wants is done here once it is on disk.
import type { Event, State } from '../engine/index.js';
import { AfterCommit } from './after-commit.js';
import { type Asking, Asks, type Heard } from './asks.js';
import { AttemptEvents, stallAfterMs } from './attempt-events.js';
import { attemptJob, jobPartsOf } from './attempt-job.js';
import { boundThreads } from './bound-threads.js';
import { Checkouts } from './checkouts.js';
import { circleOf } from './circle.js';
import type { CommitListener, Committed } from './committed.js';
import { Dispatcher } from './dispatcher.js';
import type { HandGiven, HandReport } from './hand-report.js';
import { type Config, type Home, homeFolder } from './home/index.js';
import { Listeners } from './listeners.js';
import type { Log, LogFields } from './log/index.js';
import { wakeAfterLimit } from './new-day.js';
import { NewMessages } from './new-messages.js';
import { Outage } from './outage.js';
import type { Wanted } from './outside.js';
import { OutsideAgents } from './outside-agents.js';
import type { Present, Submitted, Work } from './plan.js';
import { purseOf } from './purse.js';
import { embeddedQueue } from './queue/index.js';
import { type QueueState, type QueueView, viewQueue } from './queue-view.js';
import { recover } from './recovery.js';
import { homeRedaction, type Redaction } from './redact/index.js';
import { limitsOf, needsBy, type OpenQueue, type RoomQueue } from './redis-queue.js';
import { Reminders } from './reminders.js';
import { RestWatch } from './rest.js';
import { RunCache } from './run-cache.js';
import type { Sign } from './sign.js';
import { type Message, type OpenWant, openStore, type SqliteStore, type Store } from './store/index.js';
import { Sweep } from './sweep.js';
import { Wants } from './wants.js';
import { Webhooks } from './webhooks/index.js';
import type { WorkerSign } from './worker-sign.js';
import { Workers } from './workers.js';

export interface RoomParts {
  readonly home: Home;
  readonly config: () => Config;
  readonly present: Present;
  readonly now?: () => number;
  readonly url?: () => string;
  readonly log?: Log;
  readonly leaseMs?: number;
  /** False once another Bosun may have taken over: nothing is written then. Left out: there is no other. */
  readonly isActive?: () => boolean;
  /** Left out: the embedded queue. */
  readonly queue?: OpenQueue;
}

export interface Room {
  readonly store: Store & Pick<SqliteStore, 'deliveries'>;
  submit(work: Work): Promise<Submitted>;
  /** Settles what an earlier process left open. To be called once, before work starts. */
  recover(): Promise<void>;
  startWorker(concurrency: number): void;
  readonly isWorking: boolean;
  /** All that take jobs of this Bosun, as far as it knows of them. */
  workers(): readonly WorkerSign[];
  /** How many are on offer in Redis, and what is wrong with it; null: nothing. */
  queueState(): QueueState;
  /** What waits, what is on offer, what is at work: of each at most `limit`. */
  queueView(limit: number): QueueView;
  /** True once nothing is under way, false when the time is up. */
  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  onMessages(listen: (messages: readonly Message[]) => void): () => void;
  /** Each commit, for those who count or trace what happens; what they throw is logged. */
  onCommits(listen: CommitListener): () => void;
  /** What only a channel can do, once it is on disk that somebody wants it; what waits already comes at once. */
  onWants(listen: (want: OpenWant) => void): () => void;
  /** What live attempts did last, by attempt; memory only. */
  lastSign(attempt: string): Sign | null;
  /** What an agent that a person started by hand has to show for the step that is ready. */
  readHandReport(state: State, node: string, given: HandGiven): Promise<HandReport>;
  /** Gives the next step that is due to an agent that nobody here starts. */
  claimOutside(wanted: Wanted): Promise<void>;
  /** Takes that agent's report. */
  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void>;
  /** An agent at work asks a person: the answer, or that there is none yet; the same key asks the same again. */
  askPerson(asking: Asking): Promise<Heard>;
  /** An agent at work tells what it is doing. */
  noteProgress(token: string, text: string): void;
  /** Words from outside, without what this home keeps secret. */
  redact(text: string): string;
  close(): Promise<void>;
}

export function openRoom(parts: RoomParts): Room {
  return new DispatchRoom(parts);
}

class DispatchRoom implements Room {
  readonly store: ReturnType<typeof openStore>;
  readonly #parts: RoomParts;
  readonly #queue: RoomQueue;
  readonly #outage: Outage;
  readonly #cache: RunCache;
  readonly #dispatcher: Dispatcher;
  readonly #rest: RestWatch;
  readonly #messages: NewMessages;
  readonly #commits: Listeners<Committed>;
  readonly #wants: Wants;
  readonly #attempts: AttemptEvents;
  readonly #asks: Asks;
  readonly #checkouts: Checkouts;
  readonly #outside: OutsideAgents;
  readonly #sweep: Sweep;
  readonly #reminders: Reminders;
  readonly #redaction: Redaction;
  readonly #webhooks: Webhooks;
  readonly #workers: Workers;
  readonly #afterCommit: AfterCommit;

  constructor(parts: RoomParts) {
    this.#parts = parts;
    this.#redaction = homeRedaction(parts.config, parts.home, process.env);
    const { homeId, dbPath } = parts.home;
    const url = () => parts.url?.() ?? '';
    this.store = openStore(dbPath, { homeId, ...(parts.isActive && { isActive: parts.isActive }) });
    this.#cache = new RunCache(this.store);
    // What is committed stays so, whoever could not show it.
    this.#messages = new NewMessages((error) => this.#log(`messages: ${String(error)}`));
    this.#commits = new Listeners((error) => this.#log(`commits: ${String(error)}`, { level: 'error' }));
    this.#wants = new Wants(this.store, (error) => this.#log(`wants: ${String(error)}`, { level: 'error' }));
    const leaseMs = parts.leaseMs ?? 15_000;
    this.#outage = new Outage({
      submit: (work) => this.submit(work),
      present: parts.present,
      log: (message, level) => this.#log(message, { level }),
      told: this.store.outage.told(),
    });
    this.#queue = (parts.queue ?? embeddedQueue)({
      jobs: this.store.jobs,
      leaseMs,
      limits: limitsOf(parts.config),
      needsOf: needsBy(parts.config),
      onProblem: (problem: string | null) => this.#outage.note(problem),
      onError: (error) => this.#log(`queue: ${String(error)}`),
    });
    this.#webhooks = new Webhooks({
      ...{ calls: this.store.calls, home: parts.home, config: parts.config },
      now: () => this.#now(),
      log: (message) => this.#log(message),
    });
    this.#dispatcher = new Dispatcher({
      callsOf: (changes, at) => this.#webhooks.callsOf(changes, at),
      store: this.store,
      cache: this.#cache,
      present: parts.present,
      now: () => this.#now(),
      purseOf: (name, at) => purseOf(this.store, name, parts.config(), at),
      lastSign: (attempt) => this.#attempts.lastSign(attempt),
      boundTo: (project) => boundThreads(parts.config(), project),
      circleOf: (project, at) => circleOf(parts.config(), project, at, this.store),
      jobOf: (state, node, attempt) => attemptJob(state, node, attempt, jobPartsOf(parts.config(), parts.home, url())),
      act: (flush, messages) => this.#afterCommit.act(flush, messages),
      onCommit: (committed) => this.#commits.tell(committed),
      onBug: (error, event) => this.#logBug(error, event),
    });
    this.#rest = new RestWatch({ isBusy: (project) => this.#isBusy(project) });
    const { store } = this;
    const shared = { store, submit: (work: Work) => this.submit(work), onRest: () => this.#rest.look() };
    this.#attempts = new AttemptEvents({
      ...shared,
      queue: this.#queue,
      present: parts.present,
      now: () => this.#now(),
      stallAfterMs: (name) => stallAfterMs(parts.config(), name),
      onError: (error, attempt) => this.#log(String(error), { level: 'error', ...(attempt && { attempt }) }),
    });
    this.#checkouts = new Checkouts({
      ...shared,
      cache: this.#cache,
      config: parts.config,
      worktrees: homeFolder(parts.home, 'worktrees'),
      log: (message) => this.#log(message),
    });
    this.#asks = new Asks({
      ...{ store, queue: this.#queue, secret: parts.home.secret, submit: shared.submit },
      redactOf: (token) => this.#redaction.of({ token }),
      now: () => this.#now(),
      onError: (error) => this.#log(`asks: ${String(error)}`),
    });
    this.#outside = new OutsideAgents({
      ...{ store, queue: this.#queue, submit: shared.submit, home: parts.home, config: parts.config, url },
      redaction: this.#redaction,
      now: () => this.#now(),
    });
    this.#workers = new Workers({
      ...{ store, home: parts.home, config: parts.config, queue: this.#queue, events: this.#attempts },
      redaction: this.#redaction,
      url,
      now: () => this.#now(),
      log: (message, fields) => this.#log(message, fields),
      onError: (error) => this.#log(`attempts: ${String(error)}`, { level: 'error' }),
    });
    if (parts.queue === undefined) this.#queue.listen(this.#attempts);
    this.#reminders = new Reminders({
      ...{ store, submit: shared.submit, now: () => this.#now() },
      quietHours: (name) => parts.config().projects.find((project) => project.name === name)?.quietHours ?? null,
      onError: (error) => this.#log(`reminders: ${String(error)}`),
    });
    this.#afterCommit = new AfterCommit({
      ...{ ...shared, queue: this.#queue, outage: this.#outage, attempts: this.#attempts, asks: this.#asks },
      ...{ reminders: this.#reminders, checkouts: this.#checkouts, wants: this.#wants, webhooks: this.#webhooks },
      announce: (messages) => this.#messages.tell(messages),
      onError: (error) => this.#log(String(error), { level: 'error' }),
    });
    this.#sweep = new Sweep({
      ...{ store, queue: this.#queue, submit: shared.submit },
      remind: () => this.#reminders.look(),
      wakeAfterLimit: () => wakeAfterLimit(shared),
      takeBackOverdue: () => this.#outside.takeBackOverdue(),
      onError: (error) => this.#log(`sweep: ${String(error)}`),
    });
  }

  submit(work: Work): Promise<Submitted> {
    const submitted = this.#dispatcher.submit(work);
    // A plan that failed changes nothing, and yet it is no longer under way.
    submitted.catch(() => this.#rest.look());
    return submitted;
  }

  get isWorking(): boolean {
    return this.#workers.isWorking;
  }

  readonly workers = (): readonly WorkerSign[] => this.#workers.signs();

  queueState(): QueueState {
    return { offered: this.#queue.onOffer?.().size ?? 0, problem: this.#queue.problem ?? null };
  }

  queueView(limit: number): QueueView {
    return viewQueue({ store: this.store, queue: this.#queue, needsOf: needsBy(this.#parts.config) }, limit);
  }

  async recover(): Promise<void> {
    await recover({
      store: this.store,
      queue: this.#queue,
      now: () => this.#now(),
      submit: (work) => this.submit(work),
      endProcesses: (attempts) => this.#workers.endProcesses(attempts),
      goesOn: ({ attempt, run, chain }) => this.#attempts.goOn(attempt.id, run, chain),
      performOp: (run, op) => this.#checkouts.perform(run, op),
      exportAll: () => this.#checkouts.exportAll(),
      onBug: (error) => this.#log(`recovery: ${String(error)}`, { level: 'error' }),
    });
    this.#asks.recover();
    // The database is all that this queue stands on.
    if (this.#parts.queue === undefined) this.#outage.note(null);
    await this.#reminders.recover((run) => this.#cache.spine(run));
    this.#sweep.start();
    this.#webhooks.start();
    if (this.#parts.queue !== undefined) this.#workers.listenAfar();
  }

  startWorker(concurrency: number): void {
    this.#workers.start(concurrency);
  }

  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#rest.whenAtRest(project, timeoutMs, signal);
  }

  onWants(listen: (want: OpenWant) => void): () => void {
    return this.#wants.listen(listen);
  }

  onCommits(listen: CommitListener): () => void {
    return this.#commits.add(listen);
  }

  onMessages(listen: (messages: readonly Message[]) => void): () => void {
    return this.#messages.listen(listen);
  }

  lastSign(attempt: string) {
    return this.#attempts.lastSign(attempt);
  }

  readHandReport(state: State, node: string, given: HandGiven): Promise<HandReport> {
    return this.#outside.readHandReport(state, node, given);
  }

  claimOutside(wanted: Wanted): Promise<void> {
    return this.#outside.claim(wanted);
  }

  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void> {
    return this.#outside.settle(token, said);
  }

  askPerson(asking: Asking): Promise<Heard> {
    return this.#asks.ask(asking);
  }

  noteProgress(token: string, text: string): void {
    const bare = this.#redaction.of({ token })(text);
    this.#attempts.progress(this.#asks.attemptOf(token).attempt.id, { type: 'action', text: bare });
  }

  redact(text: string): string {
    return this.#redaction.redact(text);
  }

  async close(): Promise<void> {
    this.#outage.close();
    this.#asks.close();
    this.#reminders.close();
    this.#sweep.close();
    this.#attempts.close();
    await this.#workers.close();
    this.#rest.close();
    // Nothing may work on a checkout once this process let go of the home.
    await this.#checkouts.drain();
    this.#dispatcher.close();
    await this.#checkouts.drain();
    await this.#queue.close();
    await this.#webhooks.close();
    this.store.close();
  }

  #logBug(error: unknown, event: Event | null): void {
    const about = event && { run: event.run, ...(event.chain !== '' && { item: event.chain }) };
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#log(`bug${event ? ` at ${event.type}` : ''}: ${text}`, { level: 'error', ...about });
  }

  #isBusy(project: string | null): boolean {
    if (!this.#dispatcher.isIdle) return true;
    const isMeant = (run: string) => project === null || this.store.run(run)?.project === project;
    return this.store.openAttempts().some((row) => isMeant(row.run)) || this.#checkouts.isBusy(project);
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now();
  }

  #log(message: string, fields?: LogFields): void {
    this.#parts.log?.(this.#redaction.redact(message), fields);
  }
}
