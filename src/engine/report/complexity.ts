// How large a story says it is, and how much of it could be done side by side.
import type { Complexity } from '../workflow/definition.js';

const letters: ReadonlyMap<string, Complexity> = new Map([
  ['s', 'S'],
  ['m', 'M'],
  ['l', 'L'],
]);

/** The letter in any case; null for everything else. */
export function readComplexity(value: unknown): Complexity | null {
  return typeof value === 'string' ? (letters.get(value.trim().toLowerCase()) ?? null) : null;
}

/** How often `[P]` is written in these; `tasks` may be anything, only its texts count. */
export function countParallelTags(texts: readonly string[], tasks: unknown): number {
  const listed: readonly unknown[] = Array.isArray(tasks) ? tasks : [];
  return [...texts, ...listed].reduce<number>(
    (sum, text) => (typeof text === 'string' ? sum + text.split('[P]').length - 1 : sum),
    0,
  );
}
