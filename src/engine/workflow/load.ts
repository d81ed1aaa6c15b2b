// From a file's text to a workflow that can be run, or to everything that is wrong with it.
import type { Workflow } from './definition.js';
import { lintNames } from './lint-names.js';
import { lintRoutes } from './lint-routes.js';
import { type Problem, sortProblems } from './problem.js';
import { type ReadPrompt, readInstructions, readRoles } from './prompts.js';
import { readWorkflow } from './read-workflow.js';
import { newReading, type Reading } from './reading.js';
import { parseTree } from './tree.js';

export interface Source {
  /** How problems call the file. */
  readonly file: string;
  readonly text: string;
}

export type Loaded =
  | { readonly ok: true; readonly workflow: Workflow; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `readPrompt` gives a prompt file's text by the name that the workflow knows it by, null when there is none. */
export function loadWorkflow(source: Source, readPrompt: ReadPrompt): Loaded {
  const { tree, problems } = parseTree(source.file, source.text);
  if (tree === null)
    return { ok: false, problems: problems.length > 0 ? sortProblems(problems) : [emptyFile(source.file)] };
  const reading = newReading(source.file);
  const draft = readWorkflow(reading, tree);
  const nodes = draft.workflow.chain.flatMap((node) => [node, ...node.body]);
  const roles = readRoles(reading, draft.roles, nodes, readPrompt);
  const workflow = { ...draft.workflow, roles };
  return judge({ ...workflow, chain: readInstructions(reading, workflow, readPrompt) }, reading);
}

/** What was read, unless something is wrong with it. */
export function judge(workflow: Workflow, reading: Reading): Loaded {
  lintRoutes(workflow, reading);
  lintNames(workflow, reading);
  if (reading.problems.length > 0) return { ok: false, problems: sortProblems(reading.problems) };
  return { ok: true, workflow, warnings: sortProblems(reading.warnings) };
}

function emptyFile(file: string): Problem {
  return { file, line: 1, column: 1, message: 'the file is empty' };
}
