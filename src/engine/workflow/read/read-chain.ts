import type { Gate, LoopDef, NodeDef, NodeKind, RoleDef } from '../definition.js';
import { hasBody, judgesFiles } from '../node-kinds.js';
import type { ListTree, MapTree, Tree, TreeEntry } from '../source/tree.js';
import { didYouMean } from '../vocabulary/nearest.js';
import { notYet } from '../vocabulary/unsupported-words.js';
import { accesses } from '../vocabulary/vocabulary.js';
import { type NodePosition, warnOfDeadKeys } from './dead-keys.js';
import { complete, type NodeDefaults } from './defaults.js';
import { desugarLoops } from './old-loop.js';
import { finishGate } from './read-gate.js';
import { type NodePatch, readNeeds, readNode } from './read-node.js';
import { complain, entryOf, fields, isNothing, type ReadState, take, text, word } from './value-readers.js';

interface ChainSettings {
  readonly defaults: NodeDefaults;
  readonly roleTimeouts: ReadonlyMap<string, number>;
}

export interface Walk {
  readonly reading: ReadState;
  readonly settings: ChainSettings;
  readonly fragments: ReadonlyMap<string, WrittenFragment>;
  readonly bodies: Set<string>;
  readonly ids: Set<string>;
  readonly access: Map<string, NonNullable<RoleDef['access']>>;
}

export interface WrittenFragment {
  readonly entry: TreeEntry;
  readonly params: readonly string[];
  readonly nodes: ListTree;
}

interface ChainContext {
  readonly position: NodePosition;
  readonly editable: boolean;
}

export function readChain(walk: Walk, tree: Tree, context: ChainContext): NodeDef[] {
  if (tree.type !== 'list') return complain(walk.reading, tree.at, 'a chain must be a list of nodes') ?? [];
  const nodes: NodeDef[] = [];
  for (const item of desugarLoops(walk.reading, tree).items) {
    const earlier = nodes.map((node) => node.id);
    const node = readOne(walk, item, earlier, context);
    if (node) nodes.push(node);
  }
  return nodes;
}

export function readOne(walk: Walk, item: Tree, earlier: readonly string[], context: ChainContext): NodeDef | null {
  if (item.type !== 'map') return complain(walk.reading, item.at, 'a node must be a map with an id') ?? null;
  const id = readId(walk, item);
  return id === null ? null : readAs(walk, item, id, earlier, context);
}

function readAs(walk: Walk, item: MapTree, id: string, earlier: readonly string[], context: ChainContext): NodeDef {
  const { reading } = walk;
  reading.places.set([id], item.at);
  const { patch, found } = readNode(reading, item, id);
  const kind = kindOf(patch, found);
  const inner = hasBody({ kind }) ? readLoop(walk, item, id, found) : { body: [], stepTypes: [] };
  const gate: Gate | null = judgesFiles({ kind }) ? finishGate(reading, id, patch.gate ?? {}) : null;
  const access = take(reading, found, 'access', word(accesses), [id]);
  if (access) walk.access.set(id, access);
  const needs = readNeeds(reading, found.get('needs'), id, earlier);
  warnOfDeadKeys(reading, found, { id, kind, position: context.position });
  return complete({ ...patch, ...needs, ...inner, id, kind, gate }, defaultsFor(walk, patch, context));
}

/** A node with a decision_key decides by report, so it is a task. Only gates judge files. */
function kindOf(patch: NodePatch, found: Found): NodeKind {
  if (patch.kind === 'decision' && patch.decisionKey && !patch.gate) return 'task';
  return patch.kind ?? (found.has('body') || found.has('over') ? 'loop' : 'task');
}

function readId(walk: Walk, node: MapTree): string | null {
  const entry = entryOf(node, 'id');
  if (!entry) return complain(walk.reading, node.at, 'the node has no id') ?? null;
  const id = text(walk.reading, entry.value, ['id']);
  return id === undefined ? null : takeId(walk, id, entry.value);
}

function takeId({ reading, ids }: Walk, id: string, said: Pick<Tree, 'at'>): string | null {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id)) {
    return complain(reading, said.at, `invalid id: use only letters, digits, - and _`) ?? null;
  }
  if (ids.has(id)) return complain(reading, said.at, `two nodes have the id "${id}"`) ?? null;
  ids.add(id);
  return id;
}

type Found = ReadonlyMap<string, TreeEntry>;

function readLoop(walk: Walk, node: MapTree, id: string, found: Found): Pick<LoopDef, 'body' | 'stepTypes'> {
  if (!found.has('over')) {
    complain(walk.reading, node.at, `the loop "${id}" lacks "over", such as "over: items"`);
  }
  const editable = found.has('step_types');
  const body = readBody(walk, node, id, found, { position: 'body', editable });
  const types = found.get('step_types');
  return { body, stepTypes: types ? readStepTypes(walk, types, body) : [] };
}

function readBody(walk: Walk, node: MapTree, id: string, found: Found, context: ChainContext): readonly NodeDef[] {
  const { reading } = walk;
  const body = found.get('body');
  if (!body || isNothing(body.value) || (body.value.type === 'list' && body.value.items.length === 0)) {
    return complain(reading, body?.at ?? node.at, `the loop "${id}" has no body`) ?? [];
  }
  const list = body.value.type === 'map' ? usedFragment(walk, id, body.value) : body.value;
  const nodes = list ? readChain(walk, list, context) : [];
  for (const inner of nodes.filter(hasBody)) {
    complain(reading, reading.places.at([inner.id]), notYet(`a loop within a loop ("${inner.id}" in "${id}")`));
  }
  return nodes;
}

/** `body: {use: phase}` takes a fragment's nodes. */
function usedFragment(walk: Walk, id: string, body: MapTree): ListTree | null {
  const { reading, fragments, bodies } = walk;
  const use = fields(reading, body, 'body', [id, 'body']).get('use');
  if (!use)
    return complain(reading, body.at, `the body of "${id}" must be a list of nodes or "{use: a-fragment}"`) ?? null;
  const name = text(reading, use.value, [id, 'body', 'use']);
  if (name === undefined) return null;
  const fragment = fragments.get(name);
  if (!fragment) {
    return (
      complain(reading, use.value.at, `there is no fragment "${name}"${didYouMean(name, fragments.keys())}`) ?? null
    );
  }
  bodies.add(name);
  const again = fragment.nodes.items.find((one) => entryOf(one, 'again'));
  if (fragment.params.length === 0 && !again) return fragment.nodes;
  const what = again ? 'repeats nodes' : 'has params';
  return complain(reading, use.value.at, `"${name}" ${what}, so it cannot be the body of "${id}"`) ?? null;
}

function readStepTypes(walk: Walk, types: TreeEntry, body: readonly NodeDef[]): readonly NodeDef[] {
  const { reading } = walk;
  if (isNothing(types.value)) return [];
  if (types.value.type !== 'map') {
    return complain(reading, types.value.at, '"step_types" must be a map of steps: "rebase: {title: …}"') ?? [];
  }
  const ids = body.map((node) => node.id);
  return types.value.entries.flatMap(({ key, at, value }) => {
    const id = takeId(walk, key, { at });
    const map: Tree = isNothing(value) ? { type: 'map', at, entries: [] } : value;
    if (id === null) return [];
    if (map.type !== 'map') return complain(reading, value.at, `the step type "${id}" must be a map of keys`) ?? [];
    const node = readAs(walk, map, id, ids, { position: 'step type', editable: true });
    if (hasBody(node)) complain(reading, at, notYet(`a loop as a step type ("${id}")`));
    return [node];
  });
}

function defaultsFor({ settings }: Walk, patch: NodePatch, context: ChainContext): NodeDefaults {
  const { defaults, roleTimeouts } = settings;
  return {
    ...defaults,
    timeoutMs: roleTimeouts.get(patch.role ?? '') ?? defaults.timeoutMs,
    editable: defaults.editable ?? context.editable,
  };
}
