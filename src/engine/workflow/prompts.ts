// Which text each task is given: its own, or the one of the file that is meant for it. Texts are read by the caller.
import type { NodeDef, RoleDef, Workflow } from './definition.js';
import { didYouMean } from './nearest.js';
import type { WrittenRole } from './read-workflow.js';
import { complain, type Reading } from './reading.js';
import { placeholdersIn } from './tree.js';

export type ReadPrompt = (path: string) => string | null;

/** The roles with their texts, those that only the nodes name among them. */
export function readRoles(
  reading: Reading,
  written: Readonly<Record<string, WrittenRole>>,
  nodes: readonly NodeDef[],
  readPrompt: ReadPrompt,
): Readonly<Record<string, RoleDef>> {
  const declared = Object.entries(written).map(([id, role]): [string, RoleDef] => {
    const prompt = role.promptFile === null ? readPrompt(roleFile(id)) : readPrompt(role.promptFile);
    if (role.promptFile !== null && prompt === null) {
      complain(
        reading,
        reading.places.at(['roles', id, 'prompt']),
        `the role "${id}" has no prompt file "${role.promptFile}"`,
      );
    }
    return [id, { id, prompt, executor: role.executor }];
  });
  const named = [...new Set(nodes.flatMap((node) => node.role ?? []))].filter((id) => !Object.hasOwn(written, id));
  const builtIn = named.flatMap((id): [string, RoleDef][] => {
    const prompt = readPrompt(roleFile(id));
    const isLabel = declared.length === 0;
    if (prompt === null && !isLabel) refuseRole(reading, id, nodes, Object.keys(written));
    return [[id, { id, prompt, executor: null }]];
  });
  return Object.fromEntries([...declared, ...builtIn]);
}

/** The nodes with the text of their built-in instruction, where they bring none of their own. */
export function readInstructions(reading: Reading, workflow: Workflow, readPrompt: ReadPrompt): NodeDef[] {
  const instruct = (node: NodeDef): NodeDef => {
    if (node.kind === 'loop') return { ...node, body: node.body.map(instruct) };
    if (node.kind !== 'task' || node.prompt !== null) return node;
    const path = `prompts/${workflow.name}/${node.id}.md`;
    const prompt = readPrompt(path);
    for (const one of placeholdersIn(path, prompt ?? '')) {
      reading.places.set([node.id, 'prompt', `{{${one.name}}}`], one.at);
    }
    const byRole = node.role === null ? undefined : workflow.roles[node.role]?.prompt;
    if (prompt === null && !byRole) complain(reading, reading.places.at([node.id]), missing(node, path));
    return { ...node, prompt };
  };
  return workflow.chain.map(instruct);
}

function missing(node: NodeDef, path: string): string {
  const role = node.role === null ? 'a "role" that has one' : `a prompt of its role "${node.role}"`;
  return `nobody tells what "${node.id}" has to do: it has neither a "prompt" nor ${role}, and there is no ${path}`;
}

function refuseRole(reading: Reading, id: string, nodes: readonly NodeDef[], known: readonly string[]): void {
  for (const node of nodes.filter((one) => one.role === id)) {
    complain(reading, reading.places.at([node.id, 'role']), `there is no role "${id}"${didYouMean(id, known)}`);
  }
}

function roleFile(id: string): string {
  return `prompts/roles/${id}.md`;
}
