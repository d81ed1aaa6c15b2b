// Keys that are known for a while: login codes, sessions, deliveries. When there are too many the oldest give way.
export interface KeyLimits {
  readonly max: number;
  readonly ttlMs: number;
  readonly now: () => number;
}

export class ExpiringKeys {
  readonly #limits: KeyLimits;
  /** In the order in which they were added, so that the first is always the oldest. */
  readonly #until = new Map<string, number>();

  constructor(limits: KeyLimits) {
    this.#limits = limits;
  }

  /** False when it is known already. */
  add(key: string): boolean {
    if (this.has(key)) return false;
    const { max, ttlMs, now } = this.#limits;
    this.#until.delete(key);
    if (this.#until.size >= max) this.#dropOldest();
    this.#until.set(key, now() + ttlMs);
    return true;
  }

  has(key: string): boolean {
    const until = this.#until.get(key);
    return until !== undefined && until > this.#limits.now();
  }

  /** True when it was known; it is not any more. */
  take(key: string): boolean {
    const wasKnown = this.has(key);
    this.#until.delete(key);
    return wasKnown;
  }

  #dropOldest(): void {
    for (const key of this.#until.keys()) {
      this.#until.delete(key);
      return;
    }
  }
}
