// Who waits for whom, and whether they would wait for each other for ever.

interface Dependent {
  readonly key: string;
  readonly dependsOn: readonly string[];
}

/** The first way round, from a key back to itself; null without one. Keys that are not there hold nobody back. */
export function findCycle(items: readonly Dependent[]): readonly string[] | null {
  let waiting = items;
  let before: number;
  do {
    before = waiting.length;
    waiting = withoutFree(waiting);
  } while (waiting.length < before);
  const keys = keysOf(waiting);
  const next = new Map(waiting.map(({ key, dependsOn }) => [key, dependsOn.find((one) => keys.has(one))]));
  const path: string[] = [];
  let at = waiting[0]?.key;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = next.get(at);
  }
  return at === undefined ? null : [...path.slice(path.indexOf(at)), at];
}

/** Those that wait for one of these: what is left in the end is on a way round, or behind one. */
function withoutFree(items: readonly Dependent[]): readonly Dependent[] {
  const keys = keysOf(items);
  return items.filter(({ dependsOn }) => dependsOn.some((one) => keys.has(one)));
}

function keysOf(items: readonly Dependent[]): ReadonlySet<string> {
  return new Set(items.map((item) => item.key));
}
