// Import cycles in which a folder takes part. Inside each folder, its subfolders and its own files are the units.
import { findReferences, parse, resolveRelative, type SourceText } from './references.js';

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Each cycle as its units in import order: `['src/dispatch/queue', 'src/dispatch/store']`. */
export function findFolderCycles(sources: readonly SourceText[]): string[][] {
  const paths = new Set(sources.map((it) => it.path));
  const edges = sources.flatMap((source) =>
    findReferences(parse(source))
      .flatMap((it) =>
        it.module?.startsWith('.') ? [resolveRelative(source.path, it.module, (p) => paths.has(p))] : [],
      )
      .map((target) => unitsOf(source.path, target))
      .filter((edge) => edge.from !== edge.to),
  );
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const cycles = [...next.keys()].filter((unit) => !isFile(unit)).flatMap((start) => cycleThrough(start, next));
  const distinct = new Map(cycles.map((cycle) => [[...cycle].sort().join(' '), cycle]));
  return [...distinct.values()].map(smallestFirst).sort();
}

/** Where the two paths part: the unit of each in the deepest folder that holds both. */
function unitsOf(from: string, to: string): Edge {
  const [a, b] = [from.split('/'), to.split('/')];
  const shared = a.findIndex((part, index) => part !== b[index]);
  if (shared === -1) return { from, to: from };
  return { from: a.slice(0, shared + 1).join('/'), to: b.slice(0, shared + 1).join('/') };
}

/** The shortest way from a unit back to itself, in a list of none or one. */
function cycleThrough(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const unit of next.get(way.at(-1) ?? start) ?? []) {
      if (unit === start) return [way];
      if (!seen.has(unit)) ways.push([...way, unit]);
      seen.add(unit);
    }
  }
  return [];
}

const isFile = (unit: string): boolean => /\.tsx?$/.test(unit);

function smallestFirst(cycle: readonly string[]): string[] {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}
