// A workflow in words, one line for each node.
import type { NodeDef, Route, Workflow } from './definition.js';
import { routesOf } from './routes.js';

export function describeWorkflow(workflow: Workflow): string {
  const { name, title, version } = workflow;
  const inputs = Object.entries(workflow.inputs).map(([key, one]) => (one.required ? `${key} (required)` : key));
  const lines = [
    `${name} ${version}${title === name ? '' : `: ${title}`}`,
    ...(inputs.length > 0 ? [`inputs: ${inputs.join(', ')}`] : []),
    ...workflow.chain.flatMap((node) => describeNode(node, '')),
  ];
  return `${lines.join('\n')}\n`;
}

function describeNode(node: NodeDef, indent: string): string[] {
  if (node.kind === 'loop') {
    return [
      `${indent}- ${node.id}: for each item`,
      ...node.body.flatMap((inner) => describeNode(inner, `${indent}  `)),
    ];
  }
  const facts = [
    kindOf(node),
    ...factsOf(node),
    ...routesOf(node).flatMap(({ path, route }) => describeRoute(path, route)),
  ];
  return [`${indent}- ${node.id}: ${facts.join(' · ')}`];
}

function kindOf(node: NodeDef): string {
  if (node.kind === 'human') return 'a person';
  return node.role === null ? node.kind : `${node.kind} by ${node.role}`;
}

function factsOf(node: NodeDef): string[] {
  if (node.kind === 'human') return [];
  return [
    `${node.maxAttempts} ${node.maxAttempts === 1 ? 'attempt' : 'attempts'}`,
    describeMs(node.timeoutMs),
    ...(node.check === null ? [] : [`check ${node.check}`]),
    ...(node.tests === null ? [] : [node.expects.red ? 'tests must fail' : 'tests']),
    ...(node.mandatory ? ['mandatory'] : []),
  ];
}

function describeRoute(path: readonly string[], route: Route): string[] {
  const isUsual = (path[1] === 'on_pass' && route.type === 'next') || (path[1] === 'on_fail' && route.type === 'retry');
  if (isUsual) return [];
  const when = path[1] === 'on_pass' ? 'pass' : path[2] === 'default' ? 'fail' : path[2];
  return [`${when} → ${route.type === 'goto' ? route.target : route.type}`];
}

function describeMs(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
