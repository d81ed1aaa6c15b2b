// A list of nodes, and the loops among them.

import { complete, type NodeDefaults } from './defaults.js';
import type { NodeDef, NodeKind } from './definition.js';
import { notYet } from './not-yet.js';
import { desugarLoops } from './old-loop.js';
import { type NodePatch, readNeeds, readNode } from './read-node.js';
import { complain, entryOf, isNothing, type Reading, text, warn, word } from './reading.js';
import type { Entry, MapTree, Tree } from './tree.js';

export interface ChainSettings {
  readonly onTimeout: NodeDef['onTimeout'];
  readonly timeoutMs: number | undefined;
  readonly roleTimeouts: ReadonlyMap<string, number>;
}

interface Walk {
  readonly reading: Reading;
  readonly settings: ChainSettings;
  /** Ids are unique in the whole workflow: those that were seen. */
  readonly ids: Set<string>;
}

export function readChain(reading: Reading, tree: Tree, settings: ChainSettings): NodeDef[] {
  return walkChain({ reading, settings, ids: new Set() }, tree);
}

function walkChain(walk: Walk, tree: Tree): NodeDef[] {
  if (tree.type !== 'list') return complain(walk.reading, tree.at, 'a chain must be a list of nodes') ?? [];
  const nodes: NodeDef[] = [];
  for (const item of desugarLoops(walk.reading, tree).items) {
    const node = readOne(walk, item, nodes);
    if (node) nodes.push(node);
  }
  return nodes;
}

function readOne(walk: Walk, item: Tree, earlier: readonly NodeDef[]): NodeDef | null {
  const { reading, settings } = walk;
  if (item.type !== 'map') return complain(reading, item.at, 'a node must be a map with an id') ?? null;
  const id = readId(walk, item);
  if (id === null) return null;
  reading.places.set([id], item.at);
  const { patch, found } = readNode(reading, item, id);
  const kind = patch.kind ?? (found.has('body') || found.has('over') ? 'loop' : 'task');
  const body = kind === 'loop' ? readBody(walk, item, id, found) : [];
  const before = earlier.map((node) => node.id);
  readNeeds(reading, found.get('needs'), id, before);
  warnOfDeadKeys(reading, found, id, kind);
  return complete({ ...patch, id, kind, body }, defaultsFor(patch, settings));
}

function readId({ reading, ids }: Walk, node: MapTree): string | null {
  const entry = entryOf(node, 'id');
  if (!entry) return complain(reading, node.at, 'the node has no id') ?? null;
  const id = text(reading, entry.value, ['id']);
  if (id === undefined) return null;
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id)) {
    return (
      complain(reading, entry.value.at, `"${id.slice(0, 60)}" cannot be an id: letters, digits, - and _ only`) ?? null
    );
  }
  if (ids.has(id)) return complain(reading, entry.value.at, `there are two nodes with the id "${id}"`) ?? null;
  ids.add(id);
  return id;
}

function readBody(walk: Walk, node: MapTree, id: string, found: ReadonlyMap<string, Entry>): readonly NodeDef[] {
  const { reading } = walk;
  const over = found.get('over');
  if (over) word(['items', 'stories'])(reading, over.value, [id, 'over']);
  else complain(reading, node.at, `the loop "${id}" does not say over what: "over: items"`);
  const body = found.get('body');
  if (!body || isNothing(body.value) || (body.value.type === 'list' && body.value.items.length === 0)) {
    return complain(reading, body?.at ?? node.at, `the loop "${id}" has no body`) ?? [];
  }
  const nodes = walkChain(walk, body.value);
  for (const inner of nodes.filter((one) => one.kind === 'loop')) {
    complain(reading, reading.places.at([inner.id]), notYet(`a loop within a loop ("${inner.id}" in "${id}")`));
  }
  return nodes;
}

function defaultsFor(patch: NodePatch, settings: ChainSettings): NodeDefaults {
  const byRole = settings.roleTimeouts.get(patch.role ?? '');
  return { onTimeout: settings.onTimeout, timeoutMs: byRole ?? settings.timeoutMs };
}

const TASK_ONLY = [
  'role',
  'prompt',
  'reads',
  'writes',
  'expects',
  'outputs',
  'decision_key',
  'on_decision',
  'on_status',
];
const RUN_ONLY = ['check', 'tests', 'timeout', 'max_attempts', 'abandons', 'rollback', 'on_exhausted'];
const CHAIN_ONLY = ['over', 'body', 'max_rejections', 'parallel', 'isolate'];

/** Keys that mean nothing on a node of this kind. */
const deadKeys: Readonly<Record<NodeKind, readonly string[]>> = {
  task: CHAIN_ONLY,
  check: [...TASK_ONLY, ...CHAIN_ONLY],
  human: [...TASK_ONLY.filter((key) => key !== 'prompt'), ...RUN_ONLY, ...CHAIN_ONLY, 'max_loops'],
  loop: [...TASK_ONLY, ...RUN_ONLY, 'max_loops'],
};

function warnOfDeadKeys(reading: Reading, found: ReadonlyMap<string, Entry>, id: string, kind: NodeKind): void {
  for (const [key, entry] of found) {
    if (deadKeys[kind].includes(key))
      warn(reading, entry.at, `"${entry.was ?? key}" does nothing on "${id}", which is a ${kind} node`);
  }
}
