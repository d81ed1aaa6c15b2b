// The names that templates use, and whether anything can fill them.
import type { NodeDef, Workflow } from './definition.js';
import { carriesOf } from './routes.js';
import { placeholdersIn } from './tree.js';
import { builtInNames, itemNames, projectNames } from './vocabulary.js';

/** Where a node has templates, by the key under which they were written. */
export function templatesOf(node: NodeDef): readonly { readonly key: string; readonly text: string }[] {
  const run = node.tests !== null && node.tests !== 'project' ? node.tests.run : null;
  const found = [
    { key: 'prompt', text: node.prompt },
    { key: 'title', text: node.title },
    { key: 'check', text: node.check },
    { key: 'tests', text: run },
    ...node.reads.map((text) => ({ key: 'reads', text })),
    ...node.writes.map((text) => ({ key: 'writes', text })),
  ];
  return found.flatMap(({ key, text }) => (text === null ? [] : [{ key, text }]));
}

export function namesIn(text: string): readonly string[] {
  return [...new Set(placeholdersIn('', text).map((one) => one.name))];
}

export function everyNode(workflow: Workflow): readonly NodeDef[] {
  return workflow.chain.flatMap((node) => [node, ...node.body]);
}

/** Names that something may fill; `isOpen` when a node's keys are not declared, so that any may come. */
export function fillableNames(workflow: Workflow): { readonly names: ReadonlySet<string>; readonly isOpen: boolean } {
  const nodes = everyNode(workflow);
  // Reports have their keys in upper case, templates name them in lower case.
  const reported = nodes.flatMap((node) => [
    ...(node.outputs ?? []),
    ...(node.decisionKey === null ? [] : [node.decisionKey]),
  ]);
  const names = new Set([
    ...builtInNames,
    ...projectNames.map((name) => `project.${name}`),
    ...itemNames.map((name) => `item.${name}`),
    ...Object.keys(workflow.inputs),
    ...Object.keys(workflow.context),
    ...reported.map((key) => key.toLowerCase()),
    ...nodes.flatMap(carriesOf).map((one) => one.to),
  ]);
  return { names, isOpen: nodes.some((node) => node.kind === 'task' && node.outputs === null) };
}
