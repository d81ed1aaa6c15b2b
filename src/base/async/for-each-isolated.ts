import { BosunError } from '../error.js';

/** A bug in one item is reported and skipped; a `BosunError` (the outside world failed) ends the loop. */
export async function forEachIsolated<T>(
  all: Iterable<T>,
  work: (one: T) => Promise<unknown>,
  onBug: (error: unknown) => void,
): Promise<void> {
  for (const one of all) {
    try {
      await work(one);
    } catch (error) {
      if (error instanceof BosunError) throw error;
      onBug(error);
    }
  }
}
