// Retries failed writes. Reports a damaged file, and the process ends.
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

  /** Leaves the store open for work that ends later. */
  close(): void {
    clearInterval(this.#fileTimer);
    this.writes.close();
  }

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
