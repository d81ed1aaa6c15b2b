// A `type: loop` step and its verifier become a loop with a body.

import type { ListTree, MapTree, Tree, TreeEntry } from '../source/tree.js';
import { snakeCase } from '../vocabulary/old-spellings.js';
import { asVerifier, asWork } from './old-verify.js';
import { complain, entryOf, isTrue, type ReadState } from './value-readers.js';

const loopId = 'stories';

/** Routes into its steps lead to the loop. */
export function desugarLoops(reading: ReadState, chain: ListTree): ListTree {
  /** Steps that a loop absorbed, or that cannot be one. */
  const moved = new Map<Tree, string>();
  const inLoop = new Set<string>();
  const items = chain.items.map((item) => {
    if (item.type !== 'map' || !isOldLoop(item)) return item;
    inLoop.add(idOf(item));
    const rewritten = rewrite(reading, item, chain, moved);
    return rewritten ?? item;
  });
  for (const id of moved.values()) inLoop.add(id);
  const rest = items.filter((item) => !moved.has(item));
  return { ...chain, items: rest.map((item) => (chain.items.includes(item) ? routedToLoop(item, inLoop) : item)) };
}

/** The old loop never asks between stories. */
export function hasOldLoop(chain: Tree | undefined): boolean {
  return chain?.type === 'list' && chain.items.some((item) => item.type === 'map' && isOldLoop(item));
}

function routedToLoop(tree: Tree, inLoop: ReadonlySet<string>): Tree {
  if (tree.type === 'list') return { ...tree, items: tree.items.map((item) => routedToLoop(item, inLoop)) };
  if (tree.type !== 'map') return tree;
  const hasCarry = entryOf(tree, 'carry') !== undefined;
  const entries = tree.entries.flatMap((entry): readonly TreeEntry[] => {
    const key = snakeCase(entry.key);
    const { at, value } = entry;
    const leadsIn =
      ['retry_step', 'next_step', 'goto'].includes(key) && value.type === 'scalar' && inLoop.has(value.text);
    if (!leadsIn) return [{ ...entry, value: routedToLoop(value, inLoop) }];
    const toLoop = { ...entry, value: { ...value, value: loopId, text: loopId } };
    // Stories read the findings as the reason, so no value is carried.
    return hasCarry ? [toLoop] : [toLoop, { key: 'carry', at, value: { type: 'map', at, entries: [] } }];
  });
  return { ...tree, entries };
}

function isOldLoop(node: MapTree): boolean {
  const type = entryOf(node, 'type')?.value;
  return type?.type === 'scalar' && type.value === 'loop' && !entryOf(node, 'body');
}

function rewrite(reading: ReadState, node: MapTree, chain: ListTree, moved: Map<Tree, string>): MapTree | null {
  const id = idOf(node);
  const loop = entryOf(node, 'loop');
  if (loop?.value.type !== 'map') {
    moved.set(node, id);
    complain(reading, loop?.at ?? node.at, `the step "${id}" has type loop but no "loop" with its "over"`);
    return null;
  }
  const settings = snakeKeys(loop.value);
  const given = entryOf(node, 'max_retries') ?? entryOf(node, 'maxRetries');
  const inner = node.entries.filter((one) => !['type', 'loop'].includes(one.key) && one !== given);
  const work = asWork({ ...node, entries: [...inner, ...kept(settings, ['fresh_session'])] }, id);
  const verifier = verifierOf(reading, id, settings, chain);
  if (verifier) moved.set(verifier, idOf(verifier));
  const verify = verifier && asVerifier(verifier, id);
  refuseCompletion(reading, settings);
  const body: ListTree = { type: 'list', at: node.at, items: [work.node, ...(verify ? [verify.node] : [])] };
  const retries = given ?? work.retries ?? verify?.retries;
  const entries: TreeEntry[] = [
    word('id', loopId, node),
    word('kind', 'loop', node),
    ...kept(settings, ['over', 'parallel', 'isolate']),
    ...unknown(settings),
    ...(retries ? [{ ...retries, key: 'max_rejections', was: retries.key }] : []),
    { key: 'body', at: node.at, value: body },
  ];
  return { type: 'map', at: node.at, entries };
}

function verifierOf(reading: ReadState, id: string, settings: MapTree, chain: ListTree): MapTree | null {
  const each = entryOf(settings, 'verify_each');
  if (!each || !isTrue(each.value)) return null;
  const named = entryOf(settings, 'verify_step');
  if (!named) {
    complain(reading, each.at, `the loop of "${id}" has verify_each but no verify_step`);
    return null;
  }
  const verifierId = named.value.type === 'scalar' ? named.value.text : '';
  const steps = chain.items.flatMap((item) => (item.type === 'map' ? [item] : []));
  const found = steps.find((item) => idOf(item) === verifierId && verifierId !== id);
  if (!found) complain(reading, named.value.at, `verify_step "${verifierId}" of "${id}" is not another step`);
  return found ?? null;
}

function refuseCompletion(reading: ReadState, settings: MapTree): void {
  const completion = entryOf(settings, 'completion')?.value;
  const isKnown = !completion || (completion.type === 'scalar' && completion.value === 'all_done');
  if (!isKnown) complain(reading, completion.at, 'completion must be all_done');
}

const settingKeys = ['over', 'completion', 'fresh_session', 'verify_each', 'verify_step', 'parallel', 'isolate'];

function kept(settings: MapTree, keys: readonly string[]): readonly TreeEntry[] {
  return settings.entries.filter((one) => keys.includes(one.key));
}

/** Left in the map, where they are reported. */
function unknown(settings: MapTree): readonly TreeEntry[] {
  return settings.entries.filter((one) => !settingKeys.includes(one.key));
}

function snakeKeys(map: MapTree): MapTree {
  return { ...map, entries: map.entries.map((one) => ({ ...one, key: snakeCase(one.key) })) };
}

function word(key: string, said: string, node: MapTree): TreeEntry {
  const value: Tree = { type: 'scalar', at: node.at, value: said, text: said, placeholders: [] };
  return { key, at: node.at, value };
}

function idOf(node: MapTree): string {
  const id = entryOf(node, 'id')?.value;
  return id?.type === 'scalar' ? id.text : '';
}
