// What is under way and must not be left behind: a process that ends waits for it.

export interface InFlight {
  readonly size: number;
  add<T>(work: Promise<T>): Promise<T>;
  /** When all that is under way now has ended, however it did. */
  ended(): Promise<unknown>;
}

export function keepWorks(): InFlight {
  const all = new Set<Promise<unknown>>();
  return {
    get size() {
      return all.size;
    },
    add(work) {
      all.add(work);
      const forget = () => void all.delete(work);
      work.then(forget, forget);
      return work;
    },
    ended: () => Promise.allSettled([...all]),
  };
}
