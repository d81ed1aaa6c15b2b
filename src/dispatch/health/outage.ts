// Tells an outage once at its begin and once at its end, even across a restart. Short gaps are not told.
import type { LogLevel } from '../../base/index.js';
import { emptyPlan, type MakePlan, type PlanContext, type Submitted } from '../plans/plan.js';
import type { Presenter } from '../plans/presenter.js';

export interface OutageParts {
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly present: Pick<Presenter, 'outage'>;
  readonly log: (message: string, level: LogLevel) => void;
  /** Told by an earlier Bosun, with the end still due. */
  readonly told: readonly string[] | null;
  readonly tellAfterMs: number;
}

export class Outage {
  readonly #parts: OutageParts;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | null = null;
  /** Threads that must hear of the end. */
  #told: readonly string[] | null;
  #isClosed = false;

  constructor(parts: OutageParts) {
    this.#parts = parts;
    this.#told = parts.told;
  }

  /** Null: the problem is over. */
  note(problem: string | null): void {
    if (this.#isClosed || (problem === null && this.#problem === null && this.#told === null)) return;
    this.#parts.log(problem ?? 'Redis is back', problem === null ? 'info' : 'warn');
    this.#problem = problem;
    clearTimeout(this.#timer);
    if (problem !== null) this.#timer = setTimeout(() => this.#tell(), this.#parts.tellAfterMs).unref();
    else if (this.#told !== null) this.#tell();
  }

  /** New work's followers also learn why it waits. */
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
      // Race: by the commit it may be over or told already.
      const threads = problem === null ? before : threadsAtWork(now).filter((thread) => !before.includes(thread));
      this.#told = problem === null ? null : [...before, ...threads];
      return {
        ...emptyPlan,
        messages: present.outage(problem, threads, now.at),
        effects: [{ type: 'outage', told: this.#told }],
      };
    });
    told.catch((error: unknown) => log(`outage: ${String(error)}`, 'error'));
  }
}

export function threadsAtWork(now: PlanContext): readonly string[] {
  return [...new Set(now.reader.liveRuns(null).flatMap((run) => now.followers(run.id)))];
}
