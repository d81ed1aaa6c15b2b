// Touches Redis periodically. A worker's silence counts only while Redis answers and this process was not suspended.
import type { QueueClock } from '../../../base/index.js';

export interface HealthCheckOptions {
  readonly clock: QueueClock;
  readonly everyMs: number;
  readonly reconcileMs: number;
  readonly touch: () => Promise<void>;
  readonly onBeat: () => void;
  /** Redis works, or works again. */
  readonly onSound: () => void;
  readonly reconcile: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** A lease is four intervals, so a worker heard just before has not expired. */
const awayTimes = 3;

export class HealthCheck {
  readonly #options: HealthCheckOptions;
  #isSound = false;
  #isStarted = false;
  #touching: Promise<void> | null = null;
  #touchedAt = 0;
  #reconciledAt = 0;
  #stop: () => void = () => undefined;

  constructor(options: HealthCheckOptions) {
    this.#options = options;
  }

  get isSound(): boolean {
    return this.#isSound;
  }

  start(isConnected: boolean): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (isConnected) this.now();
    else this.#stop = this.#options.clock.after(this.#options.everyMs, () => this.now());
  }

  doubt(): void {
    this.#isSound = false;
  }

  now(): void {
    if (!this.#isStarted || this.#touching !== null) return;
    this.#stop();
    this.#touching = this.#touch()
      .catch(this.#options.onError)
      .finally(() => {
        this.#touching = null;
        if (this.#isStarted) this.#stop = this.#options.clock.after(this.#options.everyMs, () => this.now());
      });
  }

  close(): void {
    this.#isStarted = false;
    this.#isSound = false;
    this.#stop();
  }

  async #touch(): Promise<void> {
    const { clock, everyMs, reconcileMs } = this.#options;
    try {
      await this.#options.touch();
    } catch (error) {
      this.#isSound = false;
      throw error;
    }
    if (!this.#isStarted) return;
    const now = clock.steady();
    // The process was suspended: leases may have expired unheard.
    const wasAway = now - this.#touchedAt > awayTimes * everyMs;
    this.#touchedAt = now;
    if (!this.#isSound || wasAway) {
      this.#isSound = true;
      this.#reconciledAt = now;
      this.#options.onSound();
      return;
    }
    this.#options.onBeat();
    if (now - this.#reconciledAt < reconcileMs) return;
    this.#reconciledAt = now;
    await this.#options.reconcile();
  }
}
