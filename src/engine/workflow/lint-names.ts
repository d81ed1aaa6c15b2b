// Names: context that fills itself, outputs that collide or that nobody uses, templates that nothing can fill.
import type { NodeDef, Workflow } from './definition.js';
import { didYouMean } from './nearest.js';
import { complain, type Path, type Reading, warn } from './reading.js';
import { carriesOf, routesOf } from './routes.js';
import { everyNode, fillableNames, namesIn, templatesOf } from './template.js';
import { builtInNames, ownOutputs, reservedNames, shownOutputs, storyNames } from './vocabulary.js';

export function lintNames(workflow: Workflow, reading: Reading): void {
  lintDefaults(workflow, reading);
  lintOutputs(workflow, reading);
  lintTemplates(workflow, reading);
}

function lintDefaults(workflow: Workflow, reading: Reading): void {
  const inputs = Object.entries(workflow.inputs).map(([name, one]) => ({
    name,
    text: one.default ?? '',
    path: ['inputs', name],
  }));
  const context = Object.entries(workflow.context).map(([name, text]) => ({ name, text, path: ['context', name] }));
  for (const { name, text, path } of [...inputs, ...context]) {
    const named = namesIn(text).map((one) => one.toLowerCase());
    const at = reading.places.at(path);
    if (named.includes(name.toLowerCase()))
      complain(reading, at, `the default of "${name}" names itself: "${text.slice(0, 60)}"`);
    else if (named.length > 0)
      warn(reading, at, `the default of "${name}" is taken as it stands: nothing fills {{${named[0]}}} in it`);
  }
  for (const name of Object.keys(workflow.context)) {
    if (isOneOf(reservedNames, name))
      complain(reading, reading.places.at(['context', name]), `"${name}" is reserved; context cannot set it`);
  }
}

function lintOutputs(workflow: Workflow, reading: Reading): void {
  const nodes = everyNode(workflow);
  const used = usedNames(workflow);
  for (const node of nodes) {
    for (const output of node.outputs ?? []) {
      const at = reading.places.at([node.id, 'outputs', output]);
      const first = nodes.find((one) => one.outputs?.includes(output));
      const isTaken = first && first !== node && !ownOutputs.has(output) && !isPair(first, node);
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

/** Two nodes of which one sends the work back to the other speak about the same thing. */
function isPair(one: NodeDef, other: NodeDef): boolean {
  const leads = (from: NodeDef, to: NodeDef) =>
    routesOf(from).some(({ route }) => route.type === 'goto' && route.target === to.id);
  return leads(one, other) || leads(other, one);
}

function usedNames(workflow: Workflow): ReadonlySet<string> {
  const nodes = everyNode(workflow);
  const inNodes = nodes.flatMap((node) => [
    ...templatesOf(node).flatMap((one) => namesIn(one.text)),
    ...node.expects.keys,
    ...carriesOf(node).map((one) => one.from),
    ...(node.decisionKey === null ? [] : [node.decisionKey]),
  ]);
  const inRoles = Object.values(workflow.roles).flatMap((role) => namesIn(role.prompt ?? ''));
  return new Set([...inNodes, ...inRoles].map((name) => name.toLowerCase()));
}

function lintTemplates(workflow: Workflow, reading: Reading): void {
  const fillable = fillableNames(workflow);
  for (const node of everyNode(workflow)) {
    const isInLoop = workflow.chain.some((loop) => loop.body.includes(node));
    for (const { name, path } of namesOf(node)) {
      const at = reading.places.at(path);
      const isOfItem = name.startsWith('item.') || storyNames.some((one) => one === name);
      if (isOfItem && !isInLoop) {
        complain(reading, at, `{{${name}}} in "${node.id}" has nothing to name: only nodes of a loop have an item`);
      } else if (!fillable.names.has(name)) {
        const message = `nothing fills {{${name}}} in "${node.id}"${didYouMean(name, fillable.names)}`;
        const mayCome = fillable.isOpen && !name.includes('.');
        if (mayCome) warn(reading, at, `${message} (a node without declared outputs may still give it)`);
        else complain(reading, at, message);
      }
    }
  }
}

/** Every name that a node's templates and routes use, with the path at which it was written. */
function namesOf(node: NodeDef): { name: string; path: Path }[] {
  const inTemplates = templatesOf(node).flatMap(({ key, text }) =>
    namesIn(text).map((name) => ({ name, path: [node.id, key, `{{${name}}}`] })),
  );
  const inRoutes = routesOf(node).flatMap(({ path, route }) =>
    route.type === 'goto' ? route.clear.map((name) => ({ name, path: [...path, 'clear', name] })) : [],
  );
  return [...inTemplates, ...inRoutes];
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word.toLowerCase());
}
