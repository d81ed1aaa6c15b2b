import { wordDistance } from '../../engine/index.js';

const maxWordLength = 24;

/** The set of its letters, one bit each. */
export interface Spelled {
  readonly word: string;
  readonly letters: number;
}

export function spell(word: string): Spelled {
  return { word, letters: lettersIn(word) };
}

/** Undefined: none is near enough. */
export function closest<T>(all: readonly T[], word: string, spelledOf: (one: T) => readonly Spelled[]): T | undefined {
  if (word.length > maxWordLength) return undefined;
  const letters = lettersIn(word);
  const limit = errorLimit(word);
  let best: T | undefined;
  let least = limit + 1;
  for (const one of all) {
    for (const known of spelledOf(one)) {
      const distance = editDistance(word, letters, limit, known);
      if (distance >= least) continue;
      best = one;
      least = distance;
    }
  }
  return best;
}

/** Typos allowed for this length. */
function errorLimit(word: string): number {
  return word.length <= 2 ? 0 : word.length <= 4 ? 1 : 2;
}

/** Swaps count once; infinite: too many for a typo. */
function editDistance(word: string, letters: number, limit: number, known: Spelled): number {
  if (Math.abs(word.length - known.word.length) > limit || known.word.length > maxWordLength) return Infinity;
  const most = Math.min(limit, errorLimit(known.word));
  // A typo changes at most two letters of the set: skips most words cheaply.
  if (countBits(letters ^ known.letters) > 2 * most) return Infinity;
  const distance = wordDistance(word, known.word);
  return distance > most ? Infinity : distance;
}

function lettersIn(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
