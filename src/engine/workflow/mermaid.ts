// A workflow as a Mermaid graph: loops are frames, people are hexagons, routes that do not go on are dotted.
import type { NodeDef, Workflow } from './definition.js';
import { routesOf } from './routes.js';
import { everyNode } from './template.js';

export function toMermaid(workflow: Workflow): string {
  const ids = new Map(everyNode(workflow).map((node, index) => [node.id, `n${index + 1}`]));
  const idOf = (id: string) => String(ids.get(id));
  const lines = [
    'flowchart TD',
    '  start([start])',
    ...workflow.chain.flatMap((node) => shapes(node, idOf)),
    '  done([done])',
    ...edges(workflow.chain, idOf, 'start', 'done'),
    ...workflow.chain.flatMap((loop) => edges(loop.body, idOf, null, null)),
  ];
  return `${lines.join('\n')}\n`;
}

type IdOf = (id: string) => string;

function shapes(node: NodeDef, idOf: IdOf): string[] {
  if (node.kind !== 'loop') return [`  ${idOf(node.id)}${shape(node)}`];
  const body = node.body.map((inner) => `    ${idOf(inner.id)}${shape(inner)}`);
  return [`  subgraph ${idOf(node.id)}["${quoted(node.title)}: for each item"]`, ...body, '  end'];
}

function shape(node: NodeDef): string {
  const label = `"${quoted(node.id)}"`;
  if (node.kind === 'human') return `{{${label}}}`;
  return node.kind === 'check' ? `([${label}])` : `[${label}]`;
}

function edges(chain: readonly NodeDef[], idOf: IdOf, before: string | null, after: string | null): string[] {
  const [first] = chain;
  const lines = first && before ? [`  ${before} --> ${idOf(first.id)}`] : [];
  chain.forEach((node, index) => {
    const next = chain[index + 1];
    const following = next ? idOf(next.id) : after;
    lines.push(...edgesOf(node, idOf, following, after));
  });
  return lines;
}

function edgesOf(node: NodeDef, idOf: IdOf, following: string | null, after: string | null): string[] {
  const from = idOf(node.id);
  return routesOf(node).flatMap(({ path, route }) => {
    const isPass = path[1] === 'on_pass';
    if (isPass && node.decisionKey !== null) return [];
    const word = String(path.at(-1));
    const label = isPass ? 'pass' : word === 'default' ? 'fail' : word;
    if (route.type === 'goto') return [`  ${from} -. "${quoted(label)}" .-> ${idOf(route.target)}`];
    const to = route.type === 'next' ? following : route.type === 'finish' ? after : null;
    if (to === null) return [];
    return [isPass ? `  ${from} --> ${to}` : `  ${from} -- "${quoted(label)}" --> ${to}`];
  });
}

function quoted(text: string): string {
  return text.replaceAll('"', '#quot;');
}
