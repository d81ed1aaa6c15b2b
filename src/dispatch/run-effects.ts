import type { JobQueue } from '../queue/index.js';
import type { Message } from '../store/index.js';
import type { AgentQuestions } from './attempts/agent-questions.js';
import type { AttemptEvents } from './attempts/attempt-events.js';
import type { Checkouts } from './checkouts/checkout-queue.js';
import type { Transaction } from './commit/transaction.js';
import type { OpenedSessions } from './health/opened-sessions.js';
import type { Outage } from './health/outage.js';
import type { QueueDiagnostics } from './health/queue-diagnostics.js';
import type { AgentWords } from './people/agent-words.js';
import type { ChannelRequests } from './people/channel-requests.js';
import type { Reminders } from './people/reminders.js';
import type { MakePlan, Plan, PlanContext, Submitted } from './plans/plan.js';
import type { Webhooks } from './webhooks/index.js';

export interface EffectRunnerParts {
  readonly queue: Pick<JobQueue, 'add' | 'extend'>;
  readonly outage: Pick<Outage, 'more'>;
  readonly waits: Pick<QueueDiagnostics, 'more'>;
  readonly attempts: Pick<AttemptEvents, 'cancel' | 'wait'>;
  readonly asks: Pick<AgentQuestions, 'tell' | 'look'>;
  readonly words: Pick<AgentWords, 'look'>;
  readonly openedSessions: Pick<OpenedSessions, 'look'>;
  readonly reminders: Pick<Reminders, 'note'>;
  readonly checkouts: Pick<Checkouts, 'perform' | 'export'>;
  readonly wants: Pick<ChannelRequests, 'done' | 'handOut'>;
  readonly webhooks: Pick<Webhooks, 'wake'>;
  readonly startNext: (now: PlanContext, ended: ReadonlySet<string>) => Plan;
  readonly announce: (messages: readonly Message[]) => void;
  /** Both retry until success. */
  readonly keep: (work: MakePlan) => Promise<Submitted>;
  readonly kept: <T>(act: () => Promise<T>) => Promise<T>;
  readonly onRest: () => void;
  readonly onError: (error: unknown) => void;
}

export class EffectRunner {
  readonly #parts: EffectRunnerParts;

  constructor(parts: EffectRunnerParts) {
    this.#parts = parts;
  }

  /** Order matters: queue, cancels, checkouts, listeners, exports. */
  act(flush: Transaction, messages: readonly Message[]): void {
    const {
      queue,
      outage,
      waits,
      attempts,
      asks,
      words,
      openedSessions,
      reminders,
      checkouts,
      wants,
      webhooks,
      startNext,
      announce,
      onRest,
      keep,
      kept,
    } = this.#parts;
    const { after } = flush;
    const { touched } = after;
    const runs = new Set(touched.keys());
    if (after.jobs.length > 0) {
      this.#watch(kept(() => queue.add(after.jobs)));
      this.#try(() => outage.more());
      this.#try(() => waits.more());
    }
    for (const attempt of after.cancels) this.#watch(kept(() => attempts.cancel(attempt)));
    for (const { attempt, byMs } of after.extensions) this.#watch(queue.extend(attempt, byMs));
    for (const attempt of after.waits) this.#try(() => attempts.wait(attempt));
    this.#try(() => wants.done(after.wantsDone));
    if (after.wants.length > 0) this.#try(() => wants.handOut());
    for (const answer of after.answers) this.#try(() => asks.tell(answer));
    this.#try(() => asks.look(runs));
    this.#try(() => words.look(runs));
    this.#try(() => openedSessions.look(runs));
    this.#try(() => reminders.note(after.recalls));
    for (const { run, op } of after.ops) this.#try(() => checkouts.perform(run, op));
    this.#try(() => announce(messages));
    this.#try(() => webhooks.wake());
    for (const [run, chains] of touched) this.#try(() => checkouts.export(run, [...chains]));
    if (after.ended.size > 0) this.#watch(keep((now) => startNext(now, after.ended)));
    onRest();
  }

  /** An effect may fail without stopping the others; the periodic check retries it. */
  #try(act: () => unknown): void {
    try {
      act();
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  #watch(promise: Promise<unknown>): void {
    promise.catch(this.#parts.onError);
  }
}
