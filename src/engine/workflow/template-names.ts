import type { JobDef, NodeDef, Team, Workflow } from './definition.js';
import { definitions } from './definitions.js';
import type { Expression, Term } from './expressions/expression.js';
import { asksPerson, hasBody, runsAgent, runsJob } from './node-kinds.js';
import { carriesOf, insertsOf } from './routes.js';
import { placeholdersIn } from './source/tree.js';
import { builtInNames, itemNames, projectNames } from './vocabulary/vocabulary.js';

interface PlacedTemplate {
  readonly path: readonly string[];
  readonly text: string;
  readonly isOfItem: boolean;
}

/** Leaves out `say`, which names any field. */
export function templatesOf(node: NodeDef): readonly PlacedTemplate[] {
  const own = [
    { key: ['prompt'], text: runsAgent(node) || asksPerson(node) ? node.prompt : null },
    { key: ['title'], text: node.title },
    ...(runsJob(node) ? jobTemplates(node) : []),
  ];
  const found = own.map(({ key, text }) => ({ path: [node.id, ...key], text, isOfItem: false }));
  const inserted = insertsOf(node).flatMap(({ path, insert, isOfGate }) => [
    ...insert.args.map((text) => ({ path: [...path, 'args'], text, isOfItem: false })),
    { path: [...path, 'say'], text: isOfGate ? null : insert.say, isOfItem: false },
  ]);
  const done = hasBody(node) ? node.onItemDone : null;
  const squash = { path: [node.id, 'on_item_done', 'squash'], text: done?.squash ?? null, isOfItem: true };
  return [...found, ...inserted, squash].flatMap(({ text, ...one }) => (text === null ? [] : [{ ...one, text }]));
}

interface OwnTemplate {
  readonly key: readonly string[];
  readonly text: string | null;
}

function jobTemplates(node: JobDef): readonly OwnTemplate[] {
  const run = node.tests !== null && node.tests !== 'project' ? node.tests.run : null;
  return [
    { key: ['args'], text: node.args },
    { key: ['check'], text: node.check },
    { key: ['tests'], text: run },
    ...(runsAgent(node) ? node.reads.map((text) => ({ key: ['reads'], text })) : []),
    ...(runsAgent(node) ? [{ key: ['branch'], text: node.branch ?? null }] : []),
    ...node.writes.map((text) => ({ key: ['writes'], text })),
    ...(runsAgent(node) && node.team ? teamTemplates(node.team) : []),
  ];
}

function teamTemplates(team: Team): readonly OwnTemplate[] {
  return Object.entries(team.roles).flatMap(([id, role]) => {
    const key = (word: string) => ['team', 'roles', id, word];
    const paths = (word: string, texts: readonly string[]) => texts.map((text) => ({ key: key(word), text }));
    return [{ key: key('prompt'), text: role.prompt }, ...paths('reads', role.reads), ...paths('writes', role.writes)];
  });
}

export function namesIn(text: string): readonly string[] {
  return [...new Set(placeholdersIn('', text).map((one) => one.name))];
}

export function pathsIn(expression: Expression | null): readonly string[] {
  return expression === null ? [] : pathsOf(expression.term);
}

function pathsOf(term: Term): readonly string[] {
  switch (term.type) {
    case 'value':
      return [];
    case 'path':
      return term.path.slice(0, 1);
    case 'not':
    case 'len':
      return pathsOf(term.term);
    case 'any':
      return [...pathsOf(term.list), ...pathsOf(term.condition)];
    default:
      return [...pathsOf(term.left), ...pathsOf(term.right)];
  }
}

/** `isOpen`: undeclared outputs may add names. */
export function fillableNames(workflow: Workflow): { readonly names: ReadonlySet<string>; readonly isOpen: boolean } {
  const nodes = definitions(workflow);
  // Report keys are upper case, template names lower.
  const reported = nodes
    .filter(runsJob)
    .flatMap((node) => [...(node.outputs ?? []), ...(node.decisionKey === null ? [] : [node.decisionKey])]);
  const open = nodes.filter(runsAgent).filter((node) => node.outputs === null);
  const names = new Set([
    ...builtInNames,
    ...projectNames.map((name) => `project.${name}`),
    ...itemNames.map((name) => `item.${name}`),
    ...Object.keys(workflow.inputs),
    ...Object.keys(workflow.context),
    ...reported.map((key) => key.toLowerCase()),
    ...nodes.flatMap(carriesOf).map((one) => one.to),
    ...open.flatMap(({ prompt }) => keysAskedFor(prompt ?? '')),
  ]);
  return { names, isOpen: open.length > 0 };
}

/** `BRANCH: the branch that you made`. */
function keysAskedFor(prompt: string): readonly string[] {
  return [...prompt.matchAll(/^[ \t]*([A-Z][A-Z0-9_]*):/gm)].map(([, key]) => String(key).toLowerCase());
}
