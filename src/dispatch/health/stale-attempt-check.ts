// Looks for missed events each minute, or as often as a workflow asks.

import { forEachIsolated } from '../../base/index.js';
import type { JobQueue } from '../../queue/index.js';
import type { AttemptRow, Store } from '../../store/index.js';
import { interrupted } from '../attempts/attempt-events.js';
import { isExternal } from '../attempts/external-attempts.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';

export interface StaleAttemptCheckParts {
  readonly store: Pick<Store, 'openAttempts' | 'attempt' | 'liveRuns' | 'spine'>;
  readonly queue: Pick<JobQueue, 'known'>;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly wakeAfterLimit: () => Promise<void>;
  readonly lookAtWaits: () => Promise<void>;
  /** Catches up, because timers stop during sleep. */
  readonly remind: () => Promise<void>;
  readonly heal: () => Promise<void>;
  readonly takeBackOverdue: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

const usualMs = 60_000;
const leastMs = 1_000;
const mostMs = 24 * 3_600_000;

export class StaleAttemptCheck {
  readonly #parts: StaleAttemptCheckParts;
  #timer: NodeJS.Timeout | null = null;
  #waitedMs = 0;
  #isClosed = false;

  constructor(parts: StaleAttemptCheckParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer ?? undefined);
    // A new run may ask for a shorter interval.
    const tickMs = Math.min(usualMs, this.intervalMs);
    this.#timer = setTimeout(() => {
      this.#tick(tickMs)
        .catch(this.#parts.onError)
        .finally(() => this.start());
    }, tickMs).unref();
  }

  /** The shortest interval of a live run. */
  get intervalMs(): number {
    const { store, onError } = this.#parts;
    try {
      const asked = store.liveRuns(null).flatMap((run) => store.spine(run.id)?.workflow.policy.pollMs ?? []);
      return asked.length === 0 ? usualMs : Math.max(leastMs, Math.min(mostMs, ...asked));
    } catch (error) {
      onError(error);
      return usualMs;
    }
  }

  async #tick(tickMs: number): Promise<void> {
    this.#waitedMs += tickMs;
    if (this.#waitedMs < this.intervalMs) return this.#parts.heal();
    this.#waitedMs = 0;
    await this.look();
  }

  async look(): Promise<void> {
    const { wakeAfterLimit, remind, lookAtWaits, takeBackOverdue, heal, onError } = this.#parts;
    const looks = [heal, wakeAfterLimit, remind, lookAtWaits, takeBackOverdue, () => this.#settleLost()];
    await forEachIsolated(looks, async (look) => look(), onError);
  }

  async #settleLost(): Promise<void> {
    const { store, queue, onError } = this.#parts;
    const open = store.openAttempts();
    if (open.length === 0) return;
    const known = new Set(await queue.known());
    const lost = open.filter((row) => !known.has(row.attempt.id));
    await forEachIsolated(lost, ({ attempt }) => this.#settle(attempt.id), onError);
  }

  /** Race: it may have settled since it was listed. */
  async #settle(id: string): Promise<void> {
    const row: AttemptRow | null = this.#parts.store.attempt(id);
    if (!row || row.attempt.state === 'settled' || isExternal(row)) return;
    const { run, chain } = row;
    await this.#parts.submit((now) => ({
      ...emptyPlan,
      events: [{ type: 'attempt_settled', run, chain, at: now.at, attempt: id, envelope: interrupted }],
    }));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer ?? undefined);
  }
}
