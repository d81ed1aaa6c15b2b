import { type ProjectConfig, projectNamed } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { queuedId } from '../../../dispatch/index.js';
import { type Item, placeOf, type Run } from '../../../engine/index.js';
import type { Parsed } from '../../grammar/index.js';
import { attentionOf } from '../../views/people/awaited.js';
import { lines, personName, view } from '../../views/view.js';
import { ordinal } from '../../views/work/card-text.js';
import { event } from '../drive.js';
import { liveBeside, type MessageContext, projectsOf, roleIn, say, sayError } from '../message-context.js';
import { startRun } from '../new-run.js';
import { stateNow } from '../reading/state-now.js';
import { cardLine, cardOf, type OpenCard, showOffers } from '../unclear/open-cards.js';
import { refusal } from '../which-project.js';
import { onDraft, taskTitle } from './queued-task.js';

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
    return say(ctx, view('answer', `Nothing runs or waits${where}.`));
  }
  const text = busy.map((project) => queueText(ctx, project)).join('\n\n');
  const [only, ...others] = busy;
  const shows = showOffers(busy.flatMap((project) => cardsForReader(ctx, project))).slice(0, maxButtoned);
  const moves = only && others.length === 0 ? offersOf(ctx, only) : [];
  return say(ctx, view('answer', text, [...shows, ...moves]));
}

export function showAllProjects(ctx: MessageContext): Plan {
  const known = projectsOf(ctx);
  const isBusy = ({ name }: ProjectConfig) => ctx.now.liveRun(name) !== null || ctx.now.drafts(name).length > 0;
  const idle = known.filter((project) => !isBusy(project)).map(({ name }) => name);
  const parts = known.filter(isBusy).map((project) => queueText(ctx, project));
  const more = idle.length > maxListed ? ` and ${idle.length - maxListed} more` : '';
  const idleLine = idle.length === 0 ? [] : [`Idle: ${idle.slice(0, maxListed).join(', ')}${more}`];
  const text = [...parts, ...idleLine].join('\n\n');
  const offers = known.slice(0, maxListed).map(({ name }) => ({ label: name, says: `status ${name}` }));
  return say(ctx, view('answer', text, offers));
}

/** A list never calls on a person who may not decide. */
function cardsForReader(ctx: MessageContext, project: ProjectConfig): readonly OpenCard[] {
  const members = Object.entries(project.members).map(([name, held]) => ({ name, role: held }));
  const reader = { by: ctx.by, role: roleIn(ctx, project), members };
  return ctx.now.reader.openInteractions(project.name).flatMap(({ run: id, interaction }) => {
    const run = ctx.now.spine(id)?.run ?? null;
    const card = run && attentionOf(interaction, run, reader) === 'theirs' ? cardOf(ctx, id, interaction) : null;
    return card === null ? [] : [card];
  });
}

function queueText(ctx: MessageContext, project: ProjectConfig): string {
  const { now } = ctx;
  const { name } = project;
  const live = now.liveRun(name);
  const drafts = now.drafts(name);
  const beside = now.besideRuns(name).filter(({ id }) => id !== live?.id);
  const listed = drafts.slice(0, maxListed).map((run, at) => {
    const waits = run.approved ? '' : ' · waits for its Start';
    return `${at + 1}. ${taskTitle(run)} · ${personName(run.createdBy)} · ${queuedId(run)}${waits}`;
  });
  return lines(
    `Queue of ${name} · ${drafts.length} waiting`,
    live && `Now: ${taskTitle(live)} (${stateNow(ctx, project)})`,
    ...beside.map((run) => `Beside it: ${taskTitle(run)} (${run.id})`),
    ...listed,
    drafts.length > maxListed && `and ${drafts.length - maxListed} more`,
    ...cardsForReader(ctx, project).map((card) => `Needs you: ${cardLine(card)}`),
  );
}

function offersOf({ now }: MessageContext, { name }: ProjectConfig) {
  const buttoned = now.drafts(name).slice(0, maxButtoned);
  const isTaken = now.holder(name) !== null;
  return buttoned.flatMap((run, at) => [
    ...(at === 0 ? [] : [{ label: `Move ${at + 1} first`, says: `@first ${run.id}` }]),
    { label: `Remove ${at + 1}`, says: `@unqueue ${run.id}` },
    ...(isTaken ? [{ label: `Start ${at + 1} beside it`, says: `@beside ${run.id}` }] : []),
  ]);
}

/** By name, so that a changed list never removes another task. */
function removeTask(ctx: MessageContext, id: string): Plan {
  return onDraft(ctx, id, ({ run, spine }) => {
    const back = [{ label: 'Put it back', says: `@requeue ${run.id}` }];
    const taken = say(ctx, view('ack', `Taken out of the queue: ${taskTitle(run)}.`, back));
    return { ...event(ctx, spine, '', { type: 'dequeue' }), messages: taken.messages };
  });
}

function putBack(ctx: MessageContext, id: string): Plan {
  const spine = ctx.now.spine(id);
  const project = projectsOf(ctx).find(({ name }) => name === spine?.run.project);
  if (!spine || !project) return sayError(ctx, 'That task is not in the queue.');
  const refused = refusal(ctx, project, 'start');
  if (refused) return refused;
  const { run } = spine;
  const isBack = ctx.now.drafts(project.name).some(({ task }) => task === run.task);
  if (run.status !== 'cancelled' || run.startedAt !== null || isBack)
    return sayError(ctx, `${taskTitle(run)} was not taken out, or is back already.`);
  const { workflow, task, context, place = run.number } = run;
  return startRun(ctx, project, { workflow, task, context, place, items: spine.items.map(asNew) });
}

function asNew({ key, title, description, criteria, dependsOn, complexity, priority, values, notes, extra }: Item) {
  const given = { ...(notes !== undefined && { notes }), ...(extra !== undefined && { extra }) };
  return { key, title, description, criteria, dependsOn, complexity, priority, values, ...given };
}

type QueueMove = 'up' | 'down' | 'first';

function moveTask(ctx: MessageContext, id: string, how: QueueMove): Plan {
  return onDraft(ctx, id, ({ run, spine }) => {
    const drafts = ctx.now.drafts(run.project);
    const at = drafts.findIndex((one) => one.id === id);
    const to = { up: at - 1, down: at + 1, first: 0 }[how];
    if (at < 0 || to < 0 || to >= drafts.length || to === at)
      return say(ctx, view('ack', `${taskTitle(run)} is ${how === 'down' ? 'last' : 'first'} already.`));
    const moved = say(ctx, view('ack', `${taskTitle(run)} is ${to === 0 ? 'first' : ordinal(to + 1)} now.`));
    return {
      ...event(ctx, spine, '', { type: 'requeue', place: placeAt(drafts, { at, to }) }),
      messages: moved.messages,
    };
  });
}

function placeAt(drafts: readonly Run[], { at, to }: { readonly at: number; readonly to: number }): number {
  const others = drafts.filter((_, index) => index !== at).map(placeOf);
  const [before, after] = [others[to - 1], others[to]];
  if (before === undefined) return (after ?? 0) - 1;
  return after === undefined ? before + 1 : (before + after) / 2;
}

/** `drop q3`, `move q3 up`: run 3's task. */
export function changeQueue(ctx: MessageContext, { target }: Parsed): Plan {
  const [id = '', how] = (target ?? '').split(' ');
  const run = `r${id.slice(1)}`;
  return how === undefined ? removeTask(ctx, run) : moveTask(ctx, run, isMove(how) ? how : 'first');
}

function isMove(word: string): word is QueueMove {
  return word === 'up' || word === 'down' || word === 'first';
}

function beginTask(ctx: MessageContext, id: string): Plan {
  return onDraft(ctx, id, ({ run, spine }) =>
    event(ctx, spine, '', { type: 'start', behind: liveBeside(ctx, run.project, run.id) }),
  );
}

const maxBeside = 3;

/** At once, in its own worktree: the run in the project's folder goes on. */
function beginBeside(ctx: MessageContext, id: string): Plan {
  return onDraft(ctx, id, ({ run, spine }) => {
    const count = ctx.now.besideRuns(run.project).length;
    if (count >= maxBeside)
      return sayError(ctx, `${count} tasks of ${run.project} already run beside the first. ${taskTitle(run)} waits.`);
    return event(ctx, spine, '', { type: 'start', behind: null, beside: true });
  });
}

/** `start q3`, `start q3 beside`; null: names no waiting task. */
export function startQueued(ctx: MessageContext, { target }: Parsed): Plan | null {
  const [, number, beside] = /^q(\d+)( beside)?$/.exec(target ?? '') ?? [];
  if (number === undefined) return null;
  return beside === undefined ? beginTask(ctx, `r${number}`) : beginBeside(ctx, `r${number}`);
}

/** Null: no queue button. */
export function queueAction(action: string): ((ctx: MessageContext, run: string) => Plan) | null {
  switch (action) {
    case 'unqueue':
      return removeTask;
    case 'requeue':
      return putBack;
    case 'begin':
      return beginTask;
    case 'beside':
      return beginBeside;
    case 'first':
      return (ctx, run) => moveTask(ctx, run, 'first');
    default:
      return null;
  }
}
