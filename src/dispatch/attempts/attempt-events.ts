// Turns reports of the queue and workers into events.

import { type Config, executorsOf, projectNamed } from '../../config/index.js';
import { type Envelope, type Event, type ExecutorsTold, emptyEnvelope } from '../../engine/index.js';
import type { AttemptSpec, Progress } from '../../jobs/index.js';
import type { JobQueue, QueueEvents, RuntimeQueue } from '../../queue/index.js';
import type { Store } from '../../store/index.js';
import type { Activity } from '../plans/activity.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';
import type { Presenter } from '../plans/presenter.js';
import { stepWords } from '../plans/step-words.js';
import { abortCompleted } from './abort-completion.js';
import { ActivityMonitor } from './activity-monitor.js';
import { lossWords, withWorker } from './worker-status.js';

export interface AttemptEventParts {
  readonly store: Store;
  readonly queue: JobQueue & Pick<RuntimeQueue, 'listWorkers'>;
  readonly leaseMs: number;
  readonly present: Presenter;
  readonly now: () => number;
  readonly stallAfterMs: (project: string) => number;
  /** The attempt's executor and its project's others. */
  readonly executorsOf: (attempt: string) => ExecutorsTold | null;
  /** Returns the error of a failed copy. */
  readonly exportLog: (attempt: string) => Promise<string | null>;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly keep: (work: MakePlan) => Promise<Submitted>;
  readonly onRest: () => void;
  readonly onError: (error: unknown, attempt?: string) => void;
}

export const interrupted: Envelope = { ...emptyEnvelope, killed: 'interrupted', isUnpriced: true };
const cancelled: Envelope = { ...emptyEnvelope, killed: 'cancel' };

export class AttemptEvents implements QueueEvents {
  readonly #parts: AttemptEventParts;
  readonly #heartbeat: ActivityMonitor;

  constructor(parts: AttemptEventParts) {
    this.#parts = parts;
    this.#heartbeat = new ActivityMonitor(parts);
  }

  async started(id: string, worker: string): Promise<boolean> {
    const row = this.#parts.store.attempt(id);
    if (!row) return false;
    const { run, chain } = row;
    const submitted = await this.#parts.submit((now) => ({
      ...emptyPlan,
      events: [{ type: 'attempt_started', run, chain, at: now.at, attempt: id, worker }],
    }));
    const began = submitted.ignored[0] === null;
    // Race: cancelled while being claimed. The handler will never run, so settle here.
    const isOpen = this.#parts.store.attempt(id)?.attempt.state !== 'settled';
    if (began) this.#heartbeat.begin(id, run, chain);
    if (!began && isOpen) await this.#settle(id, cancelled);
    return began;
  }

  progress(id: string, progress: Progress): void {
    this.#heartbeat.hear(id, progress);
    if (progress.type === 'expiring')
      this.#offerMoreTime(id, progress.inMs).catch((error: unknown) => this.#parts.onError(error, id));
  }

  finished(id: string, envelope: Envelope): Promise<void> {
    return this.#settle(id, envelope);
  }

  /** Ignored while the attempt is open: its present worker reports the end. */
  async late(id: string, envelope: Envelope): Promise<void> {
    const row = this.#parts.store.attempt(id);
    if (!row) return;
    await this.#parts.keep((now) => {
      const isOpen = now.chain(row.run, row.chain)?.nodes.some(({ live }) => live?.id === id) ?? true;
      return { ...emptyPlan, events: isOpen ? [] : [settled(row, id, { envelope, executors: null }, now.at)] };
    });
  }

  lost(id: string, worker: string): Promise<void> {
    return this.#settle(id, this.#lostOf(worker), true);
  }

  /** A job that has not begun reports no end, so settle it here. */
  async cancel(id: string): Promise<void> {
    if ((await this.#parts.queue.cancel(id)) !== 'signalled') await this.#settle(id, cancelled);
  }

  /** A worker still runs this attempt of an earlier Bosun. */
  goOn(id: string, run: string, chain: string): void {
    this.#heartbeat.begin(id, run, chain);
  }

  lastSign(id: string): Activity | null {
    return this.#heartbeat.last(id);
  }

  wait(id: string): void {
    this.#heartbeat.wait(id);
  }

  look(): Promise<void> {
    return this.#heartbeat.look();
  }

  close(): void {
    this.#heartbeat.close();
  }

  #lostOf(worker: string): Envelope {
    const { queue, leaseMs, now } = this.#parts;
    if (queue.listWorkers === undefined) return interrupted;
    const message = lossWords(worker, queue.listWorkers(), { at: now(), leaseMs });
    return { ...interrupted, fault: { code: 'interrupted', message } };
  }

  async #settle(id: string, envelope: Envelope, isLost = false): Promise<void> {
    const { keep, present, queue } = this.#parts;
    const lastWords = this.#heartbeat.end(id);
    const told = await this.#withLogExported(id, envelope);
    const executors = this.#parts.executorsOf(id);
    await keep((now) => {
      const row = now.reader.attempt(id);
      if (!row) return emptyPlan;
      const workers = told.fault === null ? [] : (queue.listWorkers?.() ?? []);
      return {
        ...emptyPlan,
        events: [settled(row, id, { envelope: withWorker(told, row.attempt.worker, workers), executors }, now.at)],
        messages: [...lastWords(now), ...abortCompleted(now, row, isLost, present)],
      };
    });
    // The queue releases the job after this returns, so idle waiters check afterwards.
    setImmediate(this.#parts.onRest);
  }

  /** Before the commit, so that the next step finds the copy. */
  async #withLogExported(id: string, envelope: Envelope): Promise<Envelope> {
    const problem = await this.#parts.exportLog(id);
    return problem === null ? envelope : { ...envelope, warnings: [...envelope.warnings, problem] };
  }

  async #offerMoreTime(id: string, inMs: number): Promise<void> {
    const { store, present, submit } = this.#parts;
    const row = store.attempt(id);
    if (!row) return;
    await submit((now) => ({
      ...emptyPlan,
      messages: present.expiring({
        row,
        about: stepWords(now, { run: row.run, chain: row.chain, attempt: id }),
        inMs,
        followers: now.followers(row.run),
        at: now.at,
      }),
    }));
  }
}

export function executorsTold(config: Config, spec: AttemptSpec | null): ExecutorsTold | null {
  const project = spec === null ? null : projectNamed(config, spec.project);
  if (project === null || project.fallbacks.length === 0 || spec?.executorName === undefined) return null;
  const { fallbackAfterMs } = project;
  return { used: spec.executorName, order: executorsOf(project), fallbackAfterMs };
}

export function stallAfterMs(config: Config, project: string): number {
  return projectNamed(config, project)?.stallAfterMs ?? usualStallMs;
}

const usualStallMs = 600_000;

function settled(
  row: { readonly run: string; readonly chain: string },
  attempt: string,
  { envelope, executors }: { readonly envelope: Envelope; readonly executors: ExecutorsTold | null },
  at: number,
): Event {
  const told = executors === null ? {} : { executors };
  return { type: 'attempt_settled', run: row.run, chain: row.chain, at, attempt, envelope, ...told };
}
