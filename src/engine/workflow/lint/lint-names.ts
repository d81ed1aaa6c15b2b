import type { NodeDef, Workflow } from '../definition.js';
import { definitions } from '../definitions.js';
import { nodesOfItems } from '../fragment-homes.js';
import { judgesFiles, runsJob } from '../node-kinds.js';
import { complain, type Path, type ReadState, warn } from '../read/value-readers.js';
import { reportCarriesOf, routesOf } from '../routes.js';
import type { SourcePosition } from '../source/problem.js';
import { fillableNames, namesIn, pathsIn, templatesOf } from '../template-names.js';
import { didYouMean } from '../vocabulary/nearest.js';
import { builtInNames, ownOutputs, reservedNames, shownOutputs, storyNames } from '../vocabulary/vocabulary.js';

export function lintNames(workflow: Workflow, reading: ReadState): void {
  lintDefaults(workflow, reading);
  lintOutputs(workflow, reading);
  lintTemplates(workflow, reading);
}

function lintDefaults(workflow: Workflow, reading: ReadState): void {
  const inputs = Object.entries(workflow.inputs).map(([name, one]) => ({
    name,
    text: one.default ?? '',
    path: ['inputs', name],
  }));
  const context = Object.entries(workflow.context).map(([name, text]) => ({ name, text, path: ['context', name] }));
  for (const { name, text, path } of [...inputs, ...context]) {
    const named = namesIn(text).map((one) => one.toLowerCase());
    const at = reading.places.at(path);
    if (named.includes(name.toLowerCase())) complain(reading, at, `the default of "${name}" names itself`);
    else if (named.length > 0)
      warn(reading, at, `the default of "${name}" is used literally: Bosun does not fill {{${named[0]}}} in it`);
  }
  for (const name of Object.keys(workflow.context)) {
    if (isOneOf(reservedNames, name))
      complain(reading, reading.places.at(['context', name]), `"${name}" is reserved; context cannot set it`);
  }
}

function lintOutputs(workflow: Workflow, reading: ReadState): void {
  const nodes = definitions(workflow).filter(runsJob);
  const used = usedNames(workflow);
  const added = new Set(Object.values(workflow.fragments).flatMap((fragment) => fragment.defs));
  for (const node of nodes) {
    for (const output of node.outputs ?? []) {
      const at = reading.places.at([node.id, 'outputs', output]);
      const first = nodes.find((one) => one.outputs?.includes(output));
      // An added node repeats the work, so it may share the output.
      const isTaken = first && first !== node && !added.has(node) && !ownOutputs.has(output) && !isPair(first, node);
      if (isOneOf(builtInNames, output))
        complain(reading, at, `"${output}" is reserved; the output of "${node.id}" cannot set it`);
      else if (isTaken) complain(reading, at, `"${first.id}" and "${node.id}" both declare the output "${output}"`);
      else if (!used.has(output.toLowerCase()) && !shownOutputs.has(output)) {
        complain(
          reading,
          at,
          `nothing uses the output "${output}" of "${node.id}": no prompt, carry, expects or decision names it`,
        );
      }
    }
  }
}

/** One sends work back to the other. */
function isPair(one: NodeDef, other: NodeDef): boolean {
  const leads = (from: NodeDef, to: NodeDef) =>
    routesOf(from).some(({ route }) => route.type === 'goto' && route.target === to.id);
  return leads(one, other) || leads(other, one);
}

function usedNames(workflow: Workflow): ReadonlySet<string> {
  const nodes = definitions(workflow);
  const inNodes = nodes.flatMap((node) => [
    ...templatesOf(node).flatMap((one) => namesIn(one.text)),
    ...reportCarriesOf(node).map((one) => one.from),
    ...pathsIn(node.when),
    ...pathsIn(judgesFiles(node) ? node.gate.failWhen : null),
    ...(runsJob(node) ? [...node.expects.keys, node.decisionKey ?? []].flat() : []),
  ]);
  const inFragments = Object.values(workflow.fragments).flatMap(({ nodes: again }) =>
    again.flatMap((one) => [...namesIn(one.args ?? ''), ...pathsIn(one.when)]),
  );
  const inRoles = Object.values(workflow.roles).flatMap((role) => namesIn(role.prompt ?? ''));
  return new Set([...inNodes, ...inFragments, ...inRoles].map((name) => name.toLowerCase()));
}

function lintTemplates(workflow: Workflow, reading: ReadState): void {
  const fillable = fillableNames(workflow);
  const ofItems = nodesOfItems(workflow);
  for (const node of definitions(workflow)) {
    for (const { name, path, isOfItem } of namesOf(node)) {
      const at = reading.places.at(path);
      const needsItem = name.startsWith('item.') || storyNames.some((one) => one === name);
      if (needsItem && !isOfItem && !ofItems.nodes.has(node.id)) {
        complain(reading, at, `{{${name}}} in "${node.id}" has no item: only nodes of a loop have one`);
      } else lintName(name, `"${node.id}"`, at, fillable, reading);
    }
  }
  for (const fragment of Object.values(workflow.fragments)) {
    fragment.nodes.forEach((node, index) => {
      for (const name of namesIn(node.args ?? '')) {
        const at = reading.places.at(['fragments', fragment.id, 'nodes', String(index), 'args', `{{${name}}}`]);
        lintName(name, `the fragment "${fragment.id}"`, at, fillable, reading);
      }
    });
  }
}

function lintName(
  name: string,
  where: string,
  at: SourcePosition,
  fillable: ReturnType<typeof fillableNames>,
  reading: ReadState,
): void {
  if (fillable.names.has(name)) return;
  const message = `nothing fills {{${name}}} in ${where}${didYouMean(name, fillable.names)}`;
  const mayCome = fillable.isOpen && !name.includes('.');
  if (mayCome) warn(reading, at, `${message} (a node without declared outputs may still set it)`);
  else complain(reading, at, message);
}

function namesOf(node: NodeDef): { name: string; path: Path; isOfItem: boolean }[] {
  const inTemplates = templatesOf(node).flatMap(({ path, text, isOfItem }) =>
    namesIn(text).map((name) => ({ name, path: [...path, `{{${name}}}`], isOfItem })),
  );
  const inRoutes = routesOf(node).flatMap(({ path, route }) =>
    route.type === 'goto' ? route.clear.map((name) => ({ name, path: [...path, 'clear', name], isOfItem: false })) : [],
  );
  return [...inTemplates, ...inRoutes];
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word.toLowerCase());
}
