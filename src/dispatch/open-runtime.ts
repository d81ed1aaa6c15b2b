// Composes the runtime: store, queue, workers and checkouts around one dispatcher, to which their results return as
// events.

import type { LogFields } from '../base/index.js';
import { DamagedError, Listeners, systemClock, writeFailureOf } from '../base/index.js';
import { homeFolder, homeRedaction, type Redaction } from '../config/index.js';
import type { Event, State } from '../engine/index.js';
import type { RuntimeQueue } from '../queue/index.js';
import { embeddedQueue } from '../queue/index.js';
import { type HomeReader, type InboxRows, type Message, type OpenChannelRequest, openStore } from '../store/index.js';
import { exportLogs } from '../worker/index.js';
import { type AgentQuestion, type AgentQuestionAnswer, AgentQuestions } from './attempts/agent-questions.js';
import { AttemptEvents, stallAfterMs } from './attempts/attempt-events.js';
import { noteLogsSince } from './attempts/attempt-logs.js';
import { ExternalAgents } from './attempts/external-agents.js';
import type { ClaimRequest } from './attempts/external-attempts.js';
import { attemptJob, jobPartsOf } from './attempts/job-builder.js';
import { Workers } from './attempts/local-workers.js';
import type { ManualReport, ManualReportFiles } from './attempts/manual-report.js';
import type { WorkerStatus } from './attempts/worker-status.js';
import { Checkouts } from './checkouts/checkout-queue.js';
import { limitsOf, needsBy } from './choose-queue.js';
import { Dispatcher } from './commit/dispatcher.js';
import { NewMessages } from './commit/new-messages.js';
import { RunCache } from './commit/run-cache.js';
import { type Recovered, WriteRetry } from './commit/write-retry.js';
import { heal } from './health/heal.js';
import { IdleWatch } from './health/idle-watch.js';
import { Outage, threadsAtWork } from './health/outage.js';
import { QueueDiagnostics } from './health/queue-diagnostics.js';
import { recover } from './health/recovery.js';
import { StaleAttemptCheck } from './health/stale-attempt-check.js';
import { ChannelRequests } from './people/channel-requests.js';
import { projectAudience } from './people/project-audience.js';
import { Reminders } from './people/reminders.js';
import { followersOf } from './people/subscribers.js';
import type { CommitListener, Committed } from './plans/commit-listener.js';
import type { MakePlan, Submitted } from './plans/plan.js';
import { EffectRunner } from './run-effects.js';
import type { Runtime, RuntimeParts, WriteState } from './runtime.js';
import { wakeAfterLimit } from './spending/day-rollover.js';
import { configuredLimits } from './spending/spending-limits.js';
import { type QueueState, type QueueView, viewQueue } from './status/queue-view.js';
import { usualCallTiming, Webhooks } from './webhooks/index.js';

const checkFileEveryMs = 2_000;
/** Shorter outages of Redis, and shorter waits for a worker, are not reported. */
const tellOutageAfterMs = 2_000;
const tellUntakenAfterMs = 60_000;

export function openRuntime(parts: RuntimeParts): Runtime {
  return new DispatchRuntime(parts);
}

class DispatchRuntime implements Runtime {
  readonly store: ReturnType<typeof openStore>;
  readonly #parts: RuntimeParts;
  readonly #queue: RuntimeQueue;
  readonly #outage: Outage;
  readonly #cache: RunCache;
  readonly #dispatcher: Dispatcher;
  readonly #rest: IdleWatch;
  readonly #messages: NewMessages;
  readonly #commits: Listeners<Committed>;
  readonly #wants: ChannelRequests;
  readonly #attempts: AttemptEvents;
  readonly #asks: AgentQuestions;
  readonly #checkouts: Checkouts;
  readonly #outside: ExternalAgents;
  readonly #sweep: StaleAttemptCheck;
  readonly #reminders: Reminders;
  readonly #redaction: Redaction;
  readonly #webhooks: Webhooks;
  readonly #workers: Workers;
  readonly #waits: QueueDiagnostics;
  readonly #afterCommit: EffectRunner;
  readonly #writes: WriteRetry;
  #breakDown: (error: DamagedError) => void = () => undefined;
  readonly broken = new Promise<DamagedError>((resolve) => {
    this.#breakDown = resolve;
  });
  #fileTimer: NodeJS.Timeout | undefined;

  constructor(parts: RuntimeParts) {
    const { home, config, present, leaseMs, now, url, isActive } = parts;
    this.#parts = parts;
    this.#redaction = homeRedaction(config, home, process.env);
    this.#writes = new WriteRetry({
      probe: () => this.store.probe(),
      log: (message, level) => this.#log(message, { level }),
      onRecovered: (over) => void this.#tellRecovered(over),
      clock: systemClock,
    });
    this.store = openStore(home.dbPath, {
      homeId: home.homeId,
      threads: home.channels,
      isActive,
      onFailure: (error) => this.#noteFailure(error),
      onWritten: () => this.#writes.written(),
    });
    noteLogsSince(home, now());
    this.#cache = new RunCache(this.store);
    // A listener's failure is only logged: the commit stands.
    this.#messages = new NewMessages((error) => this.#log(`messages: ${String(error)}`));
    this.#commits = new Listeners((error) => this.#log(`commits: ${String(error)}`, { level: 'error' }));
    this.#wants = new ChannelRequests(this.store, (error) => this.#log(`wants: ${String(error)}`, { level: 'error' }));
    const shared = {
      ...{ home, config, present, store: this.store, redaction: this.#redaction },
      ...{ now, url },
      submit: (work: MakePlan) => this.submit(work),
      keep: (work: MakePlan) => this.keep(work),
      kept: <T>(act: () => Promise<T>) => this.#writes.kept(act),
      patient: <T>(act: () => T) => this.patient(act),
      onRest: () => this.#rest.look(),
      log: (message: string, fields?: LogFields) => this.#log(message, fields),
    };
    this.#outage = new Outage({
      ...{ ...shared, told: this.store.outage.told(), tellAfterMs: tellOutageAfterMs },
      log: (message, level) => this.#log(message, { level }),
    });
    this.#queue = this.#openQueue();
    const queue = this.#queue;
    this.#webhooks = new Webhooks({ ...shared, ...usualCallTiming, calls: this.store.calls });
    this.#dispatcher = this.#openDispatcher();
    this.#rest = new IdleWatch({ isBusy: (project) => this.#isBusy(project) });
    this.#attempts = new AttemptEvents({
      ...{ ...shared, queue, leaseMs },
      exportLog: (attempt) => this.#exportLog(attempt),
      stallAfterMs: (name) => stallAfterMs(config(), name),
      onError: (error, attempt) => this.#log(String(error), { level: 'error', ...(attempt && { attempt }) }),
    });
    this.#checkouts = new Checkouts({
      ...shared,
      cache: this.#cache,
      worktrees: homeFolder(home, 'worktrees'),
    });
    this.#asks = new AgentQuestions({
      ...{ ...shared, queue, secret: home.secret },
      redactOf: (token) => this.#redaction.of({ token }),
      onError: (error) => this.#log(`asks: ${String(error)}`),
    });
    this.#outside = new ExternalAgents({ ...shared, queue });
    this.#workers = new Workers({
      ...{ ...shared, queue, events: this.#attempts },
      onError: (error) => this.#log(`attempts: ${String(error)}`, { level: 'error' }),
    });
    if (parts.queue === null) queue.listen(this.#attempts);
    this.#waits = new QueueDiagnostics({
      ...{ ...shared, queue, workers: this.workers, leaseMs, needsOf: () => needsBy(config) },
      tellAfterMs: tellUntakenAfterMs,
      onError: (error) => this.#log(`waits: ${String(error)}`),
    });
    this.#reminders = new Reminders({
      ...shared,
      quietHours: (name) => config().projects.find((project) => project.name === name)?.quietHours ?? null,
      onError: (error) => this.#log(`reminders: ${String(error)}`),
    });
    this.#afterCommit = new EffectRunner({
      ...{ ...shared, queue, outage: this.#outage, attempts: this.#attempts, asks: this.#asks, wants: this.#wants },
      ...{ reminders: this.#reminders, checkouts: this.#checkouts, webhooks: this.#webhooks, waits: this.#waits },
      announce: (messages) => this.#messages.tell(messages),
      onError: (error) => this.#log(String(error), { level: 'error' }),
    });
    this.#sweep = new StaleAttemptCheck({
      ...{ ...shared, queue },
      remind: () => this.#reminders.look(),
      lookAtWaits: () => this.#waits.look(),
      heal: () => this.#heal(),
      wakeAfterLimit: () => wakeAfterLimit(shared),
      takeBackOverdue: () => this.#outside.takeBackOverdue(),
      onError: (error) => this.#log(`sweep: ${String(error)}`),
    });
  }

  get reader(): HomeReader {
    return this.store;
  }

  get inbox(): InboxRows {
    return this.store;
  }

  get deliveries() {
    return this.store.deliveries;
  }

  readonly isActive = () => this.store.isActive();
  readonly checkFile = () => this.store.checkFile();

  get writeState(): WriteState {
    return { problem: this.#writes.problem, waiting: this.#writes.waiting };
  }

  keep(work: MakePlan): Promise<Submitted> {
    return this.#writes.kept(() => this.#dispatcher.submit(work));
  }

  patient<T>(act: () => T): Promise<T> {
    return this.#writes.patient(act);
  }

  submit(work: MakePlan): Promise<Submitted> {
    const submitted = this.#writes.patient(() => this.#dispatcher.submit(work));
    // A failed plan changes nothing, but it is no longer in flight, so idle waiters must check again.
    submitted.catch(() => this.#rest.look());
    return submitted;
  }

  get isWorking(): boolean {
    return this.#workers.isWorking;
  }

  readonly workers = (): readonly WorkerStatus[] => this.#workers.statuses();

  queueState(): QueueState {
    return { offered: this.#queue.onOffer?.().size ?? 0, problem: this.#queue.problem ?? null };
  }

  queueView(limit: number): QueueView {
    return viewQueue({ store: this.store, queue: this.#queue, needsOf: needsBy(this.#parts.config) }, limit);
  }

  async recover(): Promise<void> {
    this.#fileTimer ??= setInterval(() => this.#checkFile(), checkFileEveryMs).unref();
    await recover({
      store: this.store,
      queue: this.#queue,
      now: this.#parts.now,
      submit: (work) => this.submit(work),
      exportLog: (attempt) => this.#exportLog(attempt),
      endProcesses: (attempts) => this.#workers.endProcesses(attempts),
      goesOn: ({ attempt, run, chain }) => this.#attempts.goOn(attempt.id, run, chain),
      performOp: (run, op) => this.#checkouts.perform(run, op),
      exportAll: () => this.#checkouts.exportAll(),
      onBug: (error) => this.#log(`recovery: ${String(error)}`, { level: 'error' }),
    });
    this.#asks.recover();
    // The embedded queue needs only the database, so an outage that an earlier process reported is over.
    if (this.#parts.queue === null) this.#outage.note(null);
    await this.#reminders.recover((run) => this.#cache.spine(run));
    this.#sweep.start();
    this.#webhooks.start();
    if (this.#parts.queue !== null) this.#workers.listenAfar();
  }

  startWorker(concurrency: number): void {
    this.#workers.start(concurrency);
  }

  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#rest.whenAtRest(project, timeoutMs, signal);
  }

  onWants(listen: (want: OpenChannelRequest) => void): () => void {
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

  waitsFor(attempt: string) {
    return this.#waits.of(attempt);
  }

  readHandReport(state: State, node: string, given: ManualReportFiles): Promise<ManualReport> {
    return this.#outside.readHandReport(state, node, given);
  }

  claimOutside(wanted: ClaimRequest): Promise<void> {
    return this.#outside.claim(wanted);
  }

  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void> {
    return this.#outside.settle(token, said);
  }

  askPerson(asking: AgentQuestion): Promise<AgentQuestionAnswer> {
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
    clearInterval(this.#fileTimer);
    this.#writes.close();
    this.#outage.close();
    this.#waits.close();
    this.#asks.close();
    this.#reminders.close();
    this.#sweep.close();
    this.#attempts.close();
    await this.#workers.close();
    this.#rest.close();
    // Drain before closing the store: nothing may work on a checkout after this process releases the home.
    await this.#checkouts.drain();
    this.#dispatcher.close();
    await this.#checkouts.drain();
    await this.#queue.close();
    await this.#webhooks.close();
    this.store.close();
  }

  #openQueue(): RuntimeQueue {
    const { config, leaseMs, queue } = this.#parts;
    return (queue ?? embeddedQueue)({
      jobs: this.store.jobs,
      leaseMs,
      limits: limitsOf(config),
      needsOf: needsBy(config),
      onProblem: (problem: string | null) => this.#outage.note(problem),
      // WriteRetry reports failed writes once, so repeats are logged at debug level.
      onError: (error) =>
        this.#log(`queue: ${String(error)}`, { level: writeFailureOf(error) === null ? 'warn' : 'debug' }),
    });
  }

  #openDispatcher(): Dispatcher {
    const { home, config, present, now, url } = this.#parts;
    const { store } = this;
    return new Dispatcher({
      ...{ store, cache: this.#cache, present, now },
      redact: (text) => this.redact(text),
      callsOf: (changes, at) => this.#webhooks.callsOf(changes, at),
      limitsOf: (name) => configuredLimits(config(), name),
      lastSign: (attempt) => this.#attempts.lastSign(attempt),
      waitsFor: (attempt) => this.waitsFor(attempt),
      followersOf: (run, following) => followersOf(config(), run, following),
      circleOf: (project, at) => projectAudience(config(), project, at, this),
      jobOf: (state, node, attempt) => attemptJob(state, node, attempt, jobPartsOf(config(), home, url())),
      act: (flush, messages) => this.#afterCommit.act(flush, messages),
      onCommit: (committed) => this.#commits.tell(committed),
      onBug: (error, event) => this.#logBug(error, event),
    });
  }

  async #exportLog(attempt: string): Promise<string | null> {
    const spec = this.store.jobs.payload(attempt);
    return spec === null ? null : exportLogs(this.#parts.home, spec);
  }

  #heal(): Promise<void> {
    return heal({
      store: this.store,
      submit: (work) => this.submit(work),
      performOp: (run, op) => this.#checkouts.perform(run, op),
    });
  }

  /** If the database file is deleted, replaced or damaged, the process must end. */
  #noteFailure(error: unknown): void {
    if (error instanceof DamagedError) this.#breakDown(error);
    else this.#writes.failed(error);
  }

  #checkFile(): void {
    try {
      this.store.checkFile();
    } catch (error) {
      this.#log(String(error), { level: 'error' });
    }
  }

  /** Reports the outage afterwards: while the database refused writes, no message could be stored. */
  async #tellRecovered({ problem, forMs }: Recovered): Promise<void> {
    const { present } = this.#parts;
    try {
      await this.submit((now) => ({
        events: [],
        messages: present.unwritten(problem, forMs, threadsAtWork(now), now.at),
      }));
    } catch (error) {
      this.#log(`writes: ${String(error)}`, { level: 'error' });
    }
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

  #log(message: string, fields?: LogFields): void {
    this.#parts.log(this.#redaction.redact(message), fields);
  }
}
