// Resolves words to projects.
import type { ProjectName } from './parsed.js';
import { nameKey, type Word } from './words.js';

export interface ProjectMatch {
  /** If several, the word is ambiguous and the person must choose. */
  readonly projects: readonly string[];
  /** How many words matched, including a connector before the name. */
  readonly length: number;
}

/** Matches at the start, after an optional comma, `with`, `of` or `on`. */
export function projectAtStart(words: readonly Word[], names: readonly ProjectName[]): ProjectMatch | null {
  const bound = connectorLength(words);
  const found = longestName(words.slice(bound), names);
  if (found === null) return null;
  return { projects: found.projects, length: bound + found.length };
}

/** Matches at the very end; `length` includes the connector. */
export function projectAtEnd(words: readonly Word[], names: readonly ProjectName[]): ProjectMatch | null {
  for (let start = 1; start < words.length; start += 1) {
    const found = projectAtStart(words.slice(start), names);
    if (found !== null && found.length === words.length - start) return found;
  }
  return null;
}

/** The projects, if these words and no others name them. */
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

/** The longest name wins; among equals a name beats an alias, and the same case beats another. */
function longestName(words: readonly Word[], names: readonly ProjectName[]): ProjectMatch | null {
  let best: readonly Found[] = [];
  for (const project of names) {
    const { name } = project;
    for (const spelling of spellingsOf(project)) {
      const found = compareName(words, spelling, name);
      if (found === null || best.some((one) => one.project === name && one.rank <= found.rank)) continue;
      const order = best[0] === undefined ? -1 : compareFound(found, best[0]);
      if (order < 0) best = [found];
      else if (order === 0) best = [...best, found];
    }
  }
  return best[0] === undefined
    ? null
    : { projects: [...new Set(best.map((found) => found.project))], length: best[0].length };
}

/** A name or an alias, split once for all the words that it is compared with. */
interface Spelling {
  readonly said: readonly string[];
  readonly keys: readonly string[];
  readonly isName: boolean;
}

const spellings = new WeakMap<ProjectName, readonly Spelling[]>();

function spellingsOf(project: ProjectName): readonly Spelling[] {
  const known = spellings.get(project);
  if (known !== undefined) return known;
  const all = [project.name, ...project.aliases].map((spelled) => ({
    said: spelled.trim().split(/\s+/),
    isName: spelled === project.name,
  }));
  const read = all
    .filter(({ said }) => said[0] !== '')
    .map(({ said, isName }) => ({ said, isName, keys: said.map(nameKey) }));
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
