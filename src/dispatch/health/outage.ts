// Reports a Redis outage: once to threads that follow a run which is live or starts meanwhile, and once when it ends,
// even after a restart. Short gaps are not reported.
import type { LogLevel } from '../../base/index.js';
import type { MakePlan, PlanContext, Submitted } from '../plans/plan.js';
import type { Presenter } from '../plans/presenter.js';

export interface OutageParts {
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly present: Pick<Presenter, 'outage'>;
  readonly log: (message: string, level: LogLevel) => void;
  /** Threads that an earlier Bosun told of an outage that had not ended; null: none. */
  readonly told: readonly string[] | null;
  readonly tellAfterMs: number;
}

export class Outage {
  readonly #parts: OutageParts;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | null = null;
  /** Threads told of the outage, which also hear of its end; null: none yet. */
  #told: readonly string[] | null;
  #isClosed = false;

  constructor(parts: OutageParts) {
    this.#parts = parts;
    this.#told = parts.told;
  }

  /** null: no problem, or it is over. */
  note(problem: string | null): void {
    if (this.#isClosed || (problem === null && this.#problem === null && this.#told === null)) return;
    this.#parts.log(problem ?? 'Redis is back', problem === null ? 'info' : 'warn');
    this.#problem = problem;
    clearTimeout(this.#timer);
    if (problem !== null) this.#timer = setTimeout(() => this.#tell(), this.#parts.tellAfterMs).unref();
    else if (this.#told !== null) this.#tell();
  }

  /** New work arrived: during an outage, its followers are told why it waits. */
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
      // Race: by commit time the outage may be over, or back with these threads already told.
      const threads = problem === null ? before : threadsAtWork(now).filter((thread) => !before.includes(thread));
      this.#told = problem === null ? null : [...before, ...threads];
      return { events: [], messages: present.outage(problem, threads, now.at), outage: this.#told };
    });
    told.catch((error: unknown) => log(`outage: ${String(error)}`, 'error'));
  }
}

export function threadsAtWork(now: PlanContext): readonly string[] {
  return [...new Set(now.reader.liveRuns(null).flatMap((run) => now.followers(run.id)))];
}
