// Work that is done one after another for each name: on a checkout, or on the files for other tools.

/** Each round is one more thing that followed from the last; so many in a row is a loop. */
const maxDrainRounds = 100;

interface LinesParts {
  readonly onError: (name: string, error: unknown) => void;
  /** Nothing of this name is under way any more. */
  readonly onEmpty: (name: string) => void;
}

export class Lines {
  readonly #last = new Map<string, Promise<void>>();
  readonly #parts: LinesParts;

  constructor(parts: LinesParts) {
    this.#parts = parts;
  }

  /** A failure is told and holds nobody up. */
  add(name: string, work: () => Promise<void>): void {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work).catch((error: unknown) => this.#parts.onError(name, error));
    this.#last.set(name, mine);
    void mine.then(() => {
      if (this.#last.get(name) !== mine) return;
      this.#last.delete(name);
      this.#parts.onEmpty(name);
    });
  }

  /** Whether anything of this name is under way. */
  has(name: string): boolean {
    return this.#last.has(name);
  }

  /** Resolves when all of it has ended, and what it began. */
  async drain(): Promise<void> {
    for (let round = 0; this.#last.size > 0 && round < maxDrainRounds; round++) {
      await Promise.allSettled(this.#last.values());
    }
  }
}
