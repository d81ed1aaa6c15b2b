// A word, an id, or the long form.
import type { Exhausted, Insert, Route } from '../definition.js';
import type { ScalarTree, Tree, TreeEntry } from '../source/tree.js';
import { endings, routeWords } from '../vocabulary/vocabulary.js';
import {
  complain,
  entryOf,
  fields,
  isTrue,
  listOf,
  mapOf,
  named,
  type Path,
  type Read,
  type ReadState,
  take,
  text,
  word,
} from './value-readers.js';

type PlainRoute = Extract<Route, { type: (typeof routeWords)[number] }>;
type Found = ReadonlyMap<string, TreeEntry>;

const ways = ['goto', 'insert', ...routeWords] as const;

const beside: Readonly<Record<(typeof ways)[number], readonly string[]>> = {
  goto: ['budget', 'carry', 'clear'],
  insert: ['args', 'carry', 'say'],
  retry: ['budget'],
  next: [],
  ask: [],
  fail: [],
  finish: [],
};

/** Context names are lower case. */
export const rawCarry: Read<Readonly<Record<string, string>>> = (reading, value, path) => {
  const written = mapOf(text)(reading, value, path);
  return written && Object.fromEntries(Object.entries(written).map(([to, from]) => [to.toLowerCase(), from]));
};

/** Report keys are upper case. */
const reportCarry: Read<Readonly<Record<string, string>>> = (reading, value, path) => {
  const written = rawCarry(reading, value, path);
  return written && inUpperCase(written);
};

export function inUpperCase(carry: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(carry).map(([to, from]) => [to, from.toUpperCase()]));
}

export const route: Read<Route> = (reading, value, path) => {
  if (value.type === 'scalar') return shortRoute(reading, value, path);
  const found = fields(reading, value, 'route', path);
  if (value.type === 'list') return undefined;
  const leading = ways.filter((one) => found.has(one));
  const [way] = leading;
  if (way === undefined || leading.length > 1) return noWay(reading, value, path);
  refuseBeside(reading, found, way, path);
  const entry = found.get(way) as TreeEntry;
  if (way === 'goto') return goTo(reading, entry, found, path);
  if (way === 'insert') return insertOf(reading, entry, found, path, reportCarry);
  if (!isTrue(entry.value)) {
    return complain(reading, entry.value.at, `"${way}" of ${named(path)} can only be true`);
  }
  return way === 'retry' ? { type: 'retry', budget: budgetOf(reading, found, path, 'attempts') } : { type: way };
};

export function insertion(carry: typeof rawCarry): Read<Insert> {
  return (reading, value, path) => {
    const entry = entryOf(value, 'insert');
    if (!entry) {
      return complain(reading, value.at, `${named(path)} must add work: "{insert: the-name-of-a-fragment}"`);
    }
    const found = fields(reading, value, 'route', path);
    refuseBeside(reading, found, 'insert', path);
    return insertOf(reading, entry, found, path, carry);
  };
}

export const exhausted: Read<Exhausted> = (reading, value, path) =>
  entryOf(value, 'insert') ? insertion(reportCarry)(reading, value, path) : word(endings)(reading, value, path);

/** A node's own id means retry, as in earlier designs. */
function shortRoute(reading: ReadState, value: ScalarTree, path: Path): Route | undefined {
  const said = value.text.trim();
  reading.places.set([...path, 'goto'], value.at);
  const known = routeWords.find((one) => one === said.toLowerCase());
  if (known) return plain(known);
  if (said === '') return noWay(reading, value, path);
  return said === path[0] ? plain('retry') : { type: 'goto', target: said, budget: 'loops', carry: {}, clear: [] };
}

function plain(type: PlainRoute['type']): PlainRoute {
  return type === 'retry' ? { type, budget: 'attempts' } : { type };
}

function noWay(reading: ReadState, value: Tree, path: Path): undefined {
  return complain(reading, value.at, `${named(path)} must lead to one of: ${ways.join(', ')}`);
}

function refuseBeside(reading: ReadState, found: Found, way: keyof typeof beside, path: Path): void {
  for (const [key, entry] of found) {
    if (key === way || beside[way].includes(key)) continue;
    complain(reading, entry.at, `"${key}" of ${named(path)} has no meaning together with "${way}"`);
  }
}

function goTo(reading: ReadState, target: TreeEntry, found: Found, path: Path): Route | undefined {
  const id = text(reading, target.value, [...path, 'goto']);
  if (id === undefined) return undefined;
  if (target.was === 'retry_step') reading.places.set([...path, 'backward only'], target.value.at);
  return {
    type: 'goto',
    target: id,
    budget: budgetOf(reading, found, path, 'loops'),
    carry: take(reading, found, 'carry', reportCarry, path) ?? {},
    clear: (take(reading, found, 'clear', listOf(text), path) ?? []).map((name) => name.toLowerCase()),
  };
}

function budgetOf<T extends 'loops' | 'attempts'>(
  reading: ReadState,
  found: Found,
  path: Path,
  usual: T,
): T | 'rejections' {
  return take(reading, found, 'budget', word<T | 'rejections'>([usual, 'rejections']), path) ?? usual;
}

function insertOf(
  reading: ReadState,
  fragment: TreeEntry,
  found: Found,
  path: Path,
  carry: typeof rawCarry,
): Insert | undefined {
  const name = text(reading, fragment.value, [...path, 'insert']);
  if (name === undefined) return undefined;
  return {
    type: 'insert',
    fragment: name,
    args: take(reading, found, 'args', listOf(text), path) ?? [],
    carry: take(reading, found, 'carry', carry, path) ?? {},
    say: take(reading, found, 'say', text, path) ?? null,
  };
}
