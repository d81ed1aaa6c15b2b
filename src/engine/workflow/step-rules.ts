import type { NodeDef, Workflow } from './definition.js';
import { definitions, mapDefinitions } from './definitions.js';
import { judge, type Loaded, type Source } from './load.js';
import { asksPerson, bodyOf, hasBody, judgesFiles, runsAgent, runsJob } from './node-kinds.js';
import { withKeysThatAreRead } from './read/defaults.js';
import { type NodePatch, readNeeds, readNode } from './read/read-node.js';
import { complain, entryOf, isNothing, newReading, type ReadState, warn } from './read/value-readers.js';
import { sortProblems } from './source/problem.js';
import { type MapTree, parseTree, type Tree, type TreeEntry } from './source/tree.js';
import { didYouMean } from './vocabulary/nearest.js';

export function applyStepRules(workflow: Workflow, source: Source): Loaded {
  const { tree, problems } = parseTree(source.file, source.text);
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) };
  const reading = newReading(source.file);
  const rules = tree === null ? new Map<string, NodePatch>() : readRules(reading, tree, workflow);
  const changed = mapDefinitions(workflow, (node) => {
    const rule = rules.get(node.id);
    return rule ? laidOver(node, rule, reading) : node;
  });
  return judge(changed, reading);
}

function readRules(reading: ReadState, tree: Tree, workflow: Workflow): ReadonlyMap<string, NodePatch> {
  const mode = entryOf(tree, 'dispatch_mode');
  const rest = tree.type === 'map' ? { ...tree, entries: tree.entries.filter((one) => one !== mode) } : tree;
  const steps = entryOf(rest, 'steps');
  const isWrapped = rest.type === 'map' && rest.entries.length === 1;
  const rules = withMode(reading, steps && isWrapped ? steps.value : rest, mode, workflow);
  if (isNothing(rules)) return new Map();
  if (rules.type !== 'map') {
    complain(reading, rules.at, 'step rules must be a map of steps: "impl: {max_attempts: 1}"');
    return new Map();
  }
  return new Map(rules.entries.flatMap((entry) => readRule(reading, entry, workflow)));
}

/** A step's own mode wins. */
function withMode(reading: ReadState, steps: Tree, mode: TreeEntry | undefined, workflow: Workflow): Tree {
  if (!mode || steps.type !== 'map') return steps;
  const isTeam = (id: string, rule: Tree) =>
    entryOf(rule, 'team_roles') !== undefined ||
    definitions(workflow).some((node) => node.id === id && runsAgent(node) && node.team !== null);
  const takes = ({ key, value }: TreeEntry) =>
    value.type === 'map' && !entryOf(value, 'dispatch_mode') && isTeam(key, value);
  if (!steps.entries.some(takes)) {
    warn(reading, mode.at, '"dispatch_mode" has no effect: no step of these rules has "team_roles"');
  }
  const entries = steps.entries.map((one) =>
    takes(one) && one.value.type === 'map'
      ? { ...one, value: { ...one.value, entries: [...one.value.entries, mode] } }
      : one,
  );
  return { ...steps, entries };
}

function readRule(reading: ReadState, entry: TreeEntry, workflow: Workflow): [string, NodePatch][] {
  const nodes = definitions(workflow);
  const { key: id, value } = entry;
  const node = nodes.find((one) => one.id === id);
  if (!node) {
    const ids = nodes.map((one) => one.id);
    complain(reading, entry.at, `there is no step "${id}" in ${workflow.name}${didYouMean(id, ids)}`);
    return [];
  }
  reading.places.set([id], entry.at);
  if (isNothing(value)) return [];
  if (value.type !== 'map') {
    complain(reading, value.at, `the rules of "${id}" must be a map of keys`);
    return [];
  }
  const { patch, found } = readNode(reading, asKind(node, value), id);
  for (const key of fixedKeys) {
    const fixed = found.get(key);
    if (fixed) complain(reading, fixed.at, `a rule cannot change "${key}" of "${id}"`);
  }
  const needs = readNeeds(reading, found.get('needs'), id, earlierThan(id, workflow));
  return [[id, { ...patch, ...needs }]];
}

const fixedKeys = ['id', 'over', 'body', 'step_types', 'access', 'carry', 'insert_by'];

function asKind(node: NodeDef, rule: MapTree): MapTree {
  if (!judgesFiles(node) || entryOf(rule, 'kind')) return rule;
  const value = { type: 'scalar', at: rule.at, value: node.kind, text: node.kind, placeholders: [] } as const;
  return { ...rule, entries: [{ key: 'kind', at: rule.at, value }, ...rule.entries] };
}

function earlierThan(id: string, workflow: Workflow): readonly string[] {
  const before = (ids: readonly string[]) => ids.slice(0, Math.max(0, ids.indexOf(id)));
  const idsOf = (nodes: readonly NodeDef[]) => nodes.map((node) => node.id);
  const has = (nodes: readonly NodeDef[]) => nodes.some((node) => node.id === id);
  return [
    ...[workflow.chain, ...workflow.chain.map(bodyOf)].flatMap((chain) => before(idsOf(chain))),
    ...workflow.chain.filter(hasBody).flatMap((loop) => (has(loop.stepTypes) ? idsOf(loop.body) : [])),
    ...Object.values(workflow.fragments).flatMap((one) =>
      has(one.defs) ? before(one.nodes.map((node) => node.template)) : [],
    ),
  ];
}

/** Routes merge by word; other keys are replaced. */
function laidOver(node: NodeDef, rule: NodePatch, reading: ReadState): NodeDef {
  const { kind = node.kind, gate, onAnswer, ...fields } = rule;
  // A review must not become a check.
  if (kind !== node.kind)
    complain(reading, reading.places.at([node.id, 'kind']), `a rule cannot turn "${node.id}" into a ${kind} node`);
  const onFail = { ...node.onFail, ...rule.onFail };
  if (asksPerson(node))
    return { ...node, ...fields, onFail, onAnswer: onAnswer ? { ...node.onAnswer, ...onAnswer } : node.onAnswer };
  if (judgesFiles(node)) return { ...node, ...fields, onFail, gate: { ...node.gate, ...gate } };
  if (!runsJob(node)) return { ...node, ...fields, onFail };
  const onStatus = { ...node.onStatus, ...rule.onStatus };
  const onDecision = { ...node.onDecision, ...rule.onDecision };
  return withKeysThatAreRead({ ...node, ...fields, onFail, onStatus, onDecision });
}
