// What all runs stand on is gone: told once to those who follow one that is under way, and once more when it is back. A
// short gap is told to nobody.
import type { LogLevel } from './log/index.js';
import type { Now, Present, Submitted, Work } from './plan.js';

export interface OutageParts {
  readonly submit: (work: Work) => Promise<Submitted>;
  readonly present: Pick<Present, 'outage'>;
  readonly log: (message: string, level: LogLevel) => void;
  readonly tellAfterMs?: number;
}

const usualTellAfterMs = 2_000;

export class Outage {
  readonly #parts: OutageParts;
  #timer: NodeJS.Timeout | undefined;
  /** Those who were told of its begin hear of its end. */
  #told: readonly string[] | null = null;
  #isClosed = false;

  constructor(parts: OutageParts) {
    this.#parts = parts;
  }

  note(problem: string | null): void {
    if (this.#isClosed) return;
    this.#parts.log(problem ?? 'Redis is back', problem === null ? 'info' : 'warn');
    clearTimeout(this.#timer);
    if (problem === null) this.#tell(null);
    else this.#timer = setTimeout(() => this.#tell(problem), this.#parts.tellAfterMs ?? usualTellAfterMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #tell(problem: string | null): void {
    const { submit, present, log } = this.#parts;
    const before = this.#told;
    // It went before it was told, or it is told already.
    if ((before === null) === (problem === null)) return;
    this.#told = problem === null ? null : [];
    const told = submit((now) => {
      const threads = before ?? threadsAtWork(now);
      if (problem !== null) this.#told = threads;
      return { events: [], messages: present.outage(problem, threads, now.at) };
    });
    told.catch((error: unknown) => log(`outage: ${String(error)}`, 'error'));
  }
}

function threadsAtWork(now: Now): readonly string[] {
  return [...new Set(now.store.liveRuns(null).flatMap((run) => now.followers(run.id)))];
}
