// How these tests load workflows: from texts, with the prompt files that they name.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  definitions,
  formatProblem,
  type Loaded,
  loadWorkflow,
  type Workflow,
} from '../../../src/engine/workflow/index.js';
import { type WholeNode, type WholeWorkflow, whole } from '../builders.js';

const root = join(import.meta.dirname, '../../..');

export const shippedNames = [
  'quick',
  'micro-waterfall',
  'feature-dev',
  'compound-engineering',
  'dynamic-ralph',
  'lifecycle',
] as const;

export function readShippedPrompt(path: string): string | null {
  const file = join(root, path);
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : null;
}

export function shippedText(name: string): string {
  return readFileSync(join(root, 'workflows', `${name}.yaml`), 'utf8');
}

/** The picture of a shipped workflow, as it was looked at and found right. */
export function goldenGraph(name: string): string {
  return readFileSync(join(import.meta.dirname, 'golden', `${name}.mmd`), 'utf8');
}

export function loadShipped(name: string): WholeWorkflow {
  return loaded(loadWorkflow({ file: `workflows/${name}.yaml`, text: shippedText(name) }, readShippedPrompt));
}

export function load(text: string, prompts: Readonly<Record<string, string>> = {}): Loaded {
  return loadWorkflow({ file: 'flow.yaml', text }, (path) => prompts[path] ?? null);
}

export function loaded(result: Loaded): WholeWorkflow {
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  return whole(result.workflow);
}

export function problemsOf(result: Loaded): string[] {
  return result.ok ? [] : result.problems.map(formatProblem);
}

export function warningsOf(result: Loaded): string[] {
  return result.ok ? result.warnings.map(formatProblem) : [];
}

export function nodeOf(workflow: Workflow | WholeWorkflow, id: string): WholeNode {
  const found = definitions(workflow).find((node) => node.id === id);
  if (!found) throw new Error(`no node ${id}`);
  return whole(found);
}

/** A text with `^^` before the place where a problem is expected: the text without the mark, and `line:column`. */
export function marked(text: string): { text: string; place: string } {
  const before = text.slice(0, text.indexOf('^^')).split('\n');
  return { text: text.replace('^^', ''), place: `${before.length}:${String(before.at(-1)).length + 1}` };
}

/** A workflow with these nodes (in flow style or block style, one a line). */
export function flow(...nodes: readonly string[]): string {
  return `workflow: mine\nchain:\n${nodes.map((node) => `  - ${node}\n`).join('')}`;
}
