// Bounded. Holds what is on disk.
import { type Chain, emptyChain, type State } from '../../engine/index.js';
import type { Spine, Store } from '../../store/index.js';

interface Entry {
  spine: Spine;
  readonly chains: Map<string, Chain | null>;
}

const maxRuns = 300;

export class RunCache {
  readonly #store: Store;
  readonly #entries = new Map<string, Entry>();
  readonly #finished: { readonly run: string; readonly chain: string }[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  spine(run: string): Spine | null {
    return this.#entry(run)?.spine ?? null;
  }

  chain(run: string, key: string): Chain | null {
    const entry = this.#entry(run);
    if (!entry) return null;
    const known = entry.chains.get(key);
    if (known !== undefined) return known;
    const stored = this.#store.chain(run, key);
    entry.chains.set(key, stored);
    return stored;
  }

  state(run: string, key: string): State | null {
    const spine = this.spine(run);
    if (spine === null) return null;
    const { workflow, run: now, items, interactions } = spine;
    return { workflow, run: now, items, chain: this.chain(run, key) ?? emptyChain(key), interactions };
  }

  put(state: State): void {
    const { chain, run, items } = state;
    const entry = this.#entries.get(run.id) ?? { spine: state, chains: new Map<string, Chain | null>() };
    // A state holds the spine as well.
    entry.spine = state;
    entry.chains.set(chain.key, chain);
    const item = chain.key === '' ? undefined : items.find((one) => one.key === chain.key);
    if (item?.status === 'done' || item?.status === 'cancelled') this.#finished.push({ run: run.id, chain: chain.key });
    this.#touch(run.id, entry);
  }

  /**
   * Drops finished chains and the least recently used runs. Only with nothing uncommitted: a reload would return the
   * old state.
   */
  trim(): void {
    for (const { run, chain } of this.#finished.splice(0)) this.#entries.get(run)?.chains.delete(chain);
    for (const run of this.#entries.keys()) {
      if (this.#entries.size <= maxRuns) break;
      this.#entries.delete(run);
    }
  }

  /** After a failed commit memory must not be ahead of the disk. */
  forget(run: string): void {
    this.#entries.delete(run);
  }

  #entry(run: string): Entry | null {
    const known = this.#entries.get(run);
    if (known) return known;
    const spine = this.#store.spine(run);
    if (!spine) return null;
    const entry: Entry = { spine, chains: new Map() };
    this.#touch(run, entry);
    return entry;
  }

  #touch(run: string, entry: Entry): void {
    this.#entries.delete(run);
    this.#entries.set(run, entry);
  }
}
