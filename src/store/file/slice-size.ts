// Keeps slices of long work short on the event loop: halves after a slow one, doubles after a fast one.

const slowMs = 4;
const fastMs = 1;

export class SliceSize {
  readonly #most: number;
  #size: number;

  constructor(first: number, most: number) {
    this.#size = first;
    this.#most = most;
  }

  take<T>(act: (size: number) => T): T {
    const from = performance.now();
    const result = act(this.#size);
    const ms = performance.now() - from;
    if (ms > slowMs) this.#size = Math.max(1, Math.floor(this.#size / 2));
    else if (ms < fastMs) this.#size = Math.min(this.#most, this.#size * 2);
    return result;
  }
}
