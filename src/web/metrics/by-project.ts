// Which projects have series of their own: those that config.yaml names, up to so many. The rest is counted together.
import { maxSeries, rest } from './counter.js';

export function seriesOf(names: readonly string[]): (project: string) => string {
  const own = new Set(names.slice(0, maxSeries));
  return (project) => (own.has(project) ? project : rest);
}

/** What is told for each of them, also where there is nothing; the rest only where there is something. */
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
