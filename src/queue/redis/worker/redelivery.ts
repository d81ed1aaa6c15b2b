// A stream is read again after a reconnect, and a suspended worker reads it late.
import type { QueueClock } from '../../../base/index.js';

/** More than a stream down holds between two trims. */
const maxBegun = 10_000;

export class Redelivery {
  readonly #clock: QueueClock;
  readonly #begun = new Set<string>();
  /** By both clocks: the wall clock can be set, the steady one stops during sleep. */
  #ahead = { now: 0, steady: 0 };

  constructor(clock: QueueClock) {
    this.#clock = clock;
  }

  setTime(redisNow: number): void {
    this.#ahead = { now: redisNow - this.#clock.now(), steady: redisNow - this.#clock.steady() };
  }

  /** `at`: when Redis took the message, by its own clock. */
  ageOf(at: number): number {
    return Math.max(this.#clock.now() + this.#ahead.now, this.#clock.steady() + this.#ahead.steady) - at;
  }

  /** This worker began the job before. */
  has(id: string): boolean {
    return this.#begun.has(id);
  }

  note(id: string): void {
    this.#begun.add(id);
    const [oldest] = this.#begun;
    if (this.#begun.size > maxBegun && oldest !== undefined) this.#begun.delete(oldest);
  }
}
