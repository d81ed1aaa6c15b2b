// A channel fulfils each request; one try per process until done.
import { Listeners } from '../../base/index.js';
import type { OpenChannelRequest, Store } from '../../store/index.js';

export class ChannelRequests {
  readonly #store: Pick<Store, 'wants'>;
  readonly #listeners: Listeners<OpenChannelRequest>;
  readonly #handedOut = new Set<number>();

  constructor(store: Pick<Store, 'wants'>, onError: (error: unknown) => void) {
    this.#store = store;
    this.#listeners = new Listeners(onError);
  }

  /** Delivers open requests at once. */
  listen(listen: (want: OpenChannelRequest) => void): () => void {
    for (const want of this.#store.wants.open()) {
      this.#handedOut.add(want.n);
      listen(want);
    }
    return this.#listeners.add(listen);
  }

  done(rows: readonly number[]): void {
    for (const n of rows) this.#handedOut.delete(n);
  }

  handOut(): void {
    for (const want of this.#store.wants.open().filter(({ n }) => !this.#handedOut.has(n))) {
      this.#handedOut.add(want.n);
      this.#listeners.tell(want);
    }
  }
}
