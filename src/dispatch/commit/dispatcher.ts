// Holds no rule. Decides plans that arrive together in order, commits once, then acts.
import { performance } from 'node:perf_hooks';
import { BosunError } from '../../base/index.js';
import type { Event } from '../../engine/index.js';
import type { Message } from '../../store/index.js';
import type { CommitListener } from '../plans/commit-listener.js';
import { emptyPlan, type MakePlan, type Plan, type Submitted } from '../plans/plan.js';
import { Transaction, type TransactionParts } from './transaction.js';

export interface DispatcherParts extends TransactionParts {
  /** Called after the commit; must not throw. */
  readonly act: (flush: Transaction, messages: readonly Message[]) => void;
  /** Called before the effects; must not throw. */
  readonly onCommit: CommitListener;
  readonly onBug: (error: unknown, event: Event | null) => void;
}

interface Pending {
  readonly work: MakePlan;
  readonly resolve: (submitted: Submitted) => void;
  readonly reject: (error: unknown) => void;
}

interface Taken extends Pending {
  readonly plan: Plan;
  readonly ignored: Submitted['ignored'];
  readonly replies: Submitted['replies'];
  readonly exit: Submitted['exit'];
  readonly from: number;
  readonly to: number;
}

const maxPlansPerFlush = 200;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  #pending: Pending[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  submit(work: MakePlan): Promise<Submitted> {
    if (this.#isClosed) return Promise.reject(new BosunError('not_now', 'Bosun is closing.'));
    return new Promise((resolve, reject) => {
      this.#pending.push({ work, resolve, reject });
      this.#schedule();
    });
  }

  submitEvent(event: Event): Promise<Submitted> {
    return this.submit(() => ({ ...emptyPlan, events: [event] }));
  }

  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  close(): void {
    while (this.#pending.length > 0) this.#flush();
    this.#isClosed = true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // One event loop turn per batch: a timer would add latency.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
      if (this.#pending.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const batch = this.#pending.slice(0, maxPlansPerFlush);
    this.#pending = this.#pending.slice(maxPlansPerFlush);
    this.#decideAll(batch);
  }

  #decideAll(batch: readonly Pending[]): void {
    const begun = performance.now();
    let flush = new Transaction(this.#parts);
    let taken: Taken[] = [];
    for (const pending of batch) {
      const undo = flush.mark();
      let plan: Plan | null = null;
      try {
        plan = pending.work(flush);
        const from = flush.messageCount;
        const done = flush.take(plan);
        const exit = plan.exit ?? (done.replies.some((reply) => reply.type === 'refused') ? 3 : 0);
        const { work, resolve, reject } = pending;
        const { ignored, replies } = done;
        taken.push({ work, resolve, reject, plan, ignored, replies, exit, from, to: flush.messageCount });
      } catch (error) {
        undo();
        // Commits the earlier plans first, so that the cache can be reloaded.
        this.#commit(flush, taken, begun);
        flush = new Transaction(this.#parts);
        taken = [];
        pending.reject(error);
        this.#break(plan, error);
      }
    }
    this.#commit(flush, taken, begun);
  }

  #commit(flush: Transaction, taken: readonly Taken[], begun: number): void {
    let messages: readonly Message[] = [];
    try {
      if (!flush.isEmpty) {
        const batch = flush.batch();
        messages = this.#parts.store.commit(batch);
        if (!this.#parts.store.isActive()) throw new BosunError('not_now', 'This Bosun is no longer the active one');
        const seconds = (performance.now() - begun) / 1000;
        this.#parts.onCommit({ batch, plans: taken.length, seconds });
      }
    } catch (error) {
      for (const run of flush.after.touched.keys()) this.#parts.cache.forget(run);
      this.#notWritten(taken, error);
      return;
    } finally {
      this.#parts.cache.trim();
    }
    this.#parts.act(flush, messages);
    for (const { resolve, ignored, replies, exit, from, to } of taken) {
      resolve({ ignored, replies, exit, messages: messages.slice(from, to) });
    }
  }

  /** Retries each plan alone: one that cannot be written must not fail the others. */
  #notWritten(taken: readonly Taken[], error: unknown): void {
    if (taken.length > 1 && !isOfWorld(error)) {
      for (const { work, resolve, reject } of taken) this.#decideAll([{ work, resolve, reject }]);
      return;
    }
    for (const { plan, reject } of taken) {
      reject(error);
      this.#break(plan, error);
    }
  }

  /** Expected failures go to the caller. A bug also drops the run from the cache and is told in its threads. */
  #break(plan: Plan | null, error: unknown): void {
    const runs = new Set(plan?.events.map((event) => event.run) ?? []);
    for (const run of runs) this.#parts.cache.forget(run);
    if (isOfWorld(error)) return;
    this.#parts.onBug(error, plan?.events[0] ?? null);
    const { present, now } = this.#parts;
    const flush = new Transaction(this.#parts);
    try {
      for (const run of runs) {
        const { project = null, task = null } = this.#parts.store.run(run) ?? {};
        flush.tell(present.broken({ run, project, task, followers: flush.followers(run), error, at: now() }));
      }
    } catch {
      // Best effort: the caller already has the original error.
    }
    // An inbox row left open would be retried forever.
    for (const effect of plan?.effects ?? []) if (effect.type === 'inbox_done') flush.finishInbox(effect.row);
    this.#commit(flush, [], performance.now());
  }
}

/** `bad_database` is not: the plan's data may be the cause. */
function isOfWorld(error: unknown): boolean {
  return error instanceof BosunError && error.code !== 'bad_database';
}
