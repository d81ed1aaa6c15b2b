// Frames are fragments, diamonds decisions, hexagons people, dotted lines jumps and inserts.

import type { Fragment, LoopDef, NodeDef, Workflow } from '../definition.js';
import { definitions } from '../definitions.js';
import { hasBody, innerNodes, isRoutedByKey, nodeKinds } from '../node-kinds.js';
import { insertsOf, type PlacedInsert, routesOf } from '../routes.js';

interface Names {
  readonly node: (id: string) => string;
  readonly fragment: (id: string) => string;
}

export function toMermaid(workflow: Workflow): string {
  const nodes = definitions(workflow);
  const fragments = Object.values(workflow.fragments);
  const ids = new Map(nodes.map((node, index) => [node.id, `n${index + 1}`]));
  const frames = new Map(fragments.map((fragment, index) => [fragment.id, `f${index + 1}`]));
  const names = { node: (id: string) => String(ids.get(id)), fragment: (id: string) => String(frames.get(id)) };
  const kinds = new Map(nodes.map((node) => [node.id, node.kind]));
  const lines = [
    'flowchart TD',
    '  start([start])',
    ...workflow.chain.flatMap((node) => shapes(node, names)),
    '  done([done])',
    ...fragments.flatMap((fragment) => frame(fragment, kinds, names)),
    ...edges(workflow.chain, names, 'start', 'done'),
    ...workflow.chain.filter(hasBody).flatMap((loop) => loopEdges(loop, names)),
    ...fragments.flatMap((fragment) => fragmentEdges(fragment, names)),
  ];
  return `${lines.join('\n')}\n`;
}

function shapes(node: NodeDef, names: Names): string[] {
  if (!hasBody(node)) return [`  ${names.node(node.id)}${shape(node.id, node.kind)}`];
  const inner = innerNodes(node).map((one) => `    ${names.node(one.id)}${shape(one.id, one.kind)}`);
  const title = `${node.title}: ${loopTitle(node)}`;
  return [`  subgraph ${names.node(node.id)}["${quoted(title)}"]`, ...inner, '  end'];
}

function shape(text: string, kind: NodeDef['kind'] | undefined): string {
  const label = `"${quoted(text)}"`;
  const [open, close] = brackets[kind === undefined ? 'box' : nodeKinds[kind].shape];
  return `${open}${label}${close}`;
}

const brackets = { box: ['[', ']'], stadium: ['([', '])'], hexagon: ['{{', '}}'], diamond: ['{', '}'] } as const;

/** A repeated node is drawn again. */
function frame(fragment: Fragment, kinds: ReadonlyMap<string, NodeDef['kind']>, names: Names): string[] {
  const own = new Set(fragment.defs.map((def) => def.id));
  const params = fragment.params.length > 0 ? ` (${fragment.params.join(', ')})` : '';
  const inner = fragment.nodes.map(({ template }, index) => {
    const text = own.has(template) || template.startsWith('$') ? template : `${template} again`;
    return `    ${placeIn(fragment, index, names)}${shape(text, kinds.get(template))}`;
  });
  return [`  subgraph ${names.fragment(fragment.id)}["${quoted(fragment.id)}${params}"]`, ...inner, '  end'];
}

function placeIn(fragment: Fragment, index: number, names: Names): string {
  const template = fragment.nodes[index]?.template;
  const own = fragment.defs.find((def) => def.id === template);
  return own ? names.node(own.id) : `${names.fragment(fragment.id)}_${index + 1}`;
}

function edges(chain: readonly NodeDef[], names: Names, before: string | null, after: string | null): string[] {
  const [first] = chain;
  const lines = first && before ? [`  ${before} --> ${names.node(first.id)}`] : [];
  chain.forEach((node, index) => {
    const next = chain[index + 1];
    const following = next ? names.node(next.id) : after;
    lines.push(...edgesOf(node, names, following, after));
  });
  return lines;
}

function loopEdges(loop: LoopDef, names: Names): string[] {
  const conflict = loop.onItemDone?.conflict;
  const resolve = conflict ? [`  ${names.node(conflict.insert)} -. "conflict" .-> ${names.node(conflict.before)}`] : [];
  return [
    ...edges(loop.body, names, null, null),
    ...loop.stepTypes.flatMap((node) => edgesOf(node, names, null, null)),
    ...resolve,
  ];
}

function fragmentEdges(fragment: Fragment, names: Names): string[] {
  return fragment.nodes.flatMap(({ template }, index) => {
    const from = placeIn(fragment, index, names);
    const following = index + 1 < fragment.nodes.length ? placeIn(fragment, index + 1, names) : null;
    const own = fragment.defs.find((def) => def.id === template);
    if (own) return edgesOf(own, names, following, null);
    return following === null ? [] : [`  ${from} --> ${following}`];
  });
}

function edgesOf(node: NodeDef, names: Names, following: string | null, after: string | null): string[] {
  const from = names.node(node.id);
  const byRoute = routesOf(node).flatMap(({ path, route }) => {
    const isPass = path[1] === 'on_pass';
    if (isPass && isRoutedByKey(node)) return [];
    const label = labelOf(path);
    if (route.type === 'goto') return [`  ${from} -. "${quoted(label)}" .-> ${names.node(route.target)}`];
    const to = route.type === 'next' ? following : route.type === 'finish' ? after : null;
    if (to === null) return [];
    return [isPass ? `  ${from} --> ${to}` : `  ${from} -- "${quoted(label)}" --> ${to}`];
  });
  return [...byRoute, ...insertsOf(node).map((one) => insertEdge(one, from, names))];
}

function insertEdge({ path, insert }: PlacedInsert, from: string, names: Names): string {
  return `  ${from} -. "${quoted(labelOf(path))}" .-> ${names.fragment(insert.fragment)}`;
}

function labelOf(path: readonly string[]): string {
  if (path[1] === 'on_pass') return 'pass';
  if (path[1] === 'on_exhausted') return 'exhausted';
  const word = String(path.at(-1));
  return word === 'default' ? 'fail' : word;
}

function quoted(text: string): string {
  return text.replaceAll('"', '#quot;');
}

export function loopTitle(loop: LoopDef): string {
  const each = loop.over === 'phases' ? 'for each phase' : 'for each item';
  const beside = loop.parallel > 1 ? `, ${loop.parallel} side by side` : '';
  return `${each}${beside}${loop.isolate === 'worktree' ? ', in worktrees' : ''}`;
}
