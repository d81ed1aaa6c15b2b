// While the bot is refused, no message fails and one call at a time retries.
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

  refuse(why: string): number {
    this.#times += 1;
    this.#problem = why;
    return backOffMs(this.#times, this.#random);
  }

  grant(): void {
    this.#times = 0;
    this.#problem = null;
  }
}
