// The verbs that only read.

import type { ProjectConfig } from '../../../config/index.js';
import {
  type Costs,
  costsOf,
  type Health,
  itemNamed,
  type NodeJson,
  nodeNamed,
  type Plan,
  type ProjectStatus,
  projectStatus,
  sessionOf,
  shownRun,
} from '../../../dispatch/index.js';
import { asksPerson, hasBody, type Item, isRunOver, type NodeState, skipText } from '../../../engine/index.js';
import type { HistoryReader, RecordReader, RunReader, Spine } from '../../../store/index.js';
import type { Verb } from '../../grammar/index.js';
import { longSummary } from '../../views/chain-summary.js';
import { costText } from '../../views/costs.js';
import { eventLine, recordLine } from '../../views/history.js';
import { mayDecide } from '../../views/people/awaited.js';
import { homeOwnerReads, type StateReader, stateFor, stateInWords } from '../../views/people/work-state.js';
import {
  clock,
  costSaid,
  duration,
  joinedLines,
  lines,
  oneLine,
  personName,
  span,
  testLine,
} from '../../views/view.js';
import { failureText } from '../../views/work/executor-text.js';
import { type MessageContext, projectsOf, roleIn, say, type VerbHandler } from '../message-context.js';
import { tellOf } from './evidence-target.js';
import { failedText } from './failed-deliveries.js';
import { greet, help } from './first-words.js';

type ProjectHandler = Extract<VerbHandler, { of: 'project' }>;
const read = (plan: ProjectHandler['plan']): ProjectHandler => ({
  of: 'project',
  plan,
  all: null,
});
const readChat = (plan: (ctx: MessageContext) => Plan): VerbHandler => ({ of: 'chat', plan });

export const readingVerbs = {
  projects: readChat(projectsParts),
  inbox: readChat(inboxPlan),
  whoami: readChat(whoami),
  help: { of: 'chat', plan: help },
  status: read((ctx, project) => say(ctx, statusParts(ctx, project))),
  stories: read((ctx, project) => onRun(ctx, project, (run) => storyLines(ctx.now.reader, run))),
  steps: read((ctx, project) => onRun(ctx, project, (run) => stepLines(ctx.now.reader, run))),
  history: read((ctx, project) => onRun(ctx, project, (run) => historyLines(ctx.now.reader, run))),
  cost: read((ctx, project) => say(ctx, { kind: 'answer', text: costText(costsNow(ctx, project)) })),
  why: read((ctx, project) => say(ctx, { kind: 'answer', text: why(statusNow(ctx, project)) })),
  log: read(tellOf('log')),
  diff: read(tellOf('diff')),
} satisfies Partial<Record<Verb, VerbHandler>>;

export function statusParts(ctx: MessageContext, project: ProjectConfig) {
  const status = statusNow(ctx, project);
  const offers = [{ label: 'Continue', says: `continue ${project.name}` }];
  return {
    kind: 'answer',
    text: lines(
      statusText(status, status.run && ctx.now.spine(status.run.id), readerOf(ctx, project)),
      status.run && summaryOfRun(ctx.now.reader, status.run.id),
    ),
    offers: status.run && !isRunOver(status.run.status as 'running') ? offers : [],
  };
}

/** Empty unless the run completed and exports its session. */
export function summaryOfRun(reader: RecordReader & RunReader, id: string): string {
  const spine = reader.spine(id);
  if (spine?.run.status !== 'completed' || !spine.workflow.exports.includes('session')) return '';
  return longSummary(sessionOf(reader, spine, (key) => reader.chain(id, key)).file);
}

function statusNow({ now }: MessageContext, project: ProjectConfig): ProjectStatus {
  return projectStatus(now.reader, project, now.at, now);
}

/** `spine` must belong to the same run; it adds what the status leaves out. */
export function statusText(
  status: ProjectStatus,
  spine: Pick<Spine, 'run' | 'items' | 'interactions'> | null = null,
  reader: StateReader = homeOwnerReads,
): string {
  const { run } = status;
  const position = spine?.run.position ?? null;
  const unchanged = new Set(spine?.items.filter(isUnchanged).map(({ key }) => key));
  if (!run) return `${status.project}: idle. Give it a task: "${status.project}: <what to do>".`;
  const mine = new Set(spine?.interactions.filter((one) => mayDecide(one, spine.run, reader)).map(({ id }) => id));
  const shown = status.nodes.filter((node) => !hasBody(node));
  const current = shown.filter((node) =>
    ['queued', 'running', 'needs_human', 'failed', 'ready', 'cancelled'].includes(node.state),
  );
  return lines(
    `${status.project}: ${spine === null ? run.status : stateInWords(stateOfRun(spine, status.health, reader))} · ${run.id} · ${run.workflow} · ${status.level}`,
    run.task.split('\n')[0]?.slice(0, 200),
    position !== null && `Began at ${position}; ${countOf(shown, ['passed', 'skipped'])} of ${shown.length} steps`,
    ...status.items.map(
      (item) =>
        `[${itemNamed({ status: item.status as Item['status'] }).word}] ${item.key} ${item.title}${unchanged.has(item.key) ? ' (no change)' : ''}`,
    ),
    ...current.map(nodeLine),
    status.opened !== null && openedLine(status.opened),
    ...status.interactions.map(
      ({ kind, id, item, text }) =>
        `${spine === null || mine.has(id) ? 'Needs you' : 'Waits for others'}: ${kind} ${id}${item === null ? '' : ` of ${item}`}: ${joinedLines(text)}`,
    ),
    (run.cost_usd > 0 || !run.cost_known) &&
      `Cost ${costSaid({ costUsd: run.cost_usd, unpriced: run.cost_known ? 0 : 1 })}`,
    status.drafts.length > 0 &&
      run.status !== 'draft' &&
      `In line: ${status.drafts.map(({ task }) => `“${oneLine(task.split('\n', 1)[0] ?? '', 60)}”`).join(', ')}`,
  );
}

function openedLine({ by, item, step, since }: NonNullable<ProjectStatus['opened']>): string {
  const what = item === null ? step : `${item} ${step}`;
  return `${personName(by)} has the session of ${what} open in a terminal since ${clock(Date.parse(since))}; nothing new starts until it ends.`;
}

function nodeLine(node: NodeJson): string {
  const { item, template, state, attempt, max_attempts, tests, not_before } = node;
  const parts = [
    `${item ?? ''} ${template}: ${nodeNamed(state as NodeState).word}`.trim(),
    asksPerson(node) ? '' : `attempt ${attempt} of ${max_attempts}`,
    tests ? `tests ${testLine({ ...tests, failing: [] })}` : '',
    not_before === null
      ? ''
      : `not before ${clock(Date.parse(not_before))}${node.reason ? ` (${node.reason.replaceAll('_', ' ')})` : ''}`,
    waitingNow(node),
    standInNow(node),
    doingNow(node),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A start time already says that the node waits. */
function waitingNow({ waits_for, not_before }: NodeJson): string {
  return waits_for === null || not_before !== null ? '' : `waits for ${waits_for}`;
}

function doingNow({ activity }: NodeJson): string {
  if (activity === null) return '';
  const doing = oneLine(activity.action ?? activity.last ?? '') || 'said nothing yet';
  const silentMs = activity.silent_s * 1_000;
  const parts = [doing, silentMs >= quietAfterMs ? `quiet for ${span(silentMs)}` : ''];
  return parts.filter((part) => part !== '').join(', ');
}

const quietAfterMs = 60_000;

function countOf(nodes: ProjectStatus['nodes'], states: readonly string[]): number {
  return nodes.filter((node) => states.includes(node.state)).length;
}

const noProject = 'There is no project yet. On the computer that runs Bosun: bosun init <folder>.';

function projectsParts(ctx: MessageContext): Plan {
  const known = projectsOf(ctx);
  if (known.length === 0) return say(ctx, { kind: 'answer', text: noProject });
  const offers = known.slice(0, 20).map((project) => ({ label: project.name, says: `status ${project.name}` }));
  return say(ctx, { kind: 'answer', text: projectRows(ctx).join('\n'), offers });
}

/** To a person who opens the chat. */
export function greetPerson(ctx: MessageContext): Plan {
  const rows = projectRows(ctx);
  return greet(ctx, rows.length === 0 ? [noProject] : rows);
}

function projectRows(ctx: MessageContext): readonly string[] {
  return projectsOf(ctx).map((project) => {
    const status = statusNow(ctx, project);
    const alias = project.aliases.length > 0 ? ` (${project.aliases.join(', ')})` : '';
    return `${project.name}${alias}: ${stateNow(ctx, project, status)}`;
  });
}

function readerOf(ctx: MessageContext, project: ProjectConfig): StateReader {
  return { by: ctx.by, role: roleIn(ctx, project), members: project.members };
}

function stateOfRun({ run, interactions }: Pick<Spine, 'run' | 'interactions'>, health: Health, reader: StateReader) {
  return stateFor(run, { interactions, health, behind: null }, reader);
}

/** Of the run that goes on; one that is over leaves its project idle. */
export function stateNow(ctx: MessageContext, project: ProjectConfig, status = statusNow(ctx, project)): string {
  const spine = status.run && ctx.now.spine(status.run.id);
  if (spine === null || isRunOver(spine.run.status)) return 'idle';
  return stateInWords(stateOfRun(spine, status.health, readerOf(ctx, project)));
}

function inboxPlan(ctx: MessageContext): Plan {
  const roles = new Map(projectsOf(ctx).map((project) => [project.name, roleIn(ctx, project)]));
  const all = ctx.now.reader
    .openInteractions(null)
    .map(({ run, interaction }) => ({ run: ctx.now.reader.run(run), interaction }))
    .flatMap(({ run, interaction }) => (run && roles.has(run.project) ? [{ run, interaction }] : []));
  const open = all
    .filter(({ run, interaction }) => mayDecide(interaction, run, { by: ctx.by, role: roles.get(run.project) ?? null }))
    .map(({ run, interaction }) => ({ project: run.project, interaction }))
    .sort((a, b) => a.interaction.openedAt - b.interaction.openedAt);
  const others = all.length - open.length;
  const waiting = others > 0 && `${others} ${others === 1 ? 'card waits' : 'cards wait'} for others.`;
  const failed = failedText(ctx);
  if (open.length === 0) return say(ctx, { kind: 'answer', text: lines('Nothing needs you.', waiting, failed) });
  const rows = open.map(({ project, interaction }) => {
    const since = duration(Math.max(0, ctx.now.at - interaction.openedAt));
    const whose = interaction.chain === '' ? project : `${project} ${interaction.chain}`;
    return `${interaction.id} ${whose} ${interaction.kind}, since ${since}: ${joinedLines(interaction.text)}`;
  });
  const offers = [...new Set(open.map(({ project }) => project))]
    .slice(0, 10)
    .map((project) => ({ label: project, says: `continue ${project}` }));
  return say(ctx, { kind: 'answer', text: lines(...rows, waiting, failed), offers });
}

function whoami(ctx: MessageContext): Plan {
  const roles = projectsOf(ctx).map((project) => `${project.name}: ${roleIn(ctx, project)}`);
  const who = ctx.isHomeOwner ? 'the owner of this Bosun' : personName(ctx.by);
  return say(ctx, { kind: 'answer', text: lines(`You are ${who}.`, ...roles) });
}

export function storyLines(reader: RunReader, run: string): readonly string[] {
  return (reader.spine(run)?.items ?? []).map(
    (item) =>
      `${item.key}  [${item.status}]  ${item.title}${item.rejections > 0 ? `  (${item.rejections} ${item.rejections === 1 ? 'rejection' : 'rejections'})` : ''}${isUnchanged(item) ? '  (no change)' : ''}`,
  );
}

function isUnchanged({ status, unchanged }: Item): boolean {
  return status === 'done' && unchanged === true;
}

export function stepLines(reader: RunReader, run: string): readonly string[] {
  return reader.nodes(run).map((node) => {
    const last = node.last ? ` ${node.last.outcome}${node.last.tests ? ` ${testLine(node.last.tests)}` : ''}` : '';
    const skipped = node.skipReason ? ` (${skipText(node.skipReason)})` : '';
    return `${node.chain ? `${node.chain} ` : ''}${node.label}  [${node.state}]  ${node.template}${last}${skipped}`;
  });
}

/** Only the newest 500 events; `bosun history` shows all. */
export function historyLines(reader: HistoryReader & RecordReader, run: string): readonly string[] {
  const events = reader.newestEvents(run, 500).map(({ event }) => ({ at: event.at, line: eventLine(event) }));
  const since = events[0]?.at ?? 0;
  const records = reader.records(run).filter(({ at }) => at >= since);
  const both = [...events, ...records.map((one) => ({ at: one.at, line: recordLine(one) }))];
  // The stable sort keeps an event before the records that it caused.
  return both.sort((a, b) => a.at - b.at).map(({ at, line }) => `${clock(at)}  ${line}`);
}

function costsNow({ now }: MessageContext, project: ProjectConfig): Costs {
  return costsOf(now.reader, project, shownRun(now.reader, project.name), now.at);
}

function standInNow({ executor }: NodeJson): string {
  if (executor === null) return '';
  const why = executor.instead_of.map(({ name, reason, until }) =>
    failureText({ name, code: reason, until: until === null ? null : Date.parse(until) }),
  );
  return `by ${executor.name}${why.length === 0 ? '' : ` (${why.join('; ')})`}`;
}

function why(status: ProjectStatus): string {
  const { run } = status;
  if (!run) return `${status.project} has no run.`;
  const [open, ...others] = status.interactions;
  const live = status.nodes.filter((node) => !hasBody(node) && (node.state === 'running' || node.state === 'queued'));
  if (status.opened !== null) return `${status.project}: ${openedLine(status.opened)}`;
  if (open) {
    const also = others.map(({ kind, id, text }) => `Also ${kind} ${id}: ${joinedLines(text)}`);
    return lines(`${status.project} is waiting for a person: ${open.kind} ${open.id}.`, open.text, ...also);
  }
  if (live.length > 0) return whyOfWork(status.project, live);
  if (run.pause_reason === 'user') return `${status.project} was paused by a person. Say "continue ${status.project}".`;
  if (run.pause_reason === 'level')
    return `${status.project} is waiting for "continue ${status.project}", because of its level.`;
  return `${status.project} is ${nameOfStatus[run.status] ?? run.status}.`;
}

const nameOfStatus: Readonly<Record<string, string>> = {
  completed: 'done',
  cancelled: 'aborted',
  draft: 'not started',
};

function whyOfWork(project: string, live: readonly NodeJson[]): string {
  const [running, queued] = [
    live.filter(({ state }) => state === 'running'),
    live.filter(({ state }) => state === 'queued'),
  ];
  const begun = running.length > 0 && `${project} is working: ${running.map(workLine).join('; ')}.`;
  const head = running.length > 0 ? 'Not started' : `${project} is not working yet`;
  return lines(begun, queued.length > 0 && `${head}: ${queued.map(queuedLine).join('; ')}.`);
}

function queuedLine(node: NodeJson): string {
  const { item, template, attempt, not_before, waits_for } = node;
  const until = not_before === null ? '' : ` until ${clock(Date.parse(not_before))}`;
  const why = waits_for === null ? 'is queued' : not_before === null ? `waits for ${waits_for}` : 'waits';
  return `${item ? `${item} ` : ''}${template}, attempt ${attempt}, ${[`${why}${until}`, standInNow(node)].filter((part) => part !== '').join(', ')}`;
}

function workLine(node: NodeJson): string {
  const { item, template, attempt } = node;
  const doing = doingNow(node);
  const head = `${item ? `${item} ` : ''}${template}, attempt ${attempt}${doing === '' ? '' : ` (${doing})`}`;
  return [head, standInNow(node)].filter((part) => part !== '').join(', ');
}

function onRun(ctx: MessageContext, project: ProjectConfig, read: (run: string) => readonly string[]): Plan {
  const run = shownRun(ctx.now.reader, project.name);
  if (!run) return say(ctx, { kind: 'answer', text: `${project.name} has no run.` });
  const found = read(run.id);
  return say(ctx, { kind: 'answer', text: found.length === 0 ? `${run.id} has none yet.` : found.join('\n') });
}
