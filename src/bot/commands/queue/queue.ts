// The queue of tasks: what runs, what waits for its turn, and buttons that move a task or take it out.

import { type ProjectConfig, projectNamed } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { placeOf, type Run } from '../../../engine/index.js';
import type { Parsed } from '../../grammar/index.js';
import { lines, oneLine, personName } from '../../views/view.js';
import { event } from '../drive.js';
import { type MessageContext, projectsOf, say, sayError } from '../message-context.js';
import { refusal } from '../which-project.js';

/** Further tasks are listed without buttons, which a chat could not hold. */
const maxButtoned = 4;
const maxListed = 20;

export function showQueue(ctx: MessageContext, parsed: Parsed): Plan {
  const name = parsed.project ?? ctx.thread.project;
  const named = name === null ? null : projectNamed(ctx.config, name);
  const known = projectsOf(ctx);
  const meant = known.filter((project) => named === null || project.name === named.name);
  if (meant.length === 0) return sayError(ctx, `No project "${name ?? ''}".`);
  const busy = meant.filter((project) => ctx.now.liveRun(project.name) || ctx.now.drafts(project.name).length > 0);
  if (busy.length === 0) {
    const where = meant.length === 1 ? ` in ${meant[0]?.name ?? ''}` : '';
    return say(ctx, { kind: 'answer', text: `Nothing runs or waits${where}.` });
  }
  const text = busy.map((project) => queueText(ctx, project)).join('\n\n');
  const [only, ...others] = busy;
  return say(ctx, { kind: 'answer', text, offers: only && others.length === 0 ? offersOf(ctx, only) : [] });
}

function queueText({ now }: MessageContext, { name }: ProjectConfig): string {
  const live = now.liveRun(name);
  const drafts = now.drafts(name);
  const listed = drafts.slice(0, maxListed).map((run, at) => {
    const waits = run.approved ? '' : ' · waits for its Start';
    return `${at + 1}. ${taskTitle(run)} · ${personName(run.createdBy)}${waits}`;
  });
  return lines(
    `Queue of ${name} · ${drafts.length} waiting`,
    live && `Now: ${taskTitle(live)} (${live.status}${live.pauseReason === null ? '' : `, ${live.pauseReason}`})`,
    ...listed,
    drafts.length > maxListed && `and ${drafts.length - maxListed} more`,
  );
}

function offersOf({ now }: MessageContext, { name }: ProjectConfig) {
  const buttoned = now.drafts(name).slice(0, maxButtoned);
  return buttoned.flatMap((run, at) => [
    ...(at === 0 ? [] : [{ label: `Move ${at + 1} first`, says: `@first ${run.id}` }]),
    { label: `Remove ${at + 1}`, says: `@unqueue ${run.id}` },
  ]);
}

/** The buttons name the task, so a list that changed meanwhile never moves another. */
export function removeTask(ctx: MessageContext, id: string): Plan {
  return onDraft(ctx, id, ({ run, spine }) => {
    const taken = say(ctx, { kind: 'ack', text: `Taken out of the queue: ${taskTitle(run)}.` });
    return { ...event(ctx, spine, '', { type: 'dequeue' }), messages: taken.messages ?? [] };
  });
}

export function moveFirst(ctx: MessageContext, id: string): Plan {
  return onDraft(ctx, id, ({ run, spine }) => {
    const [first] = ctx.now.drafts(run.project);
    if (first === undefined || first.id === id)
      return say(ctx, { kind: 'ack', text: `${taskTitle(run)} is first already.` });
    const moved = say(ctx, { kind: 'ack', text: `${taskTitle(run)} is first now.` });
    return { ...event(ctx, spine, '', { type: 'requeue', place: placeOf(first) - 1 }), messages: moved.messages ?? [] };
  });
}

interface Draft {
  readonly run: Run;
  readonly spine: NonNullable<ReturnType<MessageContext['now']['spine']>>;
}

function onDraft(ctx: MessageContext, id: string, plan: (draft: Draft) => Plan): Plan {
  const spine = ctx.now.spine(id);
  const project = projectsOf(ctx).find(({ name }) => name === spine?.run.project);
  if (!spine || !project) return sayError(ctx, 'That task is not in the queue.');
  const refused = refusal(ctx, project, 'start');
  if (refused) return refused;
  if (spine.run.status !== 'draft') return sayError(ctx, `${taskTitle(spine.run)} is no longer in the queue.`);
  return plan({ run: spine.run, spine });
}

function taskTitle({ task }: Pick<Run, 'task'>): string {
  return `“${oneLine(task.split('\n', 1)[0] ?? '', 60)}”`;
}
