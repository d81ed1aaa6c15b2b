// Sentences become buttons that name action and state. A press needs the right and an unchanged state.

import { type ProjectConfig, projectNamed } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { isDecided, runsJob, type Workflow, walkedSteps } from '../../../engine/index.js';
import { type Instruction, readInstruction, readPlacedTask, type StepName } from '../../grammar/index.js';
import { oneLine, view } from '../../views/view.js';
import { titleOf } from '../../views/work/card-text.js';
import { type MessageContext, roleIn, say, sayError } from '../message-context.js';
import { snapshotOf, startRun } from '../new-run.js';
import { askWhich, meantProject, namesFor, refusal } from '../which-project.js';
import { planSteps } from './named-steps.js';
import { proposeNewProject } from './new-project.js';

const oneStep = 'one-step';
const maxShownChars = 500;

/** Null: it asks for nothing that can be proposed. */
export function proposeInstruction(ctx: MessageContext, text: string): Plan | null {
  const names = namesFor(ctx);
  const read = readInstruction(text, names, () => names.flatMap((project) => stepsOf(ctx, project)));
  if (read === null) return null;
  if (read.kind === 'new_project') return proposeNewProject(ctx, read);
  const says = (project: string) => `@instruct ${project} ${text.trim()}`;
  const [first, ...others] = read.projects;
  if (others.length > 0) return askWhich(ctx, read.projects, says);
  const meant = meantProject(ctx, { ...ctx.verbs.grammar.parse('', []), project: first ?? null }, says);
  return 'plan' in meant ? meant.plan : propose(ctx, meant.project, read);
}

export function instructFor(ctx: MessageContext, name: string, text: string): Plan {
  const project = projectNamed(ctx.config, name);
  if (project === null || roleIn(ctx, project) === null) return sayError(ctx, `No project "${name}".`);
  const read = readInstruction(text, namesFor(ctx), () => stepsOf(ctx, project));
  if (read === null || read.kind === 'new_project') {
    return sayError(ctx, `I did nothing: ${project.name} has no such step. Its steps: ${idsOf(ctx, project)}.`);
  }
  return propose(ctx, project, read);
}

function propose(
  ctx: MessageContext,
  project: ProjectConfig,
  read: Exclude<Instruction, { kind: 'new_project' }>,
): Plan {
  switch (read.kind) {
    case 'steps':
      return proposeSteps(ctx, project, read);
    case 'begin':
      return proposeBegin(ctx, project, read);
    case 'task':
      return proposeTask(ctx, project, read);
    default:
      return read satisfies never;
  }
}

function proposeSteps(
  ctx: MessageContext,
  project: ProjectConfig,
  { steps, story }: Extract<Instruction, { kind: 'steps' }>,
): Plan {
  const planned = planSteps(ctx, project, steps, story);
  if ('refused' in planned) return sayError(ctx, `I did nothing. ${planned.refused}`);
  const says = stepsAction(project, planned.stamp, steps, story);
  const text = `I did nothing yet. ${project.name}: ${planned.text}`;
  return say(ctx, view('answer', text, [{ label: planned.label, says }]));
}

function proposeBegin(
  ctx: MessageContext,
  project: ProjectConfig,
  { step, task }: Extract<Instruction, { kind: 'begin' }>,
): Plan {
  const workflow = ownWorkflow(ctx, project);
  if ('refused' in workflow) return sayError(ctx, `I did nothing. ${workflow.refused}`);
  const why = whyNotBegin(workflow, step);
  if (why !== null) return sayError(ctx, `I did nothing. ${why}`);
  const ids = walkedSteps(workflow.chain).map(({ id }) => id);
  const text = [
    `I did nothing yet. ${project.name}: ${shortened(task)}`,
    `Workflow: ${workflow.name}, starting at ${step}: ${ids.slice(ids.indexOf(step)).join(' → ')}`,
    ...lineNote(ctx, project),
  ];
  const offers = [{ label: `Start at ${step}`, says: taskAction(ctx, project, { workflow: '-', step, task }) }];
  return say(ctx, view('answer', text.join('\n'), offers));
}

function proposeTask(
  ctx: MessageContext,
  project: ProjectConfig,
  { task: said }: Extract<Instruction, { kind: 'task' }>,
): Plan {
  const task = readPlacedTask(said, [project])?.task ?? said;
  const text = [`I did nothing yet. ${project.name}: ${shortened(task)}`, ...lineNote(ctx, project)];
  return say(ctx, view('answer', text.join('\n'), taskOffers(ctx, project, task)));
}

export function taskOffers(ctx: MessageContext, project: ProjectConfig, task: string) {
  const offer = (label: string, workflow: string) => ({
    label,
    says: taskAction(ctx, project, { workflow, step: '-', task }),
  });
  const own = project.workflow === oneStep ? [] : [offer(`As a run of ${oneLine(project.workflow, 40)}`, '-')];
  return [offer('Do it in one step', oneStep), ...own];
}

export function stepOffers(ctx: MessageContext, project: ProjectConfig) {
  return stepsOf(ctx, project).flatMap(({ id }) => {
    const planned = planSteps(ctx, project, [id], null);
    return 'refused' in planned
      ? []
      : [{ label: planned.label, says: stepsAction(project, planned.stamp, [id], null) }];
  });
}

function stepsAction({ name }: ProjectConfig, stamp: string, steps: readonly string[], story: string | null): string {
  return `@steps ${name} ${stamp} ${story ?? '-'} ${steps.join(',')}`;
}

function lineNote(ctx: MessageContext, project: ProjectConfig): readonly string[] {
  const live = ctx.now.liveRun(project.name);
  return live === null
    ? []
    : [`It waits in the queue (W003): ${project.name} is working on “${titleOf(live.task)}” first.`];
}

interface TaskOffer {
  /** `-`: the project's own. */
  readonly workflow: string;
  /** `-`: the first step. */
  readonly step: string;
  readonly task: string;
}

function taskAction(ctx: MessageContext, project: ProjectConfig, { workflow, step, task }: TaskOffer): string {
  return `@task ${project.name} ${liveStamp(ctx, project)} ${workflow} ${step} ${task}`;
}

function liveStamp({ now }: MessageContext, { name }: ProjectConfig): string {
  return now.liveRun(name)?.id ?? '-';
}

export function startTask(ctx: MessageContext, args: readonly string[]): Plan {
  const [name = '', stamp = '', workflow = '', step = '', ...words] = args;
  const project = projectNamed(ctx.config, name);
  if (project === null || roleIn(ctx, project) === null) return sayError(ctx, `No project "${name}".`);
  const refused = refusal(ctx, project, 'start');
  if (refused !== null) return refused;
  if (stamp !== liveStamp(ctx, project)) return stale(ctx, project);
  const own = step === '-' ? null : ownWorkflow(ctx, project);
  if (own !== null && 'refused' in own) return sayError(ctx, `Nothing was started. ${own.refused}`);
  const why = own === null ? null : whyNotBegin(own, step);
  if (why !== null) return sayError(ctx, `Nothing was started. ${why}`);
  const isFirst = own === null || walkedSteps(own.chain)[0]?.id === step;
  return startRun(ctx, project, {
    workflow: workflow === '-' ? project.workflow : workflow,
    task: words.join(' '),
    ...(isFirst ? {} : { begin: step }),
  });
}

/** "Run scaffold, impl". */
export function takeSteps(
  ctx: MessageContext,
  [name = '', stamp = '', story = '-', list = '']: readonly string[],
): Plan {
  const project = projectNamed(ctx.config, name);
  if (project === null || roleIn(ctx, project) === null) return sayError(ctx, `No project "${name}".`);
  const refused = refusal(ctx, project, 'continue');
  if (refused !== null) return refused;
  const planned = planSteps(ctx, project, list.split(','), story === '-' ? null : story);
  if ('refused' in planned) return sayError(ctx, `Nothing was started. ${planned.refused}`);
  return planned.stamp === stamp ? planned.plan() : stale(ctx, project);
}

function stale(ctx: MessageContext, { name }: ProjectConfig): Plan {
  return sayError(ctx, `Nothing was started: ${name} has changed since this was proposed. Send your message again.`);
}

function whyNotBegin(workflow: Workflow, step: string): string | null {
  const defs = walkedSteps(workflow.chain);
  const at = defs.findIndex((def) => def.id === step && runsJob(def));
  if (at < 0) return `${workflow.name} can't start at "${step}". It can start at: ${jobIds(workflow)}.`;
  if (at > 0 && workflow.positions.length > 0) return `The project's files decide where ${workflow.name} starts.`;
  const before = defs.slice(0, at).find((def) => def.mandatory || isDecided(def));
  return before === undefined ? null : `${step} comes after ${before.id}, which can't be left out.`;
}

function ownWorkflow(ctx: MessageContext, project: ProjectConfig): Workflow | { readonly refused: string } {
  const snapshot = snapshotOf(ctx, { workflow: project.workflow, project });
  return 'refused' in snapshot ? snapshot : snapshot.workflow;
}

/** Of the live run, else of the next. */
function stepsOf(ctx: MessageContext, project: ProjectConfig): readonly StepName[] {
  const live = ctx.now.liveRun(project.name);
  const running = live === null ? null : (ctx.now.spine(live.id)?.workflow ?? null);
  const own = running ?? ownWorkflow(ctx, project);
  return 'refused' in own ? [] : walkedSteps(own.chain).map(({ id, title }) => ({ id, title }));
}

function idsOf(ctx: MessageContext, project: ProjectConfig): string {
  return (
    stepsOf(ctx, project)
      .map(({ id }) => id)
      .join(', ') || 'none'
  );
}

function jobIds(workflow: Workflow): string {
  return walkedSteps(workflow.chain)
    .filter(runsJob)
    .map(({ id }) => id)
    .join(', ');
}

function shortened(task: string): string {
  return task.length > maxShownChars ? `${task.slice(0, maxShownChars)}…` : task;
}
