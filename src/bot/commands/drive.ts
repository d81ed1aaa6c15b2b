// The verbs that drive a run: each becomes one event for one chain.

import type { ProjectConfig } from '../../config/index.js';
import { type Plan, shownRun } from '../../dispatch/index.js';
import { type Event, isRunOver, readItem, type Workflow, walkedSteps } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import type { Parsed, Verb } from '../grammar/index.js';
import { view } from '../views/view.js';
import {
  type AllProjects,
  answer,
  follow,
  liveBeside,
  type MessageContext,
  originOf,
  say,
  sayError,
  type VerbHandler,
} from './message-context.js';
import { createRun, resumeForeign } from './new-run.js';
import { currentChain, findTarget, stuckPlace, whyBlocked } from './targets.js';

type Drive = Extract<VerbHandler, { of: 'project' }>['plan'];

const drive = (plan: Drive, all: AllProjects | null = null): VerbHandler => ({ of: 'project', plan, all });

export const drivingVerbs = {
  continue: drive(goOn, { isMeant: hasOpenRun, none: 'No project has a run to continue.' }),
  start: drive(start),
  retry: drive(retry),
  skip: drive(skip),
  abort: drive((heard, project) => onRun(heard, project, (spine) => event(heard, spine, '', { type: 'abort' }))),
  stop: drive(
    (heard, project) =>
      onRun(heard, project, (spine) =>
        event(heard, spine, currentChain(heard.now, spine)?.key ?? '', { type: 'pause' }),
      ),
    { isMeant: (heard, project) => heard.now.liveRun(project) !== null, none: 'Nothing is running.' },
  ),
  rollback: drive(rollback),
  budget: drive(budget),
} satisfies Partial<Record<Verb, VerbHandler>>;

function goOn(heard: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  const spine = spineOf(heard, project);
  if (!spine || isRunOver(spine.run.status)) {
    return parsed.target !== null && project.level === 'manual'
      ? nameFirst(heard, project, parsed.target, parsed.note)
      : (resumeForeign(heard, project, 'ask') ?? askForTask(heard, project));
  }
  const behind = liveBeside(heard, project.name, spine.run.id);
  if (parsed.target === null) {
    return event(heard, spine, '', { type: 'continue', node: null, instruction: parsed.note, behind });
  }
  if (spine.run.status === 'draft' && spine.run.level === 'manual') {
    const unknown = unknownStep(spine.workflow, parsed.target);
    const named = { type: 'continue', node: parsed.target, instruction: parsed.note, behind } as const;
    return unknown === null ? event(heard, spine, '', named) : sayError(heard, unknown);
  }
  const target = findTarget(heard.now, spine, parsed.target);
  if ('unknown' in target) return sayError(heard, target.unknown);
  if ('item' in target) {
    return sayError(heard, whyBlocked(spine, target.item) ?? `${target.item.key} is a story; name a step.`);
  }
  return event(heard, spine, target.chain, {
    type: 'continue',
    node: target.node.id,
    instruction: parsed.note,
    behind,
  });
}

/** Level manual needs no run beforehand: the first named step creates it. */
function nameFirst(heard: MessageContext, project: ProjectConfig, step: string, instruction: string | null): Plan {
  const task = instruction ?? step;
  const wanted = { project, workflow: project.workflow, task, context: {}, items: [], propose: false };
  const created = createRun(heard, wanted);
  if ('refused' in created) return sayError(heard, created.refused);
  const workflow = created.plan.snapshots?.[0]?.workflow;
  const unknown = workflow ? unknownStep(workflow, step) : null;
  if (unknown !== null) return sayError(heard, unknown);
  const { now, by } = heard;
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

function start(heard: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  if (parsed.target !== null) return startStory(heard, project, parsed.target);
  const task = parsed.note?.trim() ?? '';
  if (task === '') {
    return say(heard, {
      kind: 'answer',
      text: `What is to be done (E001)? Say "start ${project.name}: <what to do>".`,
    });
  }
  const item = readItem(task);
  const created = createRun(heard, {
    project,
    workflow: parsed.workflow ?? project.workflow,
    task,
    context: parsed.inputs ?? {},
    items: item && hasOwnStory(task) ? [item] : [],
    propose: true,
    oneShot: parsed.isOneShot ?? false,
  });
  if ('refused' in created) return sayError(heard, created.refused);
  const live = heard.now.liveRun(project.name);
  const ahead = heard.now.drafts(project.name).length;
  if (!live) return created.plan;
  const place = `${project.name} works on ${live.id}; this is number ${ahead + 1} in the line (W003): "continue" means ${live.id}.`;
  return {
    ...created.plan,
    messages: [...(created.plan.messages ?? []), answer(heard, view({ kind: 'ack', text: place }))],
  };
}

/** Starts one imported story in the first run, live before drafts, where it is ready. */
export function startStory(heard: MessageContext, project: ProjectConfig, story: string): Plan {
  const { now } = heard;
  const live = now.liveRun(project.name);
  const itemIn = (spine: Spine | null) => spine?.items.find(({ key }) => key.toLowerCase() === story.toLowerCase());
  const spines = [...(live ? [live] : []), ...now.drafts(project.name)].map(({ id }) => now.spine(id));
  const spine = spines.find((one) => itemIn(one)?.status === 'ready') ?? spines.find(itemIn);
  if (spine) {
    const behind = liveBeside(heard, project.name, spine.run.id);
    return event(heard, spine, '', { type: 'start', behind, firstStory: story });
  }
  const none = `${project.name} has no story ${story} that waits. "bosun import ${project.name} prd.json" takes stories,`;
  return sayError(heard, `${none} "${project.name}: ${story} <what to do>" makes one.`);
}

function retry(heard: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  return onPlace(heard, project, parsed, (spine, place) =>
    event(heard, spine, place.chain, { type: 'retry', node: place.node.id, note: parsed.note }),
  );
}

function skip(heard: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  const spine = spineOf(heard, project);
  const target = spine && parsed.target !== null ? findTarget(heard.now, spine, parsed.target) : null;
  const reason = parsed.note ?? 'skipped by a person';
  if (spine && target && 'item' in target)
    return event(heard, spine, '', { type: 'skip_item', item: target.item.key, reason });
  return onPlace(heard, project, parsed, (found, place) =>
    event(heard, found, place.chain, { type: 'skip', node: place.node.id, reason }),
  );
}

function rollback(heard: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  return onPlace(heard, project, parsed, (spine, place) =>
    event(heard, spine, place.chain, { type: 'rollback', node: place.node.id }),
  );
}

function budget(heard: MessageContext, project: ProjectConfig, parsed: Parsed): Plan {
  const addUsd = Number.parseFloat((parsed.target ?? '').replace(/^\+?\$?/, ''));
  if (!Number.isFinite(addUsd) || Math.abs(addUsd) > 100_000) return sayError(heard, 'Say how much: "budget shop +5".');
  return onRun(heard, project, (spine) => event(heard, spine, '', { type: 'budget', addUsd }));
}

function onPlace(
  heard: MessageContext,
  project: ProjectConfig,
  parsed: Parsed,
  plan: (spine: Spine, place: { readonly chain: string; readonly node: { readonly id: string } }) => Plan,
): Plan {
  return onRun(heard, project, (spine) => {
    const target = parsed.target === null ? null : findTarget(heard.now, spine, parsed.target);
    if (target && 'unknown' in target) return sayError(heard, target.unknown);
    const place = target && 'node' in target ? target : stuckPlace(heard.now, spine, target ? target.item.key : null);
    if (place) return plan(spine, place);
    const blocked = target && 'item' in target ? whyBlocked(spine, target.item) : null;
    const busy = 'Bosun is at work in the checkout; the run goes on by itself once that is done and stored.';
    const none = spine.run.ops.length > 0 ? busy : 'there is no step to do that to.';
    return sayError(heard, blocked ?? `${project.name}: ${none}`);
  });
}

function onRun(heard: MessageContext, project: ProjectConfig, plan: (spine: Spine) => Plan): Plan {
  const spine = spineOf(heard, project);
  if (!spine || isRunOver(spine.run.status)) {
    return say(heard, {
      kind: 'answer',
      text: `${project.name} has no run (E006). Give it a task: "${project.name}: <what to do>".`,
    });
  }
  return plan(spine);
}

function hasOpenRun(heard: MessageContext, project: string): boolean {
  const spine = spineOf(heard, { name: project });
  return spine !== null && !isRunOver(spine.run.status);
}

export function spineOf(heard: MessageContext, project: Pick<ProjectConfig, 'name'>): Spine | null {
  const live = heard.now.liveRun(project.name);
  const run = live ?? shownRun(heard.now.reader, project.name) ?? heard.now.drafts(project.name)[0] ?? null;
  return run && heard.now.spine(run.id);
}

type Said<T> = T extends Event ? Omit<T, 'run' | 'chain' | 'at' | 'by'> : never;

export function event(heard: MessageContext, spine: Spine, chain: string, said: Said<Event>): Plan {
  const full = { ...said, run: spine.run.id, chain, at: heard.now.at, by: heard.by } as Event;
  return { events: [full], origin: originOf(heard), ...follow(heard, spine.run) };
}

function askForTask(heard: MessageContext, project: ProjectConfig): Plan {
  return say(heard, {
    kind: 'answer',
    text: `${project.name} has nothing to do (E006). Give it a task: "${project.name}: <what to do>".`,
  });
}

function hasOwnStory(task: string): boolean {
  return readItem(task) !== null;
}
