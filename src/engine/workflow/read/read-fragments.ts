// A fragment has own nodes and repeated ones.

import type { Fragment, FragmentNode, NodeDef } from '../definition.js';
import { hasBody } from '../node-kinds.js';
import type { ListTree, Tree, TreeEntry } from '../source/tree.js';
import { notYet } from '../vocabulary/unsupported-words.js';
import { readOne, type Walk, type WrittenFragment } from './read-chain.js';
import { rawCarry } from './read-route.js';
import {
  complain,
  entryOf,
  expression,
  fields,
  isNothing,
  listOf,
  named,
  type Path,
  type Read,
  type ReadState,
  take,
  text,
  word,
  words,
} from './value-readers.js';

export type Carry = Readonly<Record<string, string>>;

interface ReadFragments {
  readonly fragments: Readonly<Record<string, Fragment>>;
  readonly carries: ReadonlyMap<string, Carry>;
}

/** Read first, because a body may name one. */
export function writtenFragments(
  reading: ReadState,
  entry: TreeEntry | undefined,
): ReadonlyMap<string, WrittenFragment> {
  if (!entry || isNothing(entry.value)) return new Map();
  if (entry.value.type !== 'map') {
    complain(reading, entry.value.at, '"fragments" must be a map: "fix: {nodes: [{again: work}]}"');
    return new Map();
  }
  return new Map(entry.value.entries.map((one) => [one.key, writtenFragment(reading, one)]));
}

function writtenFragment(reading: ReadState, entry: TreeEntry): WrittenFragment {
  const { key: id, at, value } = entry;
  const path = ['fragments', id];
  reading.places.set(path, at);
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(id)) {
    complain(reading, at, `invalid fragment name: use only letters, digits, - and _`);
  }
  const found = fields(reading, value, 'fragment', path);
  const params = take(reading, found, 'params', listOf(param), path) ?? [];
  const nodes = found.get('nodes')?.value ?? value;
  const list: ListTree = nodes.type === 'list' ? nodes : { type: 'list', at: nodes.at, items: [] };
  if (list.items.length === 0) complain(reading, list.at, `the fragment "${id}" has no list of nodes`);
  return { entry, params, nodes: list };
}

const param: Read<string> = (reading, value, path) => {
  const name = text(reading, value, path);
  if (name === undefined || /^[A-Za-z_]\w{0,63}$/.test(name)) return name;
  return complain(reading, value.at, `${named(path)} must be a list of plain words`);
};

export function readFragments(walk: Walk): ReadFragments {
  const carries = new Map<string, Carry>();
  const fragments = [...walk.fragments].flatMap(([id, written]): [string, Fragment][] => {
    if (walk.bodies.has(id)) return [];
    const { fragment, carry } = readFragment(walk, id, written);
    carries.set(id, carry);
    return [[id, fragment]];
  });
  return { fragments: Object.fromEntries(fragments), carries };
}

function readFragment(walk: Walk, id: string, written: WrittenFragment): { fragment: Fragment; carry: Carry } {
  const { reading } = walk;
  const nodes: FragmentNode[] = [];
  const defs: NodeDef[] = [];
  let carry: Carry = {};
  written.nodes.items.forEach((item, index) => {
    const path = ['fragments', id, 'nodes', String(index)];
    reading.places.set(path, item.at);
    const carryEntry = entryOf(item, 'carry');
    if (carryEntry) carry = { ...carry, ...rawCarry(reading, carryEntry.value, [...path, 'carry']) };
    const node = entryOf(item, 'again') ? readAgain(reading, item, path) : ownNode(walk, item, nodes, defs);
    if (node) nodes.push(node);
  });
  return { fragment: { id, params: written.params, nodes, defs }, carry };
}

function readAgain(reading: ReadState, item: Tree, path: Path): FragmentNode | null {
  const found = fields(reading, item, 'again', path);
  const template = take(reading, found, 'again', text, path);
  if (template === undefined) return null;
  return {
    template,
    args: take(reading, found, 'args', words, path) ?? null,
    retry: take(reading, found, 'retry', word(['fresh', 'next']), path) ?? 'fresh',
    when: take(reading, found, 'when', expression, path) ?? null,
  };
}

function ownNode(walk: Walk, item: Tree, nodes: readonly FragmentNode[], defs: NodeDef[]): FragmentNode | null {
  const earlier = nodes.map((node) => node.template);
  const def = readOne(walk, item, earlier, { position: 'fragment', editable: false });
  if (!def) return null;
  if (hasBody(def)) {
    complain(walk.reading, item.at, notYet(`a loop that only a fragment has ("${def.id}")`));
  }
  defs.push(def);
  return { template: def.id, args: null, retry: 'fresh', when: null };
}
