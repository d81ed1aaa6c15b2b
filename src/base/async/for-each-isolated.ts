import { BosunError } from '../error.js';

/** A bug that one of them meets is told, and keeps none of the others. Where the world fails, it fails them all. */
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
