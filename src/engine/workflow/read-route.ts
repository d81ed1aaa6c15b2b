// Where an outcome leads, in its short form (a word or a node's id) and its long one.
import type { Route } from './definition.js';
import {
  complain,
  fields,
  isTrue,
  listOf,
  mapOf,
  named,
  type Path,
  type Read,
  type Reading,
  text,
  word,
} from './reading.js';
import type { Entry, ScalarTree, Tree } from './tree.js';
import { routeWords } from './vocabulary.js';

type PlainRoute = Exclude<Route, { type: 'goto' }>;

/** Reports have their keys in upper case, the context in lower case. */
const carry: Read<Readonly<Record<string, string>>> = (reading, value, path) => {
  const written = mapOf(text)(reading, value, path);
  return (
    written && Object.fromEntries(Object.entries(written).map(([to, from]) => [to.toLowerCase(), from.toUpperCase()]))
  );
};

export const route: Read<Route> = (reading, value, path) => {
  if (value.type === 'scalar') return shortRoute(reading, value, path);
  const found = fields(reading, value, 'route', path);
  const target = found.get('goto');
  const plain = routeWords.filter((one) => found.has(one));
  if (target && plain.length === 0) return goTo(reading, target, found, path);
  const [only] = plain;
  if (!only || found.size > 1)
    return complain(reading, value.at, `${named(path)} must lead to one of: goto, ${routeWords.join(', ')}`);
  const entry = found.get(only) as Entry;
  if (isTrue(entry.value)) return { type: only };
  return complain(reading, entry.value.at, `"${only}" of ${named(path)} can only be true`);
};

/** A node's own id stands for a retry here, as the tables of earlier designs have it. */
function shortRoute(reading: Reading, value: ScalarTree, path: Path): Route | undefined {
  const said = value.text.trim();
  reading.places.set([...path, 'goto'], value.at);
  const known = routeWords.find((one) => one === said.toLowerCase());
  if (known) return plain(known);
  if (said === '')
    return complain(reading, value.at, `${named(path)} must lead to one of: goto, ${routeWords.join(', ')}`);
  return said === path[0] ? plain('retry') : { type: 'goto', target: said, budget: 'loops', carry: {}, clear: [] };
}

function plain(type: PlainRoute['type']): PlainRoute {
  return { type };
}

function goTo(reading: Reading, target: Entry, found: ReadonlyMap<string, Entry>, path: Path): Route | undefined {
  const id = text(reading, target.value, [...path, 'goto']);
  if (id === undefined) return undefined;
  if (target.was === 'retry_step') reading.places.set([...path, 'backward only'], target.value.at);
  const read = <T>(key: string, reader: Read<T>, fallback: T): T => {
    const value: Tree | undefined = found.get(key)?.value;
    return (value && reader(reading, value, [...path, key])) ?? fallback;
  };
  return {
    type: 'goto',
    target: id,
    budget: read('budget', word(['loops', 'rejections']), 'loops'),
    carry: read('carry', carry, {}),
    clear: read('clear', listOf(text), []).map((name) => name.toLowerCase()),
  };
}
