/** `; did you mean "review"?`, or ''. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearestWord(word, known);
  return found === null ? '' : `; did you mean "${found}"?`;
}

export function nearestWord(word: string, known: Iterable<string>): string | null {
  const typed = normal(word);
  let best: string | null = null;
  let least = 1 + Math.max(1, Math.floor(typed.length / 3));
  for (const candidate of known) {
    const far = wordDistance(typed, normal(candidate));
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

function normal(word: string): string {
  return word.slice(0, 64).toLowerCase().replaceAll('-', '_');
}

/** A swap is one edit. */
export function wordDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const changed = Number(above[column - 1]) + (isSame ? 0 : 1);
      const least = Math.min(Number(above[column]) + 1, Number(line[column - 1]) + 1, changed);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(isSwap ? Math.min(least, Number(before[column - 2]) + 1) : least);
    }
    before = above;
    above = line;
  }
  return above.at(-1) as number;
}
