import type { ProjectName } from './parsed.js';
import { type Spelled, spell } from './spelling.js';
import { nameKey, type Word } from './words.js';

export interface ProjectMatch {
  readonly projects: readonly string[];
  readonly length: number;
}

/** After an optional comma, `with`, `of` or `on`. */
export function projectAtStart(words: readonly Word[], names: readonly ProjectName[]): ProjectMatch | null {
  const bound = connectorLength(words);
  const found = longestName(words.slice(bound), names);
  if (found === null) return null;
  return { projects: found.projects, length: bound + found.length };
}

export function projectAtEnd(words: readonly Word[], names: readonly ProjectName[]): ProjectMatch | null {
  for (let start = 1; start < words.length; start += 1) {
    const found = projectAtStart(words.slice(start), names);
    if (found !== null && found.length === words.length - start) return found;
  }
  return null;
}

export function projectsNamed(words: readonly Word[], names: readonly ProjectName[]): readonly string[] {
  const found = projectAtStart(words, names);
  return found !== null && found.length === words.length ? found.projects : [];
}

function connectorLength(words: readonly Word[]): number {
  const comma = words[0]?.word === ',' ? 1 : 0;
  return ['with', 'of', 'on'].includes(words[comma]?.word ?? '') ? comma + 1 : comma;
}

interface Found {
  readonly project: string;
  readonly length: number;
  readonly rank: number;
}

/** Longest first; name before alias, same case before another. */
function longestName(words: readonly Word[], names: readonly ProjectName[]): ProjectMatch | null {
  let best: readonly Found[] = [];
  for (const { name, spelling } of byFirstWord(names).get(words[0]?.word ?? '') ?? []) {
    const found = compareName(words, spelling, name);
    if (found === null || best.some((one) => one.project === name && one.rank <= found.rank)) continue;
    const order = best[0] === undefined ? -1 : compareFound(found, best[0]);
    if (order < 0) best = [found];
    else if (order === 0) best = [...best, found];
  }
  return best[0] === undefined
    ? null
    : { projects: [...new Set(best.map((found) => found.project))], length: best[0].length };
}

/** Split once for all comparisons. */
interface Spelling {
  readonly whole: Spelled;
  readonly said: readonly string[];
  readonly keys: readonly string[];
  readonly isName: boolean;
}

interface SpelledProject {
  readonly name: string;
  readonly spelling: Spelling;
}

const spellings = new WeakMap<ProjectName, readonly Spelling[]>();
const indexes = new WeakMap<readonly ProjectName[], ReadonlyMap<string, readonly SpelledProject[]>>();

/** Cached: asked several times per message, and homes may have thousands of projects. */
function byFirstWord(names: readonly ProjectName[]): ReadonlyMap<string, readonly SpelledProject[]> {
  const known = indexes.get(names);
  if (known !== undefined) return known;
  const index = new Map<string, SpelledProject[]>();
  for (const project of names) {
    for (const spelling of spellingsOf(project)) {
      const [first = ''] = spelling.keys;
      const spelled = { name: project.name, spelling };
      const others = index.get(first);
      if (others === undefined) index.set(first, [spelled]);
      else others.push(spelled);
    }
  }
  indexes.set(names, index);
  return index;
}

export function projectsSpelled(words: ReadonlySet<string>, names: readonly ProjectName[]): readonly string[] {
  const index = byFirstWord(names);
  const found = [...words].flatMap((word) =>
    (index.get(word) ?? []).filter(({ spelling }) => spelling.keys.length === 1).map(({ name }) => name),
  );
  if (found.length < 2) return found;
  const wanted = new Set(found);
  return names.filter(({ name }) => wanted.has(name)).map(({ name }) => name);
}

export function spelledOf(project: ProjectName): readonly Spelled[] {
  return spellingsOf(project).map(({ whole }) => whole);
}

function spellingsOf(project: ProjectName): readonly Spelling[] {
  const known = spellings.get(project);
  if (known !== undefined) return known;
  const all = [project.name, ...project.aliases].map((spelled) => ({
    said: spelled.trim().split(/\s+/),
    isName: spelled === project.name,
  }));
  const read = all
    .filter(({ said }) => said[0] !== '')
    .map(({ said, isName }) => {
      const keys = said.map(nameKey);
      return { said, isName, keys, whole: spell(keys.join(' ')) };
    });
  spellings.set(project, read);
  return read;
}

function compareName(words: readonly Word[], { said, keys, isName }: Spelling, project: string): Found | null {
  if (!keys.every((key, index) => words[index]?.word === key)) return null;
  const isExact = said.every((part, index) => words[index]?.said === part);
  return { project, length: keys.length, rank: (isName ? 0 : 2) + (isExact ? 0 : 1) };
}

function compareFound(a: Found, b: Found): number {
  return b.length - a.length || a.rank - b.rank;
}
