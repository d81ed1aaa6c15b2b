// Prompts depend on the state alone.

import { findDef } from '../model/draft/draft.js';
import type { Attempt, Chain, HumanNote, Item, Node, State } from '../model/model.js';
import { nothingToDo } from '../report/index.js';
import { asSaid, type Fence, fenceFor } from '../text/fence.js';
import { type Filled, fill, paragraphs, type Values } from '../text/template.js';
import type { TaskDef, TeamRole, Workflow } from '../workflow/definition.js';
import { runsAgent, runsJob } from '../workflow/node-kinds.js';
import { duties } from './duties.js';
import { evidenceText } from './latest-evidence.js';
import { editingHelp, notesOfStory, scratchOf } from './step-notes.js';

const handoffFile = '.ai/HANDOFF.md';
/** An attempt writes a report of its own. */
const earlierHandoff = '.ai/HANDOFF.previous.md';

/** The caller may not see the checkout. */
export type IsThere = (path: string) => boolean;

export function renderPrompt(state: State, nodeId: string, more: Values = {}, isThere: IsThere = () => true): Filled {
  const { node, def } = placeOf(state, nodeId);
  const notes = node.live?.notes ?? [];
  const [instruction] = notes.filter((note) => note.kind === 'instruction');
  // Level manual: a person's instruction is the whole prompt, verbatim.
  if (instruction) return { text: instruction.text, missing: [] };
  const fence = fenceOf(node);
  const values = { ...templateValues(state, node), ...more };
  const role = def.role === null ? undefined : state.workflow.roles[def.role];
  const own = instruct(withProgressFile(def.prompt ?? role?.prompt ?? def.title, state.workflow), values, fence);
  const parts = [
    readingList(state, def, values, isThere),
    humanNotes(notes),
    role?.preface ?? '',
    own.text.trimEnd(),
    story(state, fence),
    whyAgain(state.chain, fence),
    storiesSoFar(state, def, fence),
    task(node, def, values, fence),
    outputPaths(def.writes, values),
    changeWanted(def),
    notesOfStory(state, def, fence),
    scratchOf(state, fence),
    lastTry(state.chain, fence),
    editingHelp(state, node, def, more['edits_file'] ?? 'BOSUN_EDITS_FILE'),
    duties(state, node, def, own.text),
  ];
  return { text: joined(opening(state, node, def), parts, fence), missing: own.missing };
}

/** antfarm names its own file; Bosun's is in the run's folder. */
function withProgressFile(template: string, { exports }: Workflow): string {
  if (!exports.includes('progress')) return template;
  return template.replaceAll(/\bprogress-\{\{\s*run_id\s*\}\}\.txt/g, '{{progress_file}}');
}

function joined(first: string, parts: readonly string[], fence: Fence): string {
  const rest = paragraphs(parts);
  return `${[first, ...(fence.isIn(rest) ? [fence.rule] : []), rest].join('\n\n')}\n`;
}

function fenceOf(node: Node): Fence {
  return fenceFor(node.live?.id ?? node.id);
}

/** Security, prompt injection: a multi-line value alone on its line is fenced as data. Owners' settings are trusted. */
function instruct(template: string, values: Values, fence: Fence): Filled {
  const isBlock = (name: string) => {
    const value = values[name]?.trim() ?? '';
    return !isOwners(name) && (/[\r\n]/.test(value) || asSaid(value) !== value);
  };
  const marked = template.replace(/^[ \t]*\{\{\s*([\w.-]{1,90})\s*\}\}[ \t]*$/gm, (whole, name: string) =>
    isBlock(name) ? `{{block.${name}}}` : whole,
  );
  const spoken = Object.entries(values).flatMap(([name, value]) => [
    [name, isOwners(name) ? value : withinLine(value)],
    [`block.${name}`, name === 'task' ? asSaid(value) : fence.data(value)],
  ]);
  return fill(marked, Object.fromEntries(spoken));
}

function isOwners(name: string): boolean {
  return name.startsWith('project.');
}

/** Text within a line cannot start a heading. */
function withinLine(text: string): string {
  return asSaid(`.${text}`).slice(1);
}

/** A resumed session needs only new notes and duties. */
export function renderResumePrompt(state: State, nodeId: string, more: Values = {}): string {
  const { node, def } = placeOf(state, nodeId);
  const fence = fenceOf(node);
  const values = { ...templateValues(state, node), ...more };
  const parts = [
    humanNotes(node.live?.notes ?? []),
    'Go on where you stopped.',
    outputPaths(def.writes, values),
    changeWanted(def),
    duties(state, node, def, ''),
  ];
  return joined(opening(state, node, def), parts, fence);
}

export function renderMemberPrompt(
  state: State,
  nodeId: string,
  role: string,
  more: Values = {},
  isThere: IsThere = () => true,
): string {
  const { node, def } = placeOf(state, nodeId);
  const part = def.team?.roles[role];
  if (!part) throw new Error(`no role ${role} in the team of ${def.id}`);
  const values = { ...templateValues(state, node), ...more };
  const own = ownPart(role, part, Object.keys({ ...def.team?.roles }), values, fenceOf(node));
  return `${renderPrompt(state, nodeId, more, isThere).text}\n${own}\n`;
}

function ownPart(role: string, part: TeamRole, roles: readonly string[], values: Values, fence: Fence): string {
  const list = (paths: readonly string[]) => paths.map((path) => `- ${fill(path, values).text}`).join('\n');
  return paragraphs([
    `## Your part: ${role}`,
    `You are one of a team on this step (${roles.join(', ')}). Do the part of ${role} only, and leave the others' files alone.`,
    part.prompt === null ? '' : instruct(part.prompt, values, fence).text,
    part.reads.length > 0 ? `Read only:\n${list(part.reads)}` : '',
    part.writes.length > 0 ? `Write only:\n${list(part.writes)}` : '',
  ]);
}

function placeOf(state: State, nodeId: string): { readonly node: Node; readonly def: TaskDef } {
  const node = state.chain.nodes.find((one) => one.id === nodeId);
  const def = node && findDef(state.workflow, node.template);
  if (!node || !def || !runsAgent(def)) throw new Error(`no node ${nodeId} to prompt for`);
  return { node, def };
}

export function templateValues(state: State, node: Node | null = null): Values {
  const { run, chain } = state;
  const item = state.items.find((one) => one.key === chain.key) ?? null;
  const values: Record<string, string> = {
    ...run.context,
    ...chain.context,
    task: run.task,
    run_id: run.id,
    project: run.project,
  };
  values['workflow_folder'] = state.workflow.survey ?? '.workflow';
  values['scratch_dir'] = `${values['workflow_folder']}/scratch`;
  values['verify_feedback'] ??= '';
  values['progress'] =
    run.progress ?? (state.workflow.exports.includes('progress') ? '(no progress yet)' : '(no progress file)');
  values['run_branch'] = run.branch?.name ?? '';
  values['project.base'] = run.branch?.base ?? run.base ?? '';
  values['description'] = node?.description ?? node?.title ?? '';
  values['project.name'] = run.project;
  values['last_evidence'] = evidenceText(chain);
  values['has_frontend_changes'] = String(chain.digests.some(({ files }) => files.some(isFrontendFile)));
  const done = state.items.filter((one) => one.status === 'done');
  values['completed_stories'] = done.map((one) => `${one.key} ${one.title}`).join('\n');
  values['stories_remaining'] = String(
    state.items.filter((one) => one.status === 'ready' || one.status === 'running').length,
  );
  if (item) Object.assign(values, itemValues(item));
  const def = node && findDef(state.workflow, node.template);
  const args = node && (node.args ?? (def && runsJob(def) ? def.args : null));
  values['args'] = args ? fill(args, values).text : '';
  return values;
}

/** antfarm asks to check the page if such files changed. */
function isFrontendFile(path: string): boolean {
  return /\.(html?|css|scss|sass|less|styl|jsx|tsx|vue|svelte|astro)$/i.test(path);
}

export function itemValues(item: Item): Values {
  const criteria = item.criteria.map((one, index) => `${index + 1}. ${one}`).join('\n');
  return {
    'item.key': item.key,
    'item.title': item.title,
    'item.description': item.description,
    'item.criteria': criteria,
    story: item.key,
    current_story: paragraphs([`${item.key}: ${item.title}`, item.description, criteria, item.notes ?? '']),
    current_story_id: item.key,
    current_story_title: item.title,
    ...item.values,
  };
}

function opening(state: State, node: Node, def: TaskDef): string {
  const tries = def.maxAttempts > 1 && node.attempt > 1 ? ` (Attempt ${node.attempt} of ${def.maxAttempts})` : '';
  const names = [
    ...(node.template === def.title ? [] : [`Step id: ${node.template}.`]),
    ...(def.role === null ? [] : [`Role: ${def.role}.`]),
  ];
  return [
    `You are executing step ${def.title} for ${state.chain.key || state.run.project}.${tries}`,
    ...(names.length === 0 ? [] : [names.join(' ')]),
  ].join('\n');
}

function readingList(state: State, def: TaskDef, values: Values, isThere: IsThere): string {
  const hasHandoff = state.chain.nodes.some((node) => node.last !== null);
  const files = def.reads
    .map((path) => fill(path, values).text)
    .filter((path) => path !== handoffFile && path !== 'HANDOFF.md' && isThere(path));
  const isKept = isThere(handoffFile) || isThere(earlierHandoff);
  if (hasHandoff && isKept) files.push(`${earlierHandoff} (the report of the step before)`);
  if (files.length === 0) return '';
  return `Please read the following files in order:\n${files.map((file, index) => `${index + 1}. ${file}`).join('\n')}`;
}

function humanNotes(notes: readonly HumanNote[]): string {
  if (notes.length === 0) return '';
  const said = notes.map(({ question, text }) =>
    question ? `You asked: ${asSaid(question)}\nThe answer: ${asSaid(text)}` : asSaid(text),
  );
  return `=== Human Instruction ===\n${said.join('\n\n')}\n=== End of Human Instruction ===`;
}

function story(state: State, fence: Fence): string {
  const item = state.items.find((one) => one.key === state.chain.key);
  if (!item) return `## Task\n${asSaid(state.run.task)}`;
  const criteria = item.criteria.map((one) => `- ${one}`).join('\n');
  const heading = `## ${item.key}: ${item.title}`;
  const notes = item.notes ? `Notes: ${item.notes}` : '';
  const text = paragraphs([heading, item.description === item.title ? '' : item.description, criteria, notes]);
  return /[\r\n]/.test(text) ? fence.data(text) : text;
}

function whyAgain({ key, again }: Chain, fence: Fence): string {
  return key === '' || !again ? '' : fence.data(`## Why ${key} is done again\n${again.step}: ${again.text}`);
}

function storiesSoFar({ items }: State, { expects }: TaskDef, fence: Fence): string {
  if (expects.items !== 'required' || items.length === 0) return '';
  const lines = items.slice(0, 100).map(({ key, title, status }) => `- ${key} (${status}): ${title}`);
  const rule = 'Your list takes the place of those that are ready or blocked. The others stay; new work needs new ids.';
  return `${fence.data(['## Stories so far', ...lines].join('\n'))}\n${rule}`;
}

function task({ description }: Node, def: TaskDef, values: Values, fence: Fence): string {
  const called = def.call === null ? '' : `Called as: ${def.call} ${withinLine(String(values['args']))}`.trim();
  const own = description === null ? '' : fence.data(`## This step\n${description}`);
  return paragraphs([own, called]);
}

function outputPaths(writes: readonly string[], values: Values): string {
  if (writes.length === 0) return '';
  return `Write your work to:\n${writes.map((path) => `- ${fill(path, values).text}`).join('\n')}`;
}

function changeWanted({ expects }: TaskDef): string {
  if (expects.changes !== true) return '';
  return `This step has to change a file. Where nothing has to change, report status pass with reason ${nothingToDo}, and say why in the summary.`;
}

/** Empty if it passed. */
function lastTry(chain: Chain, fence: Fence): string {
  const [latest] = chain.nodes
    .flatMap((node) => (node.last === null ? [] : [{ template: node.template, last: node.last }]))
    .sort((one, other) => Number(other.last.endedAt) - Number(one.last.endedAt));
  if (!latest || latest.last.outcome === 'pass') return '';
  return paragraphs([describeTry(latest.template, latest.last, fence), takenOver(chain, latest.last)]);
}

function takenOver({ nodes }: Chain, { executor: before, id }: Attempt): string {
  const live = nodes.find(({ last }) => last?.id === id)?.live ?? null;
  if (before === undefined || live?.executor === undefined || live.executor === before) return '';
  return `${before} began this step and could not go on, so you take it over. What it changed may still be in the files: look at them first.`;
}

function describeTry(template: string, last: Attempt, fence: Fence): string {
  const lines = last.summary ? [last.summary] : [];
  for (const test of last.tests?.failing ?? []) lines.push(`- failing: ${test}`);
  for (const check of last.checks) {
    if (!check.ok && check.tail) lines.push(`${check.command}:\n${check.tail.slice(-1500)}`);
  }
  if (lines.length === 0) return '';
  const reason = last.reason ? ` (${last.reason})` : '';
  return fence.data([`## The attempt before this one, ${template}: ${last.outcome}${reason}`, ...lines].join('\n'));
}
