// Whether the platform lets the bot in at all. While it does not, nothing is given up: one call at a time asks again.
import { backOffMs } from './record-result.js';

export class Access {
  readonly #random: () => number;
  #times = 0;
  #problem: string | null = null;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** In a word for operators; null: it does, as far as is known. */
  get problem(): string | null {
    return this.#problem;
  }

  get isBarred(): boolean {
    return this.#times > 0;
  }

  /** It was refused again; gives how long everything waits. */
  refuse(why: string): number {
    this.#times += 1;
    this.#problem = why;
    return backOffMs(this.#times, this.#random);
  }

  /** It took something, or found fault with that alone. */
  grant(): void {
    this.#times = 0;
    this.#problem = null;
  }
}
