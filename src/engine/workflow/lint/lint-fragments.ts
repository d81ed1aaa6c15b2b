import type { Fragment, Insert, NodeDef, Workflow } from '../definition.js';
import { definitions } from '../definitions.js';
import { nodesOfItems, usedFragments } from '../fragment-homes.js';
import { bodyOf, hasBody, judgesFiles, runsJob } from '../node-kinds.js';
import { complain, type Path, type ReadState, warn } from '../read/value-readers.js';
import { insertsOf } from '../routes.js';
import { didYouMean } from '../vocabulary/nearest.js';
import { notYet } from '../vocabulary/unsupported-words.js';

interface Surroundings {
  readonly workflow: Workflow;
  readonly nodes: ReadonlyMap<string, NodeDef>;
  readonly ofItems: ReadonlySet<string>;
  readonly nodeParams: ReadonlyMap<string, ReadonlySet<string>>;
}

export function lintFragments(workflow: Workflow, reading: ReadState): void {
  const used = usedFragments(workflow);
  const context: Surroundings = {
    workflow,
    nodes: new Map(definitions(workflow).map((node) => [node.id, node])),
    ofItems: nodesOfItems(workflow).fragments,
    nodeParams: nodeParams(workflow),
  };
  for (const fragment of Object.values(workflow.fragments)) {
    lintFragment(fragment, context, reading);
    if (used.has(fragment.id)) continue;
    complain(reading, reading.places.at(['fragments', fragment.id]), `no node inserts the fragment "${fragment.id}"`);
  }
  const owners = new Map(
    Object.values(workflow.fragments).flatMap((one) => one.defs.map((def) => [def, one] as const)),
  );
  for (const node of definitions(workflow)) {
    const owner = owners.get(node);
    for (const { path, insert } of insertsOf(node))
      lintInsert(insert, writtenAt(path, reading), owner, context, reading);
    if (runsJob(node) && node.args !== null) lintParams([node.args], [node.id, 'args'], owner, reading);
    lintWayBack(node, workflow, reading);
  }
  lintPositions(workflow, reading);
}

/** Work that a gate adds should lead back; otherwise it passes without a verdict. */
function lintWayBack(node: NodeDef, { fragments }: Workflow, reading: ReadState): void {
  if (!judgesFiles(node)) return;
  const { id } = node;
  const { fragment: name, args } = node.gate.onFail;
  const fragment = Object.hasOwn(fragments, name) ? fragments[name] : undefined;
  if (fragment === undefined) return;
  const given = new Map(fragment.params.map((param, index) => [`$${param}`, args[index]]));
  if (fragment.nodes.some(({ template }) => (given.get(template) ?? template) === id)) return;
  const message = `"${name}" does not repeat "${id}": end it with "again: ${id}" and "retry: next"`;
  warn(reading, reading.places.at([id, 'on', 'fix', 'insert']), message);
}

/** `on_exhausted` may come from defaults. */
function writtenAt(path: Path, reading: ReadState): Path {
  return path[1] === 'on_exhausted' && !reading.places.has(path) ? ['defaults', 'on_exhausted'] : path;
}

function lintFragment(fragment: Fragment, { nodes, ofItems }: Surroundings, reading: ReadState): void {
  fragment.nodes.forEach((one, index) => {
    const path = ['fragments', fragment.id, 'nodes', String(index)];
    const at = reading.places.at([...path, 'again']);
    if (one.args !== null) lintParams([one.args], [...path, 'args'], fragment, reading);
    const node = nodes.get(one.template);
    if (one.template.startsWith('$')) lintParams([one.template], [...path, 'again'], fragment, reading);
    else if (!node) {
      const hint = didYouMean(one.template, nodes.keys());
      complain(reading, at, `there is no node "${one.template}" to repeat${hint}`);
    } else if (hasBody(node) && ofItems.has(fragment.id)) {
      complain(reading, at, notYet(`a loop within a loop ("${node.id}")`));
    }
  });
}

function lintInsert(
  insert: Insert,
  path: Path,
  owner: Fragment | undefined,
  context: Surroundings,
  reading: ReadState,
): void {
  lintParams(insert.args, [...path, 'args'], owner, reading);
  const { fragments } = context.workflow;
  const name = insert.fragment;
  const fragment = Object.hasOwn(fragments, name) ? fragments[name] : undefined;
  if (!fragment) {
    const isBody = reading.places.has(['fragments', name]);
    const message = isBody
      ? `"${name}" is the body of a loop, so it cannot be inserted`
      : `there is no fragment "${name}" to insert${didYouMean(name, Object.keys(fragments))}`;
    complain(reading, reading.places.at([...path, 'insert']), message);
    return;
  }
  const { params } = fragment;
  if (insert.args.length !== params.length) {
    const arity = params.length === 0 ? 'takes no args' : `takes ${params.length} (${params.join(', ')})`;
    const message = `"${name}" ${arity}, but gets ${insert.args.length}`;
    complain(reading, reading.places.at([...path, 'args']), message);
    return;
  }
  lintNodeArgs(insert, fragment, path, context, reading);
}

function lintNodeArgs(insert: Insert, fragment: Fragment, path: Path, context: Surroundings, reading: ReadState): void {
  const { nodes } = context;
  for (const [index, argument] of insert.args.entries()) {
    const param = String(fragment.params[index]);
    const isNode = context.nodeParams.get(fragment.id)?.has(param);
    if (!isNode || argument.startsWith('$') || nodes.has(argument)) continue;
    const message = `"${fragment.id}" repeats its ${param}, but there is no node "${argument}"`;
    const at = reading.places.at([...path, 'args', argument]);
    complain(reading, at, `${message}${didYouMean(argument, nodes.keys())}`);
  }
}

/** A param repeated as a node, or handed on as one. */
function nodeParams(workflow: Workflow): ReadonlyMap<string, ReadonlySet<string>> {
  const all = Object.values(workflow.fragments);
  const found = new Map(all.map((one) => [one.id, new Set(doneAgain(one))]));
  const params = new Map(all.map((one) => [one.id, one.params]));
  const handedOn = all.flatMap((one) =>
    one.defs.flatMap(insertsOf).flatMap(({ insert }) =>
      insert.args.map((argument, index) => ({
        from: one.id,
        param: argument.replace(/^\$/, ''),
        to: insert.fragment,
        as: String(params.get(insert.fragment)?.[index]),
      })),
    ),
  );
  // Fixpoint: each round but the last finds a param, so `handedOn` bounds the rounds.
  for (let rounds = 0, before = -1; rounds <= handedOn.length && before !== sizeOf(found); rounds += 1) {
    before = sizeOf(found);
    for (const { from, param, to, as } of handedOn) {
      if (found.get(to)?.has(as)) found.get(from)?.add(param);
    }
  }
  return found;
}

function doneAgain(fragment: Fragment): readonly string[] {
  const named = fragment.nodes.filter((one) => one.template.startsWith('$'));
  return named.map((one) => one.template.slice(1));
}

function sizeOf(sets: ReadonlyMap<string, ReadonlySet<string>>): number {
  return [...sets.values()].reduce((sum, one) => sum + one.size, 0);
}

/** `$name` alone is a param. */
function lintParams(texts: readonly string[], path: Path, owner: Fragment | undefined, reading: ReadState): void {
  for (const text of texts) {
    const name = /^\$([A-Za-z_]\w*)$/.exec(text)?.[1];
    if (name === undefined || owner?.params.includes(name)) continue;
    const at = reading.places.at([...path, text]);
    const message = owner
      ? `the fragment "${owner.id}" has no param "$${name}"${didYouMean(name, owner.params)}`
      : `"$${name}" is outside a fragment, and only fragments have params`;
    complain(reading, at, message);
  }
}

function lintPositions(workflow: Workflow, reading: ReadState): void {
  const ids = workflow.chain.flatMap((node) => [node.id, ...bodyOf(node).map((inner) => inner.id)]);
  workflow.positions.forEach((one, index) => {
    if (ids.includes(one.begin)) return;
    const at = reading.places.at(['positions', String(index), 'begin']);
    complain(
      reading,
      at,
      `the position "${one.name}" begins at "${one.begin}", which is not a node${didYouMean(one.begin, ids)}`,
    );
  });
  if (workflow.positions.length > 0 && workflow.survey === null) {
    const message = 'Bosun reads positions from files, so the workflow must name their folder: "survey: .workflow"';
    complain(reading, reading.places.at(['positions']), message);
  }
}
