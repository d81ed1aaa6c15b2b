// The known word that a misspelt one was probably meant to be.

/** `; did you mean "projects"?`, or nothing when no known word is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known);
  return found === null ? '' : `; did you mean "${found}"?`;
}

function nearest(word: string, known: Iterable<string>): string | null {
  const wanted = normal(word);
  let best: string | null = null;
  let least = 1 + Math.max(1, Math.floor(wanted.length / 3));
  for (const candidate of known) {
    const far = distance(wanted, normal(candidate));
    if (far >= least) continue;
    least = far;
    best = candidate;
  }
  return best;
}

function normal(word: string): string {
  return word.slice(0, 64).toLowerCase().replaceAll('-', '_');
}

/** Letters added, lost, changed or swapped with their neighbour between two words. */
function distance(a: string, b: string): number {
  let older: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = Number(above[column - 1]) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? Number(older[column - 2]) + 1 : changed;
      line.push(Math.min(changed, swapped, Number(above[column]) + 1, Number(line[column - 1]) + 1));
    }
    older = above;
    above = line;
  }
  return Number(above.at(-1));
}
