// A timeout that pauses for people and sleep: a tick that fires much too late counts only its planned length.

const tickMs = 1000;
const sleepGapMs = 5000;
const maxLeadMs = 120_000;
const maxLimitMs = 14 * 24 * 3_600_000;
const recentForMs = 300_000;

export interface DeadlineOptions {
  readonly limitMs: number;
  readonly now: () => number;
  readonly onExpired: () => void;
  /** Once per expiry, if there was output recently. */
  readonly onExpiring: (inMs: number) => void;
}

export class Deadline {
  readonly #options: DeadlineOptions;
  #limitMs: number;
  #spentMs = 0;
  #lastTick: number;
  #plannedMs = 0;
  #lastOutputMs: number | null = null;
  #hasWarned = false;
  #isPaused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeadlineOptions) {
    this.#options = options;
    this.#limitMs = Math.min(options.limitMs, maxLimitMs);
    this.#lastTick = options.now();
    this.#plan();
  }

  get leftMs(): number {
    return this.#limitMs - this.#spentMs;
  }

  get spentMs(): number {
    return this.#spentMs;
  }

  extend(byMs: number): void {
    if (!(byMs > 0)) return;
    this.#limitMs = Math.min(this.#limitMs + byMs, maxLimitMs);
    this.#hasWarned = false;
  }

  pause(): void {
    this.#account();
    this.#isPaused = true;
  }

  resume(): void {
    this.#account();
    this.#isPaused = false;
  }

  noteOutput(): void {
    const sinceTickMs = this.#isPaused ? 0 : this.#options.now() - this.#lastTick;
    this.#lastOutputMs = this.#spentMs + Math.min(sinceTickMs, this.#plannedMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#account();
  }

  tick(): void {
    clearTimeout(this.#timer);
    this.#account();
    if (this.leftMs <= 0) {
      this.#options.onExpired();
      return;
    }
    if (!this.#hasWarned && this.leftMs <= this.#leadMs() && this.#isActive()) {
      this.#hasWarned = true;
      this.#options.onExpiring(Math.round(this.leftMs));
    }
    this.#plan();
  }

  #account(): void {
    const now = this.#options.now();
    const elapsedMs = now - this.#lastTick;
    this.#lastTick = now;
    if (this.#isPaused) return;
    this.#spentMs += elapsedMs > this.#plannedMs + sleepGapMs ? this.#plannedMs : elapsedMs;
  }

  #plan(): void {
    const untilLeadMs = this.leftMs - this.#leadMs();
    const nextMs = untilLeadMs > 0 ? untilLeadMs : this.leftMs;
    // Rounded up: a timer that fires early would spin.
    this.#plannedMs = Math.ceil(Math.min(tickMs, nextMs));
    this.#timer = setTimeout(() => this.tick(), this.#plannedMs);
  }

  #leadMs(): number {
    return Math.min(maxLeadMs, this.#limitMs / 10);
  }

  #isActive(): boolean {
    const recentMs = Math.min(recentForMs, this.#limitMs / 2);
    return this.#lastOutputMs !== null && this.#spentMs - this.#lastOutputMs <= recentMs;
  }
}
