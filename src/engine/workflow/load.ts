import type { Workflow } from './definition.js';
import { definitions, mapDefinitions } from './definitions.js';
import { lintFragments } from './lint/lint-fragments.js';
import { lintNames } from './lint/lint-names.js';
import { lintNodes } from './lint/lint-nodes.js';
import { lintRoutes } from './lint/lint-routes.js';
import { lintWaves } from './lint/lint-waves.js';
import { reliesOnOldGrant, withKeysThatAreRead, withOldGrants } from './read/defaults.js';
import type { Carry } from './read/read-fragments.js';
import { type ReadPrompt, readInstructions, readRoles } from './read/read-prompts.js';
import { inUpperCase } from './read/read-route.js';
import { readWorkflow } from './read/read-workflow.js';
import { newReading, type ReadState, warn } from './read/value-readers.js';
import { mapInserts } from './routes.js';
import { type Problem, sortProblems } from './source/problem.js';
import { parseTree } from './source/tree.js';

export interface Source {
  readonly file: string;
  readonly text: string;
}

export type Loaded =
  | { readonly ok: true; readonly workflow: Workflow; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function loadWorkflow(source: Source, readPrompt: ReadPrompt): Loaded {
  const { tree, problems } = parseTree(source.file, source.text);
  if (tree === null)
    return { ok: false, problems: problems.length > 0 ? sortProblems(problems) : [emptyFile(source.file)] };
  const reading = newReading(source.file);
  const draft = readWorkflow(reading, tree);
  const nodes = definitions(draft.workflow);
  const roles = readRoles(reading, draft, nodes, readPrompt);
  const workflow = granted(carriedInto({ ...draft.workflow, roles }, draft.carries), reading);
  return judge(readInstructions(reading, workflow, readPrompt), reading);
}

export function judge(workflow: Workflow, reading: ReadState): Loaded {
  lintRoutes(workflow, reading);
  lintNodes(workflow, reading);
  lintFragments(workflow, reading);
  lintNames(workflow, reading);
  lintWaves(workflow, reading);
  if (reading.problems.length > 0) return { ok: false, problems: sortProblems(reading.problems) };
  return { ok: true, workflow, warnings: sortProblems(reading.warnings) };
}

/** An insert carries the values that its nodes ask for. */
function carriedInto(workflow: Workflow, carries: ReadonlyMap<string, Carry>): Workflow {
  return mapDefinitions(workflow, (node) =>
    withKeysThatAreRead(
      mapInserts(node, (insert, isOfGate) => {
        const carried = carries.get(insert.fragment) ?? {};
        return { ...insert, carry: { ...(isOfGate ? carried : inUpperCase(carried)), ...insert.carry } };
      }),
    ),
  );
}

function granted(workflow: Workflow, reading: ReadState): Workflow {
  for (const { id } of definitions(workflow).filter(reliesOnOldGrant)) {
    warn(
      reading,
      reading.places.at([id]),
      `"${id}" may name the next story only because it has the name of a shipped step that may; declare "outputs: [NEXT_STORY]"`,
    );
  }
  return withOldGrants(workflow);
}

function emptyFile(file: string): Problem {
  return { file, line: 1, column: 1, message: 'the file is empty' };
}
