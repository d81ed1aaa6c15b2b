// A project's own rules for steps, laid over the nodes of a workflow by their ids.
import { withKeysThatAreRead } from './defaults.js';
import type { NodeDef, Workflow } from './definition.js';
import { judge, type Loaded, type Source } from './load.js';
import { didYouMean } from './nearest.js';
import { sortProblems } from './problem.js';
import { type NodePatch, readNeeds, readNode } from './read-node.js';
import { complain, entryOf, isNothing, newReading, type Reading } from './reading.js';
import { everyNode } from './template.js';
import { type Entry, parseTree, type Tree } from './tree.js';

/** The workflow with the rules applied, or why none of them is: rules are taken whole or not at all. */
export function applyStepRules(workflow: Workflow, source: Source): Loaded {
  const { tree, problems } = parseTree(source.file, source.text);
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) };
  const reading = newReading(source.file);
  const rules = tree === null ? new Map<string, NodePatch>() : readRules(reading, tree, workflow);
  const apply = (node: NodeDef): NodeDef => {
    const rule = rules.get(node.id);
    const body = node.body.map(apply);
    return rule ? laidOver({ ...node, body }, rule, reading) : { ...node, body };
  };
  return judge({ ...workflow, chain: workflow.chain.map(apply) }, reading);
}

function readRules(reading: Reading, tree: Tree, workflow: Workflow): ReadonlyMap<string, NodePatch> {
  const steps = entryOf(tree, 'steps');
  const isAlone = tree.type === 'map' && tree.entries.length === 1;
  const rules = steps && isAlone ? steps.value : tree;
  if (isNothing(rules)) return new Map();
  if (rules.type !== 'map') {
    complain(reading, rules.at, 'step rules must be a map of steps: "impl: {max_attempts: 1}"');
    return new Map();
  }
  return new Map(rules.entries.flatMap((entry) => readRule(reading, entry, workflow)));
}

function readRule(reading: Reading, entry: Entry, workflow: Workflow): [string, NodePatch][] {
  const ids = everyNode(workflow).map((node) => node.id);
  const { key: id, value } = entry;
  if (!ids.includes(id)) {
    complain(reading, entry.at, `there is no step "${id}" in ${workflow.name}${didYouMean(id, ids)}`);
    return [];
  }
  reading.places.set([id], entry.at);
  if (isNothing(value)) return [];
  if (value.type !== 'map') {
    complain(reading, value.at, `the rules of "${id}" must be a map of keys`);
    return [];
  }
  const { patch, found } = readNode(reading, value, id);
  for (const key of ['id', 'over', 'body']) {
    const fixed = found.get(key);
    if (fixed) complain(reading, fixed.at, `a rule cannot change "${key}" of "${id}"`);
  }
  readNeeds(reading, found.get('needs'), id, earlierThan(id, workflow));
  return [[id, patch]];
}

function earlierThan(id: string, workflow: Workflow): string[] {
  const chains = [workflow.chain, ...workflow.chain.map((loop) => loop.body)];
  const own = chains.filter((chain) => chain.some((node) => node.id === id)).flat();
  const ids = own.map((node) => node.id);
  return ids.slice(0, ids.indexOf(id));
}

/** Routes are merged word by word, every other field is replaced. */
function laidOver(node: NodeDef, rule: NodePatch, reading: Reading): NodeDef {
  const kind = rule.kind ?? node.kind;
  const changed = kind !== node.kind;
  if (changed && (kind === 'loop' || node.kind === 'loop')) {
    complain(reading, reading.places.at([node.id, 'kind']), `a rule cannot make "${node.id}" a ${kind} node`);
  } else if (changed && kind === 'task' && node.prompt === null && rule.prompt === undefined) {
    complain(reading, reading.places.at([node.id, 'kind']), `"${node.id}" has no prompt, so it cannot become a task`);
  }
  return withKeysThatAreRead({
    ...node,
    ...rule,
    onFail: { ...node.onFail, ...rule.onFail },
    onStatus: { ...node.onStatus, ...rule.onStatus },
    onDecision: { ...node.onDecision, ...rule.onDecision },
  });
}
