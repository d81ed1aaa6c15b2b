import type { Evidence, Fragment, NodeDef, Route, Workflow } from '../definition.js';
import { asksPerson, hasBody, isEditable, judgesFiles, runsAgent, runsJob } from '../node-kinds.js';
import { insertsOf, routesOf } from '../routes.js';
import { loopTitle } from './mermaid.js';

export function describeWorkflow(workflow: Workflow): string {
  const { name, title, version } = workflow;
  const inputs = Object.entries(workflow.inputs).map(([key, one]) => (one.required ? `${key} (required)` : key));
  const lines = [
    `${name} ${version}${title === name ? '' : `: ${title}`}`,
    ...(inputs.length > 0 ? [`inputs: ${inputs.join(', ')}`] : []),
    ...(workflow.survey === null ? [] : [`begins at the position that ${workflow.survey} shows`]),
    ...workflow.chain.flatMap((node) => describeNode(node, '')),
    ...Object.values(workflow.fragments).flatMap(describeFragment),
  ];
  return `${lines.join('\n')}\n`;
}

function describeNode(node: NodeDef, indent: string, first: readonly string[] = []): string[] {
  if (hasBody(node)) {
    return [
      `${indent}- ${node.id}: ${[loopTitle(node), ...whenOf(node)].join(' · ')}`,
      ...node.body.flatMap((inner) => describeNode(inner, `${indent}  `)),
      ...node.stepTypes.flatMap((inner) => describeNode(inner, `${indent}  `, ['only when inserted'])),
    ];
  }
  const facts = [
    ...first,
    ...kindOf(node),
    ...factsOf(node),
    ...routesOf(node).flatMap(({ path, route }) => describeRoute(path, route)),
    ...insertsOf(node).map(({ path, insert }) => `${wordOf(path)} → insert ${insert.fragment}`),
    ...whenOf(node),
  ];
  return [`${indent}- ${node.id}: ${facts.join(' · ')}`];
}

export function noteOf(node: NodeDef): string {
  switch (node.kind) {
    case 'task':
      return node.maxAttempts > 1 ? `up to ${node.maxAttempts} attempts` : 'one attempt';
    case 'check':
      return 'check';
    case 'human':
      return 'a person reviews';
    case 'decision':
      return 'gate';
    case 'loop':
      return node.parallel > 1
        ? `for each item, ${node.parallel} side by side`
        : `for each ${node.over === 'phases' ? 'phase' : 'item'}`;
  }
}

function describeFragment(fragment: Fragment): string[] {
  const { id, params, nodes, defs } = fragment;
  const lines = nodes.flatMap((one) => {
    const own = defs.find((def) => def.id === one.template);
    if (own) return describeNode(own, '  ');
    const args = one.args === null ? '' : ` · ${one.args}`;
    const when = one.when === null ? '' : ` · when ${one.when.text}`;
    return [`  - ${one.template} again${args}${one.retry === 'next' ? ' · counts on' : ''}${when}`];
  });
  return [`${id}${params.length > 0 ? ` (${params.join(', ')})` : ''}: inserted`, ...lines];
}

function kindOf(node: NodeDef): string[] {
  if (asksPerson(node)) return ['a person'];
  if (!judgesFiles(node)) return [runsJob(node) && node.role !== null ? `${node.kind} by ${node.role}` : node.kind];
  const { evidence, failWhen, maxRetries } = node.gate;
  return [
    `decision on ${evidence.map(fileOf).join(', ')}`,
    `fails when ${failWhen.text}`,
    ...(maxRetries === null ? [] : [`${maxRetries} ${maxRetries === 1 ? 'retry' : 'retries'}`]),
  ];
}

function fileOf(evidence: Evidence): string {
  return evidence.isOptional ? `${evidence.file} if it exists` : evidence.file;
}

function factsOf(node: NodeDef): string[] {
  if (!runsJob(node)) return [];
  return [
    `${node.maxAttempts} ${node.maxAttempts === 1 ? 'attempt' : 'attempts'}`,
    describeMs(node.timeoutMs),
    ...(node.check === null ? [] : [`check ${node.check}`]),
    ...(node.tests === null ? [] : [node.expects.red ? 'tests must fail' : 'tests']),
    ...(node.mandatory ? ['mandatory'] : []),
    ...(isEditable(node) ? ['may edit what follows'] : []),
    ...(runsAgent(node) && node.team ? [`team of ${Object.keys(node.team.roles).join(', ')}`] : []),
  ];
}

function whenOf(node: NodeDef): string[] {
  return node.when === null ? [] : [`when ${node.when.text}`];
}

function describeRoute(path: readonly string[], route: Route): string[] {
  const isUsual =
    (path[1] === 'on_pass' && route.type === 'next') ||
    (path[1] === 'on_fail' && route.type === 'retry' && route.budget === 'attempts');
  if (isUsual || route.type === 'insert') return [];
  const costs = (route.type === 'goto' || route.type === 'retry') && route.budget === 'rejections';
  return [`${wordOf(path)} → ${route.type === 'goto' ? route.target : route.type}${costs ? ' (a rejection)' : ''}`];
}

function wordOf(path: readonly string[]): string {
  if (path[1] === 'on_pass') return 'pass';
  if (path[1] === 'on_exhausted') return 'exhausted';
  return path[2] === 'default' ? 'fail' : String(path[2]);
}

function describeMs(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
