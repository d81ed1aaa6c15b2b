// Retries writes while the database refuses them: a lock, a full disk, I/O errors. Outcomes stay in memory until
// committed, so a failed commit loses no work.
// 1. `kept` retries until success, close or damage; `patient` waits for locks only.
// 2. One timer with backoff drives all retries; a success retries all others at once.
// 3. While writes fail and none waits, the timer probes, so that `problem` ends by itself.
// 4. Waiting writes are bounded: one per attempt and checkout operation.

import { backoffMs, type LogLevel, type QueueClock, writeFailureOf } from '../../base/index.js';

export interface WriteRetryParts {
  /** Must write: throws, or leads to `written`. */
  readonly probe: () => void;
  readonly log: (message: string, level: LogLevel) => void;
  /** Only after an outage long enough for people to notice. */
  readonly onRecovered: (over: Recovered) => void;
  readonly clock: QueueClock;
}

export interface Recovered {
  readonly problem: string;
  readonly forMs: number;
}

/** Equals SQLite's busy timeout. */
const patienceMs = 5_000;
const retryBackoff = { firstMs: 250, mostMs: 2_000 };
const tellAfterMs = 2_000;

interface Trouble {
  readonly problem: string;
  readonly since: number;
  /** A lock is told only if it lasts. */
  isTold: boolean;
}

export class WriteRetry {
  readonly #parts: WriteRetryParts;
  readonly #clock: QueueClock;
  readonly #waiting = new Set<() => void>();
  #trouble: Trouble | null = null;
  #kept = 0;
  #retries = 0;
  #stopTimer: (() => void) | null = null;
  #isClosed = false;

  constructor(parts: WriteRetryParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
  }

  /** Null: writes work. */
  get problem(): string | null {
    return this.#trouble?.isTold ? this.#trouble.problem : null;
  }

  get waiting(): number {
    return this.#kept;
  }

  /** Waits for locks only, up to `patienceMs`. */
  patient<T>(act: () => T | Promise<T>): Promise<T> {
    const until = this.#clock.steady() + patienceMs;
    return this.#retry(act, (error) => writeFailureOf(error) === 'locked' && this.#clock.steady() < until);
  }

  /** Retries locks and refusals until success or close. */
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

  /** Any caller may report; starts the timer. */
  failed(error: unknown): void {
    const failure = writeFailureOf(error);
    if (this.#isClosed || (failure !== 'locked' && failure !== 'refused')) return;
    this.#trouble ??= { problem: textOf(error), since: this.#clock.steady(), isTold: false };
    if (failure === 'refused') this.#tell(this.#trouble);
    this.#plan();
  }

  /** Any caller may report; retries all others. */
  written(): void {
    const trouble = this.#trouble;
    this.#trouble = null;
    this.#retries = 0;
    this.#stop();
    this.#wake();
    if (trouble === null) return;
    const forMs = this.#clock.steady() - trouble.since;
    if (trouble.isTold) this.#parts.log(`the database accepts writes again after ${seconds(forMs)}`, 'info');
    if (forMs >= tellAfterMs) this.#parts.onRecovered({ problem: trouble.problem, forMs });
  }

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
    this.#parts.log(`cannot write the database, so results wait in memory: ${trouble.problem}`, 'error');
  }

  #plan(): void {
    if (this.#stopTimer !== null || this.#isClosed) return;
    this.#stopTimer = this.#clock.after(backoffMs(this.#retries + 1, retryBackoff), () => {
      this.#stopTimer = null;
      this.#retries += 1;
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
