// What to do where Bosun's book and Redis differ. Bosun's book is right about what there is to do, Redis about what is
// being done.

export interface Seen {
  /** What lay in Redis at one moment, taken or not. */
  readonly inRedis: ReadonlySet<string>;
  /** Envelopes that lay there after that moment. */
  readonly results: ReadonlySet<string>;
  /** On offer since before that moment, and not begun. */
  readonly offered: readonly string[];
  /** Begun before that moment, and not settled. */
  readonly running: readonly string[];
  /** Whether Bosun has any work under that id. */
  readonly isOpen: (id: string) => boolean;
}

export interface Differences {
  /** Never begun, and gone: to be offered again under the same id. */
  readonly again: readonly string[];
  /** Begun and gone, without an envelope: its worker's claim is lost. */
  readonly lost: readonly string[];
  /** Bosun knows nothing of it. */
  readonly unknown: readonly string[];
}

export function compare({ inRedis, results, offered, running, isOpen }: Seen): Differences {
  return {
    again: offered.filter((id) => !inRedis.has(id)),
    lost: running.filter((id) => !inRedis.has(id) && !results.has(id)),
    unknown: [...inRedis].filter((id) => !isOpen(id)),
  };
}
