// Background work on the database in slices of a few milliseconds, between which other work gets its turn.
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pause } from '../../base/index.js';
import type { Config, Home } from '../../config/index.js';
import type { SqliteStore } from '../../store/index.js';

export interface UpkeepParts {
  readonly store: Pick<SqliteStore, 'archives' | 'freePages'>;
  /** 0: never. */
  readonly archiveAfterDays: () => number;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const dayMs = 24 * 3_600_000;
const usualDays = 30;
const everyMs = 10 * 60_000;
const betweenMs = 5;
const maxSlices = 20_000;
const maxArchived = 2_000;

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

  /** Rows go one look after their file was written, because another process may just be reading them. */
  async look(): Promise<void> {
    const { archives, freePages } = this.#parts.store;
    await this.#inSlices(() => archives.clear());
    await this.#inSlices(() => freePages.giveBack());
    await this.#archive();
  }

  async #archive(): Promise<void> {
    const { store, archiveAfterDays, now } = this.#parts;
    const days = archiveAfterDays();
    if (days === 0) return;
    const { signal } = this.#ending;
    let count = 0;
    for (let from: number | null = 0; from !== null && count < maxArchived && !signal.aborted; ) {
      const { runs, next } = store.archives.due(now() - days * dayMs, from);
      for (const run of runs) {
        if (signal.aborted) return;
        // A failure ends this look: the disk may be full.
        await store.archives.archive(run, now());
        count += 1;
        await pause(betweenMs, signal);
      }
      from = next;
      await pause(betweenMs, signal);
    }
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

/** By default, a database that is shipped without its files keeps its histories. */
export function archiveAfterDays(
  config: Pick<Config, 'archiveAfterDays' | 'standby'>,
  home: Pick<Home, 'dbPath'>,
): number {
  const { dbPath } = home;
  const litestream = join(dirname(dbPath), `.${basename(dbPath)}-litestream`);
  const isShippedAlone = config.standby !== null || existsSync(litestream);
  return config.archiveAfterDays ?? (isShippedAlone ? 0 : usualDays);
}
