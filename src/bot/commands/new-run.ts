import { dirname } from 'node:path';
import { BosunError } from '../../base/index.js';
import type { ProjectConfig } from '../../config/index.js';
import { checkoutSettings, executorsOf, listWorkflows, muteExecutor, takeSnapshot } from '../../config/index.js';
import { emptyPlan, type ForeignState, findForeignState, type Plan, workflowOfFormat } from '../../dispatch/index.js';
import {
  didYouMean,
  type Event,
  hasBody,
  nearestWord,
  type Resume,
  type RunCreated,
  type Takeover,
  type Workflow,
} from '../../engine/index.js';
import type { Parsed } from '../grammar/index.js';
import { view } from '../views/view.js';
import { answer, follow, liveBeside, type MessageContext, originOf, sayError } from './message-context.js';
import { whyNotReady } from './reading/readiness.js';
import { pendingRules } from './reading/rules.js';

export interface NewRun {
  readonly project: ProjectConfig;
  readonly workflow: string;
  readonly task: string;
  readonly context: Readonly<Record<string, string>>;
  readonly items: Extract<Event, { type: 'run_created' }>['items'];
  readonly propose: boolean;
  readonly oneShot?: boolean;
  /** A first step other than the workflow's. */
  readonly begin?: string;
  readonly prdFile?: string;
  readonly agents?: number;
  readonly story?: string;
  /** No person can answer, so required inputs must be given. */
  readonly isUnattended?: true;
  readonly prd?: Readonly<Record<string, unknown>> | null;
  readonly resume?: Resume;
  readonly foreign?: 'ask' | 'resume' | 'afresh';
  /** The plan after "afresh"; default: as without that state. */
  readonly afresh?: Takeover['afresh'];
}

type Snapshot = ReturnType<typeof takeSnapshot>;

export interface Refused {
  readonly refused: string;
  readonly code: 'bad_workflow' | 'not_allowed';
}

/** A bad workflow creates nothing. */
export function createRun(
  ctx: MessageContext,
  wanted: NewRun,
): { readonly plan: Plan; readonly run: string; readonly workflow: Workflow } | Refused {
  const snapshot = snapshotOf(ctx, wanted);
  if ('refused' in snapshot) return snapshot;
  const { workflow } = snapshot;
  const wrong = whyNotInputs(workflow, wanted) ?? whyNotStories(workflow, wanted);
  if (wrong !== null) return { refused: wrong, code: 'bad_workflow' };
  const created = { ...creation(ctx, wanted, snapshot), ...takenOver(ctx, wanted, workflow) };
  const { run } = created;
  const warnings = [...snapshot.warnings, ...warnOfUnknown(workflow, wanted.context)];
  const followed = follow(ctx, { id: run, project: wanted.project.name });
  const messages = [
    ...(warnings.length === 0 ? [] : [answer(ctx, view('error', warnings.join('\n')))]),
    ...(snapshot.hasPendingRules ? [pendingRules(ctx, wanted.project)] : []),
  ];
  return {
    run,
    workflow,
    plan: {
      ...emptyPlan,
      events: [created, ...(wanted.propose && workflow.policy.autoMode ? [start(ctx, created)] : [])],
      origin: originOf(ctx),
      messages: [...messages, ...followed.messages],
      effects: [{ type: 'snapshot', hash: snapshot.hash, workflow }, ...followed.effects],
    },
  };
}

/** At once, or queued behind the live run. */
export function startRun(
  ctx: MessageContext,
  project: ProjectConfig,
  {
    place,
    ...wanted
  }: Pick<NewRun, 'workflow' | 'task' | 'begin'> &
    Partial<Pick<NewRun, 'context' | 'items'>> & { readonly place?: number },
): Plan {
  const created = createRun(ctx, { context: {}, items: [], ...wanted, project, propose: false });
  if ('refused' in created) return sayError(ctx, created.refused);
  const { run, plan } = created;
  const behind = liveBeside(ctx, project.name, run);
  const { now, by } = ctx;
  const said = { run, chain: '', at: now.at, by };
  const moved = place === undefined ? [] : [{ ...said, type: 'requeue', place } as const];
  return { ...plan, events: [...plan.events, ...moved, { ...said, type: 'start', behind }] };
}

/** Null: nothing was left. */
export function resumeForeign(
  ctx: MessageContext,
  project: ProjectConfig,
  foreign: 'ask' | 'resume' | 'afresh',
): Plan | null {
  const usual = { project, workflow: project.workflow, task: '', context: {}, items: [], propose: false };
  const snapshot = snapshotOf(ctx, usual);
  if ('refused' in snapshot) return null;
  const found = foreignIn(ctx, usual, snapshot.workflow);
  if (found === null) return null;
  const isOther = found.resume !== null && !found.fits;
  const workflow = isOther ? workflowOfFormat[found.format] : project.workflow;
  const task = found.task ?? `Take over ${found.path}`;
  const created = createRun(ctx, { ...usual, workflow, task, foreign, afresh: 'end' });
  return 'refused' in created ? sayError(ctx, created.refused) : created.plan;
}

function takenOver(
  ctx: MessageContext,
  wanted: NewRun,
  workflow: Workflow,
): Pick<RunCreated, 'takeover' | 'resume' | 'settled'> {
  const given = wanted.resume ? { resume: wanted.resume } : {};
  const found = wanted.oneShot === true ? null : foreignIn(ctx, wanted, workflow);
  if (found === null) return given;
  const { words, files, resume } = found;
  if (wanted.foreign === 'resume' && resume !== null) return { ...given, resume, settled: files };
  if (wanted.foreign === 'resume' || wanted.foreign === 'afresh') return { ...given, settled: files };
  return { ...given, takeover: { words, files, resume, afresh: wanted.afresh ?? usualStart(wanted, workflow) } };
}

function usualStart({ isUnattended, propose }: NewRun, { policy }: Workflow): Takeover['afresh'] {
  if (isUnattended || (propose && policy.autoMode)) return 'start';
  return propose ? 'propose' : 'wait';
}

/** After a first run the state files are Bosun's. */
function foreignIn({ now, config }: MessageContext, { project }: NewRun, workflow: Workflow): ForeignState | null {
  const { name, root } = project;
  if (now.liveRun(name)?.startedAt) return null;
  const hasRuns = now.reader.runs(name, maxRunsLookedAt, null).some(({ oneShot }) => !oneShot);
  return findForeignState({ home: dirname(config.path), root, workflow, hasRuns });
}

const maxRunsLookedAt = 100;

/** Security: config.yaml may name a file; a message only if its sender may. */
export function snapshotOf(
  ctx: MessageContext,
  { workflow, project }: Pick<NewRun, 'workflow' | 'project'>,
): Snapshot | Refused {
  const { config, mayNameFiles } = ctx;
  const isConfigured = workflow === project.workflow;
  const where = {
    root: project.root,
    cwd: isConfigured ? project.root : ctx.cwd,
    home: dirname(config.path),
    opens: isConfigured || mayNameFiles ? 'any' : 'listed',
    configured: project.workflow,
  } as const;
  try {
    return takeSnapshot(workflow, where);
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    const code = error.code === 'not_allowed' ? 'not_allowed' : 'bad_workflow';
    return { refused: `${error.message}${error.hint ? `\n${error.hint}` : ''}`, code };
  }
}

/** The proposal names problems that would fail the run after Start. */
export function refuseUnready(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan | null {
  const snapshot = snapshotOf(ctx, { workflow: parsed.workflow ?? project.workflow, project });
  const why = 'refused' in snapshot ? null : whyNotReady(ctx.config, project, snapshot.workflow);
  if (why === null) return null;
  const text = `Can't start in ${project.name}: ${why}\nNothing was started.`;
  const offers = [{ label: 'Try again', says: parsed.text }];
  return { ...emptyPlan, messages: [answer(ctx, view('error', text, offers))], exit: 3 };
}

export function refuseWorkflow(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan | null {
  const { workflow, note } = parsed;
  const said = workflow ?? project.workflow;
  const snapshot = snapshotOf(ctx, { workflow: said, project });
  if (!('refused' in snapshot)) return null;
  const { root } = project;
  const names = listWorkflows({ root, home: dirname(ctx.config.path) }).map(({ name }) => name);
  const near = names.includes(said) ? null : nearestWord(said, names);
  if (near === null) return sayError(ctx, snapshot.refused);
  const once = parsed.isOneShot ? ' once' : '';
  const inputs = Object.entries(parsed.inputs ?? {}).map(([key, value]) => ` ${key}=${value}`);
  const head = `start ${project.name} with ${near}${once}${inputs.join('')}`;
  const says = note === null ? head : `${head}: ${note}`;
  const label = note === null ? head : `${head}: ${note.split('\n')[0] ?? ''}`.slice(0, 60);
  const shown = view('error', snapshot.refused, [{ label, says }]);
  return { ...emptyPlan, messages: [answer(ctx, shown)], exit: 3 };
}

function creation(
  { config, now, by }: MessageContext,
  wanted: NewRun,
  { hash, workflow, notes }: Snapshot,
): RunCreated {
  const { project } = wanted;
  const number = now.nextRunNumber();
  const executors = executorsOf(project).map((name) => config.executors[name]);
  const brought = executors.map((executor) => checkoutSettings(project.root, executor)?.text ?? null);
  const about = [...brought, ...executors.map(muteExecutor)].filter((one) => one !== null);
  const said = [...notes, ...new Set(about)];
  return {
    type: 'run_created',
    run: `r${number}`,
    chain: '',
    at: now.at,
    by,
    number,
    home: now.homeId,
    project: project.name,
    workflow: workflow.name,
    snapshot: hash,
    task: wanted.task,
    items: wanted.items,
    ...(wanted.items.length > 0 ? { keepsItems: true } : {}),
    rules: 5,
    context: { ...wanted.context, ...sourceOf(wanted) },
    // A lower level stays even if the workflow has a higher one.
    level: project.level === 'auto' ? (workflow.policy.level ?? 'auto') : project.level,
    afterStory: project.afterStory ?? workflow.policy.afterStory ?? 'propose',
    budgetUsd: project.budget.runUsd,
    propose: wanted.propose && !workflow.policy.autoMode,
    oneShot: wanted.oneShot ?? false,
    deliver: project.deliver,
    ...(said.length > 0 && { notes: said }),
    ...(wanted.begin !== undefined && { begin: wanted.begin }),
    ...(wanted.prd && { prd: wanted.prd }),
    ...(wanted.agents ? { parallel: wanted.agents } : {}),
    ...(wanted.story ? { firstStory: wanted.story } : {}),
  };
}

/** Unless the policy needs a go-ahead. */
function start(ctx: MessageContext, { run, project }: RunCreated): Event {
  const { now, by } = ctx;
  return { type: 'start', run, chain: '', at: now.at, by, behind: liveBeside(ctx, project, run) };
}

function sourceOf({ prdFile }: NewRun): NewRun['context'] {
  return prdFile === undefined ? {} : { prd_file: prdFile };
}

function whyNotInputs({ inputs, name }: Workflow, { context, isUnattended }: NewRun): string | null {
  const needed = Object.entries(inputs).filter(([key, input]) => input.required && key !== 'task');
  const missing = needed.map(([key]) => key).filter((key) => !context[key]?.trim());
  if (missing.length > 0 && isUnattended) return `${name} needs ${missing.join(', ')}: give them with --set.`;
  return null;
}

function whyNotStories({ name, chain }: Workflow, { items, agents }: NewRun): string | null {
  const loop = chain.find(hasBody);
  const takes = 'feature-dev, micro-waterfall and dynamic-ralph do; name one with --workflow.';
  if (!loop && ((items?.length ?? 0) > 1 || agents !== undefined))
    return `${name} has no loop that walks stories: ${takes}`;
  if (!loop || agents === undefined || agents === 1 || loop.isolate === 'worktree') return null;
  const how = 'Use --workflow dynamic-ralph, or set "isolate: worktree" on its loop.';
  return `${name} works on its stories in one checkout, one after another, so --agents ${agents} is not possible. ${how}`;
}

function warnOfUnknown({ inputs, context, name }: Workflow, given: NewRun['context']): readonly string[] {
  const known = [...Object.keys(inputs), ...Object.keys(context)];
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  return unknown.map((key) => `${name} has no input "${key}"${didYouMean(key, known)}; nothing uses it.`);
}
