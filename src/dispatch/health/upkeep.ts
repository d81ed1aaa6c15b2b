// Background work on the database in slices of a few milliseconds, between which other work gets its turn.

import { pause } from '../../base/index.js';
import type { SqliteStore } from '../../store/index.js';

export interface UpkeepParts {
  readonly store: Pick<SqliteStore, 'freePages'>;
  readonly onError: (error: unknown) => void;
}

const everyMs = 10 * 60_000;
const betweenMs = 5;
/** The rest waits for the next time. */
const maxSlices = 20_000;

export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #atWork: Promise<void> = Promise.resolve();

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#ending.signal.aborted) return;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => {
      this.#atWork = this.look()
        .catch(this.#parts.onError)
        .finally(() => this.start());
    }, everyMs).unref();
  }

  async look(): Promise<void> {
    const { freePages } = this.#parts.store;
    await this.#inSlices(() => freePages.giveBack());
  }

  async #inSlices(slice: () => boolean): Promise<void> {
    const { signal } = this.#ending;
    for (let done = 0; done < maxSlices && !signal.aborted && slice(); done += 1) await pause(betweenMs, signal);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#ending.abort();
    await this.#atWork;
  }
}
