// How many typing errors lie between two words.
import { wordDistance } from '../../engine/index.js';

const MAX_WORD_LENGTH = 24;

/** The one of all that is spelled most like the word; undefined when none is near enough to be meant. */
export function closest<T>(all: readonly T[], word: string, spelled: (one: T) => readonly string[]): T | undefined {
  let best: { readonly one: T; readonly distance: number } | undefined;
  for (const one of all) {
    for (const known of spelled(one)) {
      const distance = editDistance(word, known, Math.min(errorLimit(word), errorLimit(known)));
      if (distance !== null && (best === undefined || distance < best.distance)) best = { one, distance };
    }
  }
  return best?.one;
}

/** How many errors a word of this length may hold and still be taken for another. */
function errorLimit(word: string): number {
  return word.length <= 2 ? 0 : word.length <= 4 ? 1 : 2;
}

/** Letters added, lost, changed or swapped with their neighbour; null when more than `limit`. */
function editDistance(a: string, b: string, limit: number): number | null {
  if (Math.abs(a.length - b.length) > limit || Math.max(a.length, b.length) > MAX_WORD_LENGTH) return null;
  const distance = wordDistance(a, b);
  return distance > limit ? null : distance;
}
