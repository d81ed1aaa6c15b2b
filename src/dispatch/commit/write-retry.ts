// Retries writes that the database refuses for the moment: it is locked, its disk is full, or I/O fails. What an attempt
// or a checkout came to is in memory until it is committed, so a failed commit costs time and no work.
//
// 1. `kept` retries until the write succeeds, Bosun closes, or the database is damaged. `patient` waits for a lock only.
// 2. One timer with backoff drives all retries; any write that succeeds retries all others at once.
// 3. While writes fail and none waits, the timer probes, so that `problem` ends without a person's help.
// 4. What is retried is bounded: one write for each attempt and each piece of checkout work under way.

import type { LogLevel } from '../../base/index.js';
import { type QueueClock, systemClock, writeFailureOf } from '../../base/index.js';

export interface WriteRetryParts {
  /** Throws, or says by `written` that it worked. */
  readonly probe: () => void;
  readonly log: (message: string, level: LogLevel) => void;
  /** Writes work again, after they failed for long enough that people may wonder. */
  readonly onRecovered?: (over: Recovered) => void;
  readonly clock?: QueueClock;
}

export interface Recovered {
  readonly problem: string;
  readonly forMs: number;
}

/** As long as SQLite itself used to wait. */
const patienceMs = 5_000;
const firstRetryMs = 250;
const lastRetryMs = 2_000;
/** A shorter gap is told to nobody. */
const tellAfterMs = 2_000;

interface Trouble {
  readonly problem: string;
  readonly since: number;
  /** A lock is gone within moments as a rule: it is told once it lasts. */
  isTold: boolean;
}

export class WriteRetry {
  readonly #parts: WriteRetryParts;
  readonly #clock: QueueClock;
  readonly #waiting = new Set<() => void>();
  #trouble: Trouble | null = null;
  #kept = 0;
  #delayMs = firstRetryMs;
  #stopTimer: (() => void) | null = null;
  #isClosed = false;

  constructor(parts: WriteRetryParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** Why writes fail at present; null: they do not. */
  get problem(): string | null {
    return this.#trouble?.isTold ? this.#trouble.problem : null;
  }

  /** Results that wait in memory for the database. */
  get waiting(): number {
    return this.#kept;
  }

  /** Retries for as long as another process holds the database, but not for long. */
  patient<T>(act: () => T | Promise<T>): Promise<T> {
    const until = this.#clock.steady() + patienceMs;
    return this.#retry(act, (error) => writeFailureOf(error) === 'locked' && this.#clock.steady() < until);
  }

  /** Retries until it succeeds. */
  async kept<T>(act: () => T | Promise<T>): Promise<T> {
    let isCounted = false;
    try {
      return await this.#retry(act, (error) => {
        const failure = writeFailureOf(error);
        const mayPass = failure === 'locked' || failure === 'refused';
        if (mayPass && !isCounted) this.#kept += 1;
        isCounted ||= mayPass;
        return mayPass;
      });
    } finally {
      if (isCounted) this.#kept -= 1;
    }
  }

  /** A statement failed, whoever it was for. */
  failed(error: unknown): void {
    const failure = writeFailureOf(error);
    if (this.#isClosed || (failure !== 'locked' && failure !== 'refused')) return;
    this.#trouble ??= { problem: textOf(error), since: this.#clock.steady(), isTold: false };
    if (failure === 'refused') this.#tell(this.#trouble);
    this.#plan();
  }

  /** A write is on disk. */
  written(): void {
    const trouble = this.#trouble;
    this.#trouble = null;
    this.#delayMs = firstRetryMs;
    this.#stop();
    this.#wake();
    if (trouble === null) return;
    const forMs = this.#clock.steady() - trouble.since;
    if (trouble.isTold) this.#parts.log(`the database takes writes again, after ${seconds(forMs)}`, 'info');
    if (forMs >= tellAfterMs) this.#parts.onRecovered?.({ problem: trouble.problem, forMs });
  }

  /** Each write that waits is tried once more, and then given up: the next start finds what it was for. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#wake();
  }

  async #retry<T>(act: () => T | Promise<T>, mayRetry: (error: unknown) => boolean): Promise<T> {
    for (;;) {
      const wasClosed = this.#isClosed;
      try {
        return await act();
      } catch (error) {
        if (wasClosed || !mayRetry(error)) throw error;
        this.failed(error);
        if (!this.#isClosed) await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    }
  }

  #tell(trouble: Trouble): void {
    if (trouble.isTold) return;
    trouble.isTold = true;
    this.#parts.log(`the database takes no writes, results wait in memory until it does: ${trouble.problem}`, 'error');
  }

  #plan(): void {
    if (this.#stopTimer !== null || this.#isClosed) return;
    this.#stopTimer = this.#clock.after(this.#delayMs, () => {
      this.#stopTimer = null;
      this.#delayMs = Math.min(lastRetryMs, this.#delayMs * 2);
      const trouble = this.#trouble;
      if (trouble !== null && this.#clock.steady() - trouble.since >= tellAfterMs) this.#tell(trouble);
      if (this.#waiting.size > 0) this.#wake();
      else this.#probe();
    });
  }

  #probe(): void {
    try {
      this.#parts.probe();
    } catch (error) {
      this.failed(error);
    }
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
  }

  #stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
