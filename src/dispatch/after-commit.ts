// What a decision wants is done here, once it is on disk: by the queue, the workers, the checkouts, and whoever listens.
import type { Asks } from './asks.js';
import type { AttemptEvents } from './attempt-events.js';
import type { Checkouts } from './checkouts.js';
import type { Flush } from './flush.js';
import type { Outage } from './outage.js';
import type { Submitted, Work } from './plan.js';
import type { JobQueue } from './queue/index.js';
import type { Reminders } from './reminders.js';
import type { Message, Store } from './store/index.js';
import type { Waits } from './waits.js';
import type { Wants } from './wants.js';
import type { Webhooks } from './webhooks/index.js';

export interface AfterCommitParts {
  readonly store: Pick<Store, 'run'>;
  readonly queue: Pick<JobQueue, 'add' | 'extend'>;
  readonly outage: Pick<Outage, 'more'>;
  readonly waits: Pick<Waits, 'more'>;
  readonly attempts: Pick<AttemptEvents, 'cancel' | 'wait'>;
  readonly asks: Pick<Asks, 'tell' | 'look'>;
  readonly reminders: Pick<Reminders, 'note'>;
  readonly checkouts: Pick<Checkouts, 'perform' | 'export'>;
  readonly wants: Pick<Wants, 'done' | 'handOut'>;
  readonly webhooks: Pick<Webhooks, 'wake'>;
  /** Hears of what is posted. Must not throw. */
  readonly announce: (messages: readonly Message[]) => void;
  readonly submit: (work: Work) => Promise<Submitted>;
  /** Called when something may have come to rest. */
  readonly onRest: () => void;
  readonly onError: (error: unknown) => void;
}

export class AfterCommit {
  readonly #parts: AfterCommitParts;

  constructor(parts: AfterCommitParts) {
    this.#parts = parts;
  }

  /** In this order: queue, kills, checkouts, listeners, files for other tools. */
  act(flush: Flush, messages: readonly Message[]): void {
    const { queue, outage, waits, attempts, asks, reminders, checkouts, wants, webhooks, announce, onRest } =
      this.#parts;
    const { after } = flush;
    if (after.jobs.length > 0) {
      this.#watch(queue.add(after.jobs));
      outage.more();
      waits.more();
    }
    for (const attempt of after.cancels) this.#watch(attempts.cancel(attempt));
    for (const { attempt, byMs } of after.extensions) this.#watch(queue.extend(attempt, byMs));
    for (const attempt of after.waits) attempts.wait(attempt);
    wants.done(after.wantsDone);
    if (after.wants.length > 0) wants.handOut();
    for (const answer of after.answers) asks.tell(answer);
    asks.look(after.touched);
    reminders.note(after.recalls);
    for (const { run, op } of after.ops) checkouts.perform(run, op);
    announce(messages);
    webhooks.wake();
    for (const run of after.touched) checkouts.export(run, flush.chainsOf(run));
    for (const run of after.ended) this.#startNext(run);
    onRest();
  }

  /** A project whose run has ended takes the next one that a person said yes to. */
  #startNext(ended: string): void {
    const { store, submit } = this.#parts;
    const project = store.run(ended)?.project;
    if (!project) return;
    this.#watch(
      submit((now) => {
        const next = now.liveRun(project) ? null : (now.drafts(project).find((run) => run.approved) ?? null);
        if (!next) return { events: [] };
        return { events: [{ type: 'start', run: next.id, chain: '', at: now.at, by: next.createdBy, behind: null }] };
      }),
    );
  }

  #watch(promise: Promise<unknown>): void {
    promise.catch(this.#parts.onError);
  }
}
