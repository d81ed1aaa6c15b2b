// A bounded queue to one reader; refuses items beyond the bound.
export class Feed<T> {
  readonly #max: number;
  #waiting: T[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(max: number) {
    this.#max = max;
  }

  push(piece: T): boolean {
    if (this.#isClosed || this.#waiting.length >= this.#max) return false;
    this.#waiting.push(piece);
    this.#wake();
    return true;
  }

  /** Queued items are still delivered. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Empty after the timeout; null: closed and empty. */
  async take(withinMs: number): Promise<readonly T[] | null> {
    if (this.#waiting.length === 0 && !this.#isClosed) await this.#change(withinMs);
    const taken = this.#waiting;
    this.#waiting = [];
    return taken.length === 0 && this.#isClosed ? null : taken;
  }

  #change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
