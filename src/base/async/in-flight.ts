// Work that a shutdown must wait for.

export interface InFlight {
  readonly size: number;
  add<T>(work: Promise<T>): Promise<T>;
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
