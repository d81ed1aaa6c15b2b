// A run continues once all processes of the terminal that held it have ended. The run's state has the hold.

import { forEachIsolated, isAlive } from '../../base/index.js';
import type { OpenedSession, Run } from '../../engine/index.js';
import type { RunReader } from '../../store/index.js';
import type { RunCache } from '../commit/run-cache.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';

export interface OpenedSessionsParts {
  readonly store: Pick<RunReader, 'activeRuns'>;
  readonly cache: Pick<RunCache, 'spine'>;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly onError: (error: unknown) => void;
}

const everyMs = 2_000;

export class OpenedSessions {
  readonly #parts: OpenedSessionsParts;
  readonly #open = new Map<string, OpenedSession>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: OpenedSessionsParts) {
    this.#parts = parts;
  }

  recover(): void {
    for (const run of this.#parts.store.activeRuns()) this.#note(run);
    this.#watch(0);
  }

  look(runs: ReadonlySet<string>): void {
    for (const id of runs) {
      const run = this.#parts.cache.spine(id)?.run;
      if (run !== undefined) this.#note(run);
    }
    this.#watch(everyMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer ?? undefined);
  }

  #note({ id, opened }: Run): void {
    if (opened) this.#open.set(id, opened);
    else this.#open.delete(id);
  }

  #watch(afterMs: number): void {
    if (this.#isClosed || this.#timer !== null || this.#open.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#closeLost()
        .catch(this.#parts.onError)
        .finally(() => {
          this.#timer = null;
          this.#watch(everyMs);
        });
    }, afterMs).unref();
  }

  async #closeLost(): Promise<void> {
    const lost = [...this.#open].filter(([, { processes }]) => processes.every(isGone));
    await forEachIsolated(
      lost,
      async ([run, { key, chain }]) => {
        await this.#parts.submit(({ at }) => ({
          ...emptyPlan,
          events: [{ type: 'session_closed', run, chain, at, key, isLost: true }],
        }));
      },
      this.#parts.onError,
    );
  }
}

function isGone({ pid, startedAt }: OpenedSession['processes'][number]): boolean {
  return !isAlive(pid, startedAt);
}
