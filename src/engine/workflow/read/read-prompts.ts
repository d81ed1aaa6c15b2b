// A prompt is its own text, or a file's, which the caller reads.

import type { NodeDef, ReviewDef, RoleDef, TaskDef, Team, Workflow } from '../definition.js';
import { mapDefinitions } from '../definitions.js';
import { asksPerson, runsAgent, runsJob } from '../node-kinds.js';
import { placeholdersIn } from '../source/tree.js';
import { didYouMean } from '../vocabulary/nearest.js';
import type { WorkflowDraft, WrittenRole } from './read-workflow.js';
import { complain, type Path, type ReadState, warn } from './value-readers.js';

export type ReadPrompt = (path: string) => string | null;

type Written = Pick<WorkflowDraft, 'roles' | 'access'>;

/** Includes roles that only nodes name. */
export function readRoles(
  reading: ReadState,
  written: Written,
  nodes: readonly NodeDef[],
  readPrompt: ReadPrompt,
): Readonly<Record<string, RoleDef>> {
  const access = (id: string) => accessOf(reading, id, written, nodes);
  const declared = Object.entries(written.roles).map(([id, role]): [string, RoleDef] => {
    const prompt = role.promptFile === null ? readPrompt(roleFile(id)) : readPrompt(role.promptFile);
    if (role.promptFile !== null && prompt === null) {
      complain(
        reading,
        reading.places.at(['roles', id, 'prompt']),
        `the prompt file "${role.promptFile}" of the role "${id}" does not exist`,
      );
    }
    const preface = readPreface(reading, id, role, readPrompt);
    return [id, { id, prompt, executor: role.executor, access: access(id), ...preface }];
  });
  const named = [...new Set(nodes.flatMap((node) => (runsJob(node) ? (node.role ?? []) : [])))].filter(
    (id) => !Object.hasOwn(written.roles, id),
  );
  const builtIn = named.flatMap((id): [string, RoleDef][] => {
    const prompt = readPrompt(roleFile(id));
    const isLabel = declared.length === 0;
    if (prompt === null && !isLabel) refuseRole(reading, id, nodes, Object.keys(written.roles));
    return [[id, { id, prompt, executor: null, access: access(id) }]];
  });
  refuseWithoutRole(reading, written, nodes);
  return Object.fromEntries([...declared, ...builtIn]);
}

/** Only a warning: an antfarm step brings its own input. */
function readPreface(reading: ReadState, id: string, role: WrittenRole, readPrompt: ReadPrompt): { preface?: string } {
  const texts = role.workspaceFiles.map((file) => ({ file, text: readPrompt(file) }));
  const absent = texts.filter((one) => one.text === null).map(({ file }) => file);
  if (absent.length > 0) {
    const at = reading.places.at(['roles', id, 'workspace']);
    warn(
      reading,
      at,
      `the role "${id}" works without ${absent.join(', ')}: the file does not exist beside the workflow`,
    );
  }
  const preface = texts.flatMap((one) => one.text?.trim() ?? []).join('\n\n');
  return preface === '' ? {} : { preface };
}

/** Only if all nodes of the role agree. */
function accessOf(reading: ReadState, id: string, written: Written, nodes: readonly NodeDef[]): RoleDef['access'] {
  const own = Object.hasOwn(written.roles, id) ? (written.roles[id]?.access ?? null) : null;
  const users = nodes.filter((node) => runsJob(node) && node.role === id);
  const said = users.map((node) => written.access.get(node.id) ?? own);
  const access = said.find((one) => one !== null) ?? own;
  for (const node of users.filter((one) => written.access.has(one.id))) {
    if (said.every((one) => one === access) && (own === null || own === access)) continue;
    const message = `"${node.id}" sets another access than its role "${id}" has elsewhere: give the node its own role`;
    complain(reading, reading.places.at([node.id, 'access']), message);
  }
  return access;
}

function refuseWithoutRole(reading: ReadState, written: Written, nodes: readonly NodeDef[]): void {
  for (const node of nodes.filter((one) => !(runsJob(one) && one.role !== null) && written.access.has(one.id))) {
    const message = `"${node.id}" sets "access" but has no role to set it for`;
    complain(reading, reading.places.at([node.id, 'access']), message);
  }
}

export function readInstructions(reading: ReadState, workflow: Workflow, readPrompt: ReadPrompt): Workflow {
  return mapDefinitions(workflow, (node) => {
    if (asksPerson(node)) return { ...node, prompt: ownInstruction(reading, node, readPrompt) };
    if (!runsAgent(node)) return node;
    const team = node.team && teamInstructions(reading, node, node.team, readPrompt);
    const prompt = ownInstruction(reading, node, readPrompt);
    if (prompt !== null) return { ...node, team, prompt };
    const path = `prompts/${workflow.name}/${node.id}.md`;
    const builtIn = fileText(reading, path, [node.id, 'prompt'], readPrompt);
    const byRole = node.role === null ? undefined : workflow.roles[node.role]?.prompt;
    if (builtIn === null && !byRole) complain(reading, reading.places.at([node.id]), missing(node, path));
    return { ...node, team, prompt: builtIn };
  });
}

function ownInstruction(reading: ReadState, node: TaskDef | ReviewDef, readPrompt: ReadPrompt): string | null {
  return node.prompt && textOrFile(reading, node.prompt, [node.id, 'prompt'], readPrompt);
}

function teamInstructions(reading: ReadState, node: NodeDef, team: Team, readPrompt: ReadPrompt): Team {
  const roles = Object.entries(team.roles).map(([id, role]) => {
    const path = [node.id, 'team', 'roles', id, 'prompt'];
    return [id, { ...role, prompt: role.prompt && textOrFile(reading, role.prompt, path, readPrompt) }];
  });
  return { ...team, roles: Object.fromEntries(roles) };
}

function textOrFile(reading: ReadState, prompt: string, path: Path, readPrompt: ReadPrompt): string {
  const name = prompt.trim();
  if (!/^\S+\.md$/.test(name)) return prompt;
  const found = fileText(reading, name, path, readPrompt);
  if (found !== null) return found;
  warn(reading, reading.places.at(path), `there is no file "${name}", so Bosun uses this text as the prompt`);
  return prompt;
}

function fileText(reading: ReadState, file: string, path: Path, readPrompt: ReadPrompt): string | null {
  const found = readPrompt(file);
  for (const one of placeholdersIn(file, found ?? '')) reading.places.set([...path, `{{${one.name}}}`], one.at);
  return found;
}

function missing(node: TaskDef, path: string): string {
  const role = node.role === null ? 'a "role" that has one' : `a prompt of its role "${node.role}"`;
  return `"${node.id}" has no prompt: neither a "prompt" nor ${role}, and no file ${path}`;
}

function refuseRole(reading: ReadState, id: string, nodes: readonly NodeDef[], known: readonly string[]): void {
  for (const node of nodes.filter((one) => runsJob(one) && one.role === id)) {
    complain(reading, reading.places.at([node.id, 'role']), `there is no role "${id}"${didYouMean(id, known)}`);
  }
}

function roleFile(id: string): string {
  return `prompts/roles/${id}.md`;
}
