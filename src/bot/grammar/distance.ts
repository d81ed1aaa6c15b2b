// How many typing errors lie between two words.

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
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(older, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    older = previous;
    previous = current;
  }
  const distance = at(previous, b.length);
  return distance <= limit ? distance : null;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
