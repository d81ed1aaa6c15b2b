// `*` and `?` stay within a name, `**` crosses folders, `{a,b}` is either. A lone wildcard name matches in every
// folder; a plain path also matches below. Brackets are literal (`[id]`).

const maxChars = 1000;
const maxAlternatives = 64;

export function matcher(globs: readonly string[]): (file: string) => boolean {
  const patterns = globs.flatMap(patternsOf);
  return (file) => {
    const path = pathOf(file);
    return patterns.some((pattern) => isMet(pattern.path, path));
  };
}

/** The most specific one; null: none, or a tie. */
export function ownerOf(file: string, globsByRole: Readonly<Record<string, readonly string[]>>): string | null {
  const path = pathOf(file);
  let owner: string | null = null;
  let best = -1;
  for (const [role, globs] of Object.entries(globsByRole)) {
    const own = Math.max(-1, ...globs.map((glob) => specificityFor(glob, path) ?? -1));
    if (own > best) owner = role;
    else if (own === best) owner = null;
    best = Math.max(own, best);
  }
  return owner;
}

/** True if a file could match both with equal specificity. */
export function overlap(a: readonly string[], b: readonly string[]): boolean {
  const others = b.flatMap(patternsOf);
  return a
    .flatMap(patternsOf)
    .some((one) => others.some((other) => one.specificity === other.specificity && isMet(one.path, other.path)));
}

/** For writers without roles, among whom specificity decides nothing. */
export function meetAnywhere(a: readonly string[], b: readonly string[]): boolean {
  const others = b.flatMap(patternsOf);
  return a.flatMap(patternsOf).some((one) => others.some((other) => isMet(one.path, other.path)));
}

type Name = readonly string[];
type Path = readonly Name[];

interface Pattern {
  readonly path: Path;
  readonly specificity: number;
}

const manyNames: Name = ['**'];
const anyName: Name = ['*'];

function specificityFor(glob: string, file: Path): number | null {
  const found = patternsOf(glob).filter((pattern) => isMet(pattern.path, file));
  return found.length === 0 ? null : Math.max(...found.map((pattern) => pattern.specificity));
}

function patternsOf(glob: string): readonly Pattern[] {
  if (glob.length > maxChars) return [];
  return alternativesOf(glob).flatMap((plain) => {
    const names = namesOf(plain);
    if (names.length === 0) return [];
    const path = names.map((name): Name => (name === '**' ? manyNames : [...name]));
    const specificity = names.join('').replaceAll(/[*?]/g, '').length;
    return variantsOf(path, plain).map((variant) => ({ path: variant, specificity }));
  });
}

function variantsOf(path: Path, plain: string): readonly Path[] {
  const below = [...path, manyNames, anyName];
  if (!/[*?]/.test(plain)) return plain.endsWith('/') ? [below] : [path, below];
  if (plain.endsWith('/')) return [below];
  // `**` does not match the folder itself.
  if (path.at(-1) === manyNames) return [[...path, anyName]];
  return [plain.includes('/') ? path : [manyNames, ...path]];
}

/** From the inside; returns more than `maxAlternatives` unexpanded. */
function alternativesOf(glob: string): readonly string[] {
  let found: readonly string[] = [glob];
  while (found.length <= maxAlternatives) {
    const written = found.flatMap((text) => {
      const braces = /\{([^{}]*)\}/.exec(text);
      if (braces === null) return [text];
      const [all, inner = ''] = braces;
      const [before, after] = [text.slice(0, braces.index), text.slice(braces.index + all.length)];
      return inner.split(',').map((choice) => `${before}${choice}${after}`);
    });
    if (written.length === found.length && written.every((text, index) => text === found[index])) return found;
    found = written;
  }
  return [glob];
}

function pathOf(file: string): Path {
  if (file.length > maxChars) return [];
  return namesOf(file).map((name) => [...name].map((char) => (char === '*' || char === '?' ? `\\${char}` : char)));
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function isMet(one: Path, other: Path): boolean {
  return meet(one, other, (name) => name === manyNames, mayBeSame);
}

function mayBeSame(a: Name, b: Name): boolean {
  if (isPlain(a) && isPlain(b)) return a.length === b.length && a.every((char, at) => char === b[at]);
  return meet(
    a,
    b,
    (char) => char === '*',
    (x, y) => x === y || x === '?' || y === '?',
  );
}

function isPlain(name: Name): boolean {
  return !name.includes('*') && !name.includes('?');
}

/** `isMany`: any number of pieces. Dynamic programming from the end. */
function meet<T>(
  one: readonly T[],
  other: readonly T[],
  isMany: (piece: T) => boolean,
  agree: (a: T, b: T) => boolean,
): boolean {
  let below: readonly boolean[] = [];
  for (let i = one.length; i >= 0; i -= 1) {
    const row: boolean[] = [];
    const a = one[i];
    for (let j = other.length; j >= 0; j -= 1) {
      const b = other[j];
      const isSkipped = below[j] === true || row[j + 1] === true;
      if (a === undefined || b === undefined) {
        const rest = a ?? b;
        row[j] = rest === undefined || (isMany(rest) && isSkipped);
      } else {
        row[j] = ((isMany(a) || isMany(b)) && isSkipped) || (agree(a, b) && below[j + 1] === true);
      }
    }
    below = row;
  }
  return below[0] === true;
}
