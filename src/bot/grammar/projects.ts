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
  for (const { name, aliases } of names) {
    for (const known of [name, ...aliases]) {
      const found = compareName(words, known, name, known === name);
      if (found === null || best.some(({ project, rank }) => project === name && rank <= found.rank)) continue;
      const order = best[0] === undefined ? -1 : compareFound(found, best[0]);
      if (order < 0) best = [found];
      else if (order === 0) best = [...best, found];
    }
  }
  return best[0] === undefined
    ? null
    : { projects: [...new Set(best.map((found) => found.project))], length: best[0].length };
}

function compareName(words: readonly Word[], known: string, project: string, isName: boolean): Found | null {
  const parts = known.trim().split(/\s+/);
  if (known.trim() === '' || parts.length > words.length) return null;
  const isSame = (key: (word: Word) => string, part: (part: string) => string): boolean =>
    parts.every((one, index) => words[index] !== undefined && key(words[index]) === part(one));
  if (!isSame(({ word }) => word, nameKey)) return null;
  const isExact = isSame(
    ({ said }) => said,
    (part) => part,
  );
  return { project, length: parts.length, rank: (isName ? 0 : 2) + (isExact ? 0 : 1) };
}

function compareFound(a: Found, b: Found): number {
  return b.length - a.length || a.rank - b.rank;
}
