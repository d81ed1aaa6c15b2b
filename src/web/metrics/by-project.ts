// Groups metrics by project: those in config.yaml get their own series up to a limit, the rest share one.
import { maxSeries, rest } from './counter.js';

export function seriesOf(names: readonly string[]): (project: string) => string {
  const own = new Set(names.slice(0, maxSeries));
  return (project) => (own.has(project) ? project : rest);
}

/** Configured projects appear even without rows; the shared group only if it has some. */
export function grouped<T extends { readonly project: string }>(
  names: readonly string[],
  rows: readonly T[],
): readonly { readonly project: string; readonly rows: readonly T[] }[] {
  const groups = new Map<string, T[]>(names.slice(0, maxSeries).map((name) => [name, []]));
  const seriesFor = seriesOf(names);
  for (const row of rows) {
    const project = seriesFor(row.project);
    groups.set(project, [...(groups.get(project) ?? []), row]);
  }
  return [...groups].map(([project, own]) => ({ project, rows: own }));
}
