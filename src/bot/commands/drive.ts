import { type ProjectConfig, requiredToSkip } from '../../config/index.js';
import { emptyPlan, type Plan, shownRun, workNamed } from '../../dispatch/index.js';
import {
  type ChangedFiles,
  definitions,
  type Event,
  isApproval,
  isRunOver,
  readItem,
  type Workflow,
  walkedSteps,
} from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import type { Parsed, Verb } from '../grammar/index.js';
import { view } from '../views/view.js';
import { ordinal, titleOf } from '../views/work/card-text.js';
import {
  type AllProjects,
  answer,
  besideMeant,
  follow,
  liveBeside,
  type MessageContext,
  originOf,
  say,
  sayError,
  type VerbHandler,
} from './message-context.js';
import { createRun, refuseUnready, refuseWorkflow, resumeForeign } from './new-run.js';
import { stateNow } from './reading/state-now.js';
import { currentChain, findTarget, type StuckPlace, stuckPlace, whyBlocked } from './targets.js';
import { refusal } from './which-project.js';

type Drive = Extract<VerbHandler, { of: 'project' }>['plan'];

const drive = (plan: Drive, all: AllProjects | null = null): VerbHandler => ({ of: 'project', plan, all });

export const drivingVerbs = {
  continue: drive(goOn, { isMeant: hasOpenRun, text: 'No project has a run to continue.' }),
  start: drive(start),
  retry: drive(retry),
  skip: drive(skip),
  abort: drive((ctx, project) =>
    onRun(ctx, project, (spine) => event(ctx, spine, '', { type: 'abort', ...uncommitted(ctx, spine) })),
  ),
  stop: drive(
    (ctx, project) =>
      onRun(ctx, project, (spine) => event(ctx, spine, currentChain(ctx.now, spine)?.key ?? '', { type: 'pause' })),
    { isMeant: (ctx, project) => ctx.now.liveRun(project) !== null, text: 'Nothing is running.' },
  ),
  rollback: drive(rollback),
  budget: drive(budget),
} satisfies Partial<Record<Verb, VerbHandler>>;

const namedFiles = 5;

/** As the steps of unfinished work report them. */
function uncommitted({ now }: MessageContext, { run, items }: Spine): { readonly changed?: ChangedFiles } {
  const isOpen = (chain: string) =>
    items.length === 0 || items.some(({ key, status }) => key === chain && status !== 'done' && status !== 'cancelled');
  const nodes = now.reader.nodes(run.id).filter(({ chain }) => isOpen(chain));
  const files = [...new Set(nodes.flatMap(({ last }) => last?.filesChanged ?? []))];
  return files.length === 0 ? {} : { changed: { count: files.length, names: files.slice(0, namedFiles) } };
}

function goOn(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  const spine = spineOf(ctx, project);
  if (!spine || isRunOver(spine.run.status)) {
    return parsed.target !== null && project.level === 'manual'
      ? nameFirst(ctx, project, parsed.target, parsed.note)
      : (resumeForeign(ctx, project, 'ask') ?? askForTask(ctx, project));
  }
  const behind = liveBeside(ctx, project.name, spine.run.id);
  if (parsed.target === null) {
    return event(ctx, spine, '', { type: 'continue', node: null, instruction: parsed.note, behind });
  }
  if (spine.run.status === 'draft' && spine.run.level === 'manual') {
    const unknown = unknownStep(spine.workflow, parsed.target);
    const named = { type: 'continue', node: parsed.target, instruction: parsed.note, behind } as const;
    return unknown === null ? event(ctx, spine, '', named) : sayError(ctx, unknown);
  }
  const target = findTarget(ctx.now, spine, parsed.target);
  if ('unknown' in target) return sayError(ctx, target.unknown);
  if ('item' in target) {
    return sayError(ctx, whyBlocked(spine, target.item) ?? `${target.item.key} is a story. Name a step of it.`);
  }
  return event(ctx, spine, target.chain, {
    type: 'continue',
    node: target.node.id,
    instruction: parsed.note,
    behind,
  });
}

/** Level manual: the first named step creates the run. */
function nameFirst(ctx: MessageContext, project: ProjectConfig, step: string, instruction: string | null): Plan {
  const task = instruction ?? step;
  const wanted = { project, workflow: project.workflow, task, context: {}, items: [], propose: false };
  const created = createRun(ctx, wanted);
  if ('refused' in created) return sayError(ctx, created.refused);
  const unknown = unknownStep(created.workflow, step);
  if (unknown !== null) return sayError(ctx, unknown);
  const { now, by } = ctx;
  const named = {
    type: 'continue',
    run: created.run,
    chain: '',
    at: now.at,
    by,
    node: step,
    instruction,
    behind: null,
  } as const;
  return { ...created.plan, events: [...created.plan.events, named] };
}

function unknownStep(workflow: Workflow, said: string): string | null {
  const steps = walkedSteps(workflow.chain);
  const isKnown = steps.some((def) => [def.id, def.title].some((name) => name.toLowerCase() === said.toLowerCase()));
  return isKnown ? null : `No step "${said}" in ${workflow.name}. There are ${steps.map((def) => def.id).join(', ')}.`;
}

function start(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  if (parsed.target !== null) return startStory(ctx, project, parsed.target);
  const task = parsed.note?.trim() ?? '';
  const refused = parsed.workflow === null ? null : refuseWorkflow(ctx, project, parsed);
  if (refused !== null) return refused;
  if (task === '') {
    return say(
      ctx,
      view('answer', `What should I do in ${project.name} (E001)? Say "start ${project.name}: <what to do>".`),
    );
  }
  const notReady = refuseUnready(ctx, project, parsed);
  if (notReady !== null) return notReady;
  const item = readItem(task);
  const created = createRun(ctx, {
    project,
    workflow: parsed.workflow ?? project.workflow,
    task,
    context: parsed.inputs ?? {},
    items: item && hasOwnStory(task) ? [item] : [],
    propose: true,
    oneShot: parsed.isOneShot ?? false,
  });
  if ('refused' in created) return sayError(ctx, created.refused);
  const live = ctx.now.holder(project.name);
  const ahead = ctx.now.drafts(project.name).length;
  if (!live) return created.plan;
  // In a chat the proposal itself says so.
  if (ctx.now.isInChat(ctx.thread.id)) return created.plan;
  const place = `Queued, ${ordinal(ahead + 1)} (W003): ${project.name} is working on “${titleOf(live.task)}” first, and "continue" means that.`;
  return {
    ...created.plan,
    messages: [...created.plan.messages, answer(ctx, view('ack', place))],
  };
}

/** In the first run where the story is ready, live before drafts. */
export function startStory(ctx: MessageContext, project: ProjectConfig, story: string): Plan {
  const { now } = ctx;
  const live = now.liveRun(project.name);
  const itemIn = (spine: Spine | null) => spine?.items.find(({ key }) => key.toLowerCase() === story.toLowerCase());
  const spines = [...(live ? [live] : []), ...now.drafts(project.name)].map(({ id }) => now.spine(id));
  const spine = spines.find((one) => itemIn(one)?.status === 'ready') ?? spines.find(itemIn);
  if (spine) {
    const behind = liveBeside(ctx, project.name, spine.run.id);
    return event(ctx, spine, '', { type: 'start', behind, firstStory: story });
  }
  const none = `${project.name} has no waiting story ${story}. "bosun import ${project.name} prd.json" imports stories,`;
  return sayError(ctx, `${none} "${project.name}: ${story} <what to do>" creates one.`);
}

function retry(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  return onPlace(ctx, project, parsed, (spine, place) =>
    event(ctx, spine, place.chain, { type: 'retry', node: place.node.id, note: parsed.note }),
  );
}

function skip(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  const spine = spineOf(ctx, project);
  const target = spine && parsed.target !== null ? findTarget(ctx.now, spine, parsed.target) : null;
  if (spine && target && 'item' in target) {
    const reason = parsed.note ?? 'skipped by a person';
    return event(ctx, spine, '', { type: 'skip_item', item: target.item.key, reason });
  }
  return onPlace(ctx, project, parsed, (found, { chain, node }) => {
    const step = definitions(found.workflow).find(({ id }) => id === node.template);
    const required = step && isApproval(step) ? requiredToSkip(step.approvals) : 'skip';
    return (
      refusal(ctx, project, required) ?? event(ctx, found, chain, { type: 'skip', node: node.id, reason: parsed.note })
    );
  });
}

function rollback(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  return onPlace(ctx, project, parsed, (spine, place) =>
    event(ctx, spine, place.chain, { type: 'rollback', node: place.node.id }),
  );
}

function budget(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  const addUsd = Number.parseFloat((parsed.target ?? '').replace(/^\+?\$?/, ''));
  if (!Number.isFinite(addUsd) || Math.abs(addUsd) > 100_000)
    return sayError(ctx, 'By how much? Say, for example, "budget shop +5".');
  return onRun(ctx, project, (spine) => event(ctx, spine, '', { type: 'budget', addUsd }));
}

function onPlace(
  ctx: MessageContext,
  project: ProjectConfig,
  parsed: Parsed,
  plan: (spine: Spine, place: StuckPlace) => Plan,
): Plan {
  return onRun(ctx, project, (spine) => {
    const target = parsed.target === null ? null : findTarget(ctx.now, spine, parsed.target);
    if (target && 'unknown' in target) return sayError(ctx, target.unknown);
    const place = target && 'node' in target ? target : stuckPlace(ctx.now, spine, target ? target.item.key : null);
    if (place) return plan(spine, place);
    const blocked = target && 'item' in target ? whyBlocked(spine, target.item) : null;
    const busy = 'Bosun is changing the checkout. The run continues by itself when that is done.';
    const state = stateNow(ctx, project);
    const none =
      spine.run.ops.length > 0
        ? `${project.name}: ${busy}`
        : `Nothing to ${parsed.verb ?? 'do'}: ${project.name} is ${state}.`;
    return sayError(ctx, blocked ?? none);
  });
}

function onRun(ctx: MessageContext, project: ProjectConfig, plan: (spine: Spine) => Plan): Plan {
  const spine = spineOf(ctx, project);
  if (!spine || isRunOver(spine.run.status)) {
    const gone = whyNoRun(spine);
    return say(
      ctx,
      view('answer', `${project.name} has no run ${gone}. Give it a task: "${project.name}: <what to do>".`),
    );
  }
  return plan(spine);
}

/** `ended` null: there was none. */
export function whyNoRun(ended: Spine | null): string {
  return ended === null ? '(E006)' : `now (E006): “${titleOf(ended.run.task)}” is ${workNamed(ended).word}`;
}

function hasOpenRun(ctx: MessageContext, project: string): boolean {
  const spine = spineOf(ctx, { name: project });
  return spine !== null && !isRunOver(spine.run.status);
}

export function spineOf(ctx: MessageContext, project: Pick<ProjectConfig, 'name'>): Spine | null {
  const beside = besideMeant(ctx, project);
  if (beside !== null) return ctx.now.spine(beside.id);
  const live = ctx.now.liveRun(project.name);
  const run = live ?? shownRun(ctx.now.reader, project.name) ?? ctx.now.drafts(project.name)[0] ?? null;
  return run && ctx.now.spine(run.id);
}

type Said<T> = T extends Event ? Omit<T, 'run' | 'chain' | 'at' | 'by'> : never;

export function event(ctx: MessageContext, spine: Spine, chain: string, said: Said<Event>): Plan {
  const full = { ...said, run: spine.run.id, chain, at: ctx.now.at, by: ctx.by } as Event;
  return { ...emptyPlan, events: [full], origin: originOf(ctx), ...follow(ctx, spine.run) };
}

function askForTask(ctx: MessageContext, project: ProjectConfig): Plan {
  return say(ctx, view('answer', `${project.name} is idle (E006). Give it a task: "${project.name}: <what to do>".`));
}

function hasOwnStory(task: string): boolean {
  return readItem(task) !== null;
}
