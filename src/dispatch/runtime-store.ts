// Retries failed writes; reports a damaged file, so that the process ends.
import { DamagedError, systemClock } from '../base/index.js';
import { openStore, type SqliteStore } from '../store/index.js';
import { type Recovered, WriteRetry } from './commit/write-retry.js';
import type { RuntimeParts } from './runtime.js';

const checkFileEveryMs = 2_000;

interface RuntimeStoreParts extends Pick<RuntimeParts, 'home' | 'isActive' | 'log'> {
  readonly onRecovered: (over: Recovered) => void;
}

export class RuntimeStore {
  readonly store: SqliteStore;
  readonly writes: WriteRetry;
  readonly #log: RuntimeParts['log'];
  #breakDown: (error: DamagedError) => void = () => undefined;
  readonly broken = new Promise<DamagedError>((resolve) => {
    this.#breakDown = resolve;
  });
  #fileTimer: NodeJS.Timeout | undefined;

  constructor({ home, isActive, log, onRecovered }: RuntimeStoreParts) {
    this.#log = log;
    this.writes = new WriteRetry({
      probe: () => this.store.probe(),
      log: (message, level) => log(message, { level }),
      onRecovered,
      clock: systemClock,
    });
    this.store = openStore(home.dbPath, {
      homeId: home.homeId,
      threads: home.channels,
      isActive,
      onFailure: (error) => this.#noteFailure(error),
      onWritten: () => this.writes.written(),
    });
  }

  watchFile(): void {
    this.#fileTimer ??= setInterval(() => this.#checkFile(), checkFileEveryMs).unref();
  }

  /** Open for work that ends later. */
  close(): void {
    clearInterval(this.#fileTimer);
    this.writes.close();
  }

  /** Deleted, replaced or damaged: the process must end. */
  #noteFailure(error: unknown): void {
    if (error instanceof DamagedError) this.#breakDown(error);
    else this.writes.failed(error);
  }

  #checkFile(): void {
    try {
      this.store.checkFile();
    } catch (error) {
      this.#log(String(error), { level: 'error' });
    }
  }
}
