// What all runs stand on is gone: told once to those who follow one that is under way or begins meanwhile, and once more
// when it is back, also where Bosun itself ended meanwhile. A short gap is told to nobody.
import type { LogLevel } from '../../base/index.js';
import type { MakePlan, PlanContext, Submitted } from '../plans/plan.js';
import type { Presenter } from '../plans/presenter.js';

export interface OutageParts {
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly present: Pick<Presenter, 'outage'>;
  readonly log: (message: string, level: LogLevel) => void;
  /** Whom an earlier Bosun told of one that was not over; null: nobody. */
  readonly told?: readonly string[] | null;
  readonly tellAfterMs?: number;
}

const usualTellAfterMs = 2_000;

export class Outage {
  readonly #parts: OutageParts;
  #timer: NodeJS.Timeout | undefined;
  /** What is wrong now. */
  #problem: string | null = null;
  /** Those who were told of its begin hear of its end; null: nobody yet. */
  #told: readonly string[] | null;
  #isClosed = false;

  constructor(parts: OutageParts) {
    this.#parts = parts;
    this.#told = parts.told ?? null;
  }

  /** Null: nothing is wrong, or not any more. */
  note(problem: string | null): void {
    if (this.#isClosed || (problem === null && this.#problem === null && this.#told === null)) return;
    this.#parts.log(problem ?? 'Redis is back', problem === null ? 'info' : 'warn');
    this.#problem = problem;
    clearTimeout(this.#timer);
    if (problem !== null)
      this.#timer = setTimeout(() => this.#tell(), this.#parts.tellAfterMs ?? usualTellAfterMs).unref();
    else if (this.#told !== null) this.#tell();
  }

  /** There is more to do: while the outage lasts, those who wait for it hear why. */
  more(): void {
    if (this.#problem !== null && this.#told !== null) this.#tell();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #tell(): void {
    const { submit, present, log } = this.#parts;
    const told = submit((now) => {
      const problem = this.#problem;
      const before = this.#told ?? [];
      // By now it may be over, and nobody was told; or it is here again, and these know of it.
      const threads = problem === null ? before : threadsAtWork(now).filter((thread) => !before.includes(thread));
      this.#told = problem === null ? null : [...before, ...threads];
      return { events: [], messages: present.outage(problem, threads, now.at), outage: this.#told };
    });
    told.catch((error: unknown) => log(`outage: ${String(error)}`, 'error'));
  }
}

/** Threads that follow a live run. */
export function threadsAtWork(now: PlanContext): readonly string[] {
  return [...new Set(now.store.liveRuns(null).flatMap((run) => now.followers(run.id)))];
}
