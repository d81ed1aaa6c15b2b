// Remembers recent messages in memory, to tell the correction of a misunderstood message from a change of mind.

const maxKept = 1_000;

interface Lines {
  readonly text: string;
  /** null while the message is not handled yet. */
  readonly didNothing: boolean | null;
}

export class RecentMessages {
  readonly #lines = new Map<string, Lines>();

  heard(key: string, text: string): void {
    this.#lines.delete(key);
    this.#lines.set(key, { text, didNothing: null });
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > maxKept && oldest !== undefined) this.#lines.delete(oldest);
  }

  settled(key: string, didNothing: boolean): void {
    const line = this.#lines.get(key);
    if (line) this.#lines.set(key, { ...line, didNothing });
  }

  text(key: string): string | null {
    return this.#lines.get(key)?.text ?? null;
  }

  didNothing(key: string): boolean {
    return this.#lines.get(key)?.didNothing === true;
  }
}
