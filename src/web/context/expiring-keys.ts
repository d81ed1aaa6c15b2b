// Bounded, with a TTL; evicts the oldest.
export interface KeyLimits {
  readonly max: number;
  readonly ttlMs: number;
  readonly now: () => number;
}

export class ExpiringKeys {
  readonly #limits: KeyLimits;
  /** Insertion order: oldest first. */
  readonly #until = new Map<string, number>();

  constructor(limits: KeyLimits) {
    this.#limits = limits;
  }

  /** False: known already. */
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
