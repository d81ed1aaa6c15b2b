// The runtime over its composed parts: starts them in order, answers calls, and closes them in order.

import type { State } from '../engine/index.js';
import type { HomeReader, InboxRows, Message, OpenChannelRequest, SqliteStore } from '../store/index.js';
import type { AgentQuestion, AgentQuestionAnswer } from './attempts/agent-questions.js';
import type { ClaimRequest } from './attempts/external-attempts.js';
import type { ManualReport, ManualReportFiles } from './attempts/manual-report.js';
import type { WorkerStatus } from './attempts/worker-status.js';
import { needsBy } from './choose-queue.js';
import { type ComposedRuntime, composeRuntime } from './compose-runtime.js';
import { recover } from './health/recovery.js';
import type { CommitListener } from './plans/commit-listener.js';
import type { MakePlan, Submitted } from './plans/plan.js';
import type { Runtime, RuntimeParts, WriteState } from './runtime.js';
import { type QueueState, type QueueView, viewQueue } from './status/queue-view.js';

export function openRuntime(parts: RuntimeParts): Runtime {
  return new DispatchRuntime(parts);
}

class DispatchRuntime implements Runtime {
  readonly store: SqliteStore;
  readonly broken: Runtime['broken'];
  readonly #given: RuntimeParts;
  readonly #parts: ComposedRuntime;

  constructor(parts: RuntimeParts) {
    this.#given = parts;
    this.#parts = composeRuntime(parts);
    this.store = this.#parts.file.store;
    this.broken = this.#parts.file.broken;
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
    const { problem, waiting } = this.#parts.file.writes;
    return { problem, waiting };
  }

  keep(work: MakePlan): Promise<Submitted> {
    return this.#parts.keep(work);
  }

  patient<T>(act: () => T): Promise<T> {
    return this.#parts.patient(act);
  }

  submit(work: MakePlan): Promise<Submitted> {
    return this.#parts.submit(work);
  }

  get isWorking(): boolean {
    return this.#parts.workers.isWorking;
  }

  readonly workers = (): readonly WorkerStatus[] => this.#parts.workers.statuses();

  queueState(): QueueState {
    const { queue } = this.#parts;
    return { offered: queue.onOffer?.().size ?? 0, problem: queue.problem ?? null };
  }

  queueView(limit: number): QueueView {
    const { queue } = this.#parts;
    return viewQueue({ store: this.store, queue, needsOf: needsBy(this.#given.config) }, limit);
  }

  async recover(): Promise<void> {
    const { file, queue, submit, exportLog, workers, attempts, checkouts, log } = this.#parts;
    const { questions, outage, reminders, cache, staleCheck, webhooks } = this.#parts;
    file.watchFile();
    await recover({
      ...{ store: this.store, queue, now: this.#given.now, submit, exportLog },
      endProcesses: (ids) => workers.endProcesses(ids),
      goesOn: ({ attempt, run, chain }) => attempts.goOn(attempt.id, run, chain),
      performOp: (run, op) => checkouts.perform(run, op),
      exportAll: () => checkouts.exportAll(),
      onBug: (error) => log(`recovery: ${String(error)}`, { level: 'error' }),
    });
    questions.recover();
    // The embedded queue needs only the database, so an outage that an earlier process reported is over.
    if (this.#given.queue === null) outage.note(null);
    await reminders.recover((run) => cache.spine(run));
    staleCheck.start();
    webhooks.start();
    if (this.#given.queue !== null) workers.listenAfar();
  }

  startWorker(concurrency: number): void {
    this.#parts.workers.start(concurrency);
  }

  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#parts.idleWatch.whenAtRest(project, timeoutMs, signal);
  }

  onWants(listen: (want: OpenChannelRequest) => void): () => void {
    return this.#parts.channelRequests.listen(listen);
  }

  onCommits(listen: CommitListener): () => void {
    return this.#parts.commits.add(listen);
  }

  onMessages(listen: (messages: readonly Message[]) => void): () => void {
    return this.#parts.messages.listen(listen);
  }

  lastSign(attempt: string) {
    return this.#parts.attempts.lastSign(attempt);
  }

  waitsFor(attempt: string) {
    return this.#parts.diagnostics.of(attempt);
  }

  readHandReport(state: State, node: string, given: ManualReportFiles): Promise<ManualReport> {
    return this.#parts.externalAgents.readHandReport(state, node, given);
  }

  claimOutside(wanted: ClaimRequest): Promise<void> {
    return this.#parts.externalAgents.claim(wanted);
  }

  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void> {
    return this.#parts.externalAgents.settle(token, said);
  }

  askPerson(asking: AgentQuestion): Promise<AgentQuestionAnswer> {
    return this.#parts.questions.ask(asking);
  }

  noteProgress(token: string, text: string): void {
    const { redaction, attempts, questions } = this.#parts;
    const bare = redaction.of({ token })(text);
    attempts.progress(questions.attemptOf(token).attempt.id, { type: 'action', text: bare });
  }

  redact(text: string): string {
    return this.#parts.redaction.redact(text);
  }

  async close(): Promise<void> {
    const parts = this.#parts;
    parts.file.close();
    parts.outage.close();
    parts.diagnostics.close();
    parts.questions.close();
    parts.reminders.close();
    parts.staleCheck.close();
    parts.attempts.close();
    await parts.workers.close();
    parts.idleWatch.close();
    // Drain before closing the store: nothing may work on a checkout after this process releases the home.
    await parts.checkouts.drain();
    parts.dispatcher.close();
    await parts.checkouts.drain();
    await parts.queue.close();
    await parts.webhooks.close();
    this.store.close();
  }
}
