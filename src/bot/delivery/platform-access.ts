// Tracks whether the platform accepts the bot at all. While it does not, no message fails and one call at a time
// retries.
import { backOffMs } from './record-result.js';

export class Access {
  readonly #random: () => number;
  #times = 0;
  #problem: string | null = null;

  constructor(random: () => number) {
    this.#random = random;
  }

  get problem(): string | null {
    return this.#problem;
  }

  get isBarred(): boolean {
    return this.#times > 0;
  }

  /** Records another refusal and returns the backoff for all lanes. */
  refuse(why: string): number {
    this.#times += 1;
    this.#problem = why;
    return backOffMs(this.#times, this.#random);
  }

  /** The platform accepted a call, or refused only that one. */
  grant(): void {
    this.#times = 0;
    this.#problem = null;
  }
}
