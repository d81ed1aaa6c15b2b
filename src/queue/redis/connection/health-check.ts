// Touches Redis again and again. Only while that works, and this process was not asleep, does the silence of workers mean
// anything.
import type { QueueClock } from '../../../base/index.js';

export interface PulseOptions {
  readonly clock: QueueClock;
  readonly everyMs: number;
  readonly reconcileMs: number;
  /** Rejects when Redis is away, full or too slow. */
  readonly touch: () => Promise<void>;
  /** With each touch that went well, except the first. */
  readonly onBeat: () => void;
  /** Redis is there, and was not just before. */
  readonly onSound: () => void;
  readonly reconcile: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Of a lease of four: who was heard just before has not run out then. */
const awayTimes = 3;

export class HealthCheck {
  readonly #options: PulseOptions;
  #isSound = false;
  #isStarted = false;
  #touching: Promise<void> | null = null;
  #touchedAt = 0;
  #reconciledAt = 0;
  #stop: () => void = () => undefined;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  get isSound(): boolean {
    return this.#isSound;
  }

  /** Not connected, it gets as long as it takes from one touch to the next before that is a problem. */
  start(isConnected: boolean): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (isConnected) this.now();
    else this.#stop = this.#options.clock.after(this.#options.everyMs, () => this.now());
  }

  /** Something failed: nothing is believed until the next touch went well. */
  doubt(): void {
    this.#isSound = false;
  }

  /** At once; those who ask meanwhile get the one that is under way. */
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
    // This process was stopped, for so long that what workers said meanwhile may be due: it heard nobody.
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
