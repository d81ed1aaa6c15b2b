import type { ProjectConfig, Role } from '../../../config/index.js';
import {
  type Costs,
  costsOf,
  type Plan,
  type ProjectStatus,
  projectStatus,
  sessionOf,
  shownRun,
} from '../../../dispatch/index.js';
import { type Interaction, isRunOver, type Run, skipText } from '../../../engine/index.js';
import type { HistoryReader, RecordReader, RunReader } from '../../../store/index.js';
import type { Verb } from '../../grammar/index.js';
import { longSummary } from '../../views/chain-summary.js';
import { costText } from '../../views/costs.js';
import { eventLine, recordLine } from '../../views/history.js';
import { type Attention, attentionOf } from '../../views/people/awaited.js';
import { type StateReader, stateInWords } from '../../views/people/work-state.js';
import { clock, clockFrom, duration, joinedLines, lines, personName, testLine } from '../../views/view.js';
import { type MessageContext, projectsOf, roleIn, say, type VerbHandler } from '../message-context.js';
import { tellOf } from './evidence-target.js';
import { failedText } from './failed-deliveries.js';
import { greet, help } from './first-words.js';
import { isUnchanged, stateOfRun, statusText, whyText } from './status-text.js';

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
  why: read((ctx, project) => say(ctx, { kind: 'answer', text: whyNow(ctx, project) })),
  log: read(tellOf('log')),
  diff: read(tellOf('diff')),
} satisfies Partial<Record<Verb, VerbHandler>>;

function whyNow(ctx: MessageContext, project: ProjectConfig): string {
  const status = statusNow(ctx, project);
  return whyText(status, status.run && ctx.now.spine(status.run.id));
}

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

/** Unless it completed and exports its session: ''. */
export function summaryOfRun(reader: RecordReader & RunReader, id: string): string {
  const spine = reader.spine(id);
  if (spine?.run.status !== 'completed' || !spine.workflow.exports.includes('session')) return '';
  return longSummary(sessionOf(reader, spine, (key) => reader.chain(id, key)).file);
}

function statusNow({ now }: MessageContext, project: ProjectConfig): ProjectStatus {
  return projectStatus(now.reader, project, now.at, now);
}

const noProject = 'There is no project yet. On the computer that runs Bosun: bosun init <folder>.';

function projectsParts(ctx: MessageContext): Plan {
  const known = projectsOf(ctx);
  if (known.length === 0) return say(ctx, { kind: 'answer', text: noProject });
  const offers = known.slice(0, 20).map((project) => ({ label: project.name, says: `status ${project.name}` }));
  return say(ctx, { kind: 'answer', text: projectRows(ctx).join('\n'), offers });
}

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

/** Of the live run; else idle. */
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
  const listed = all
    .map(({ run, interaction }) => ({
      project: run.project,
      interaction,
      attention: attentionHere(ctx, run, interaction),
    }))
    .sort((a, b) => a.interaction.openedAt - b.interaction.openedAt);
  const open = listed.filter(({ attention }) => attention === 'theirs');
  const snoozed = listed.filter(({ attention }) => attention === 'snoozed');
  const others = listed.length - open.length - snoozed.length;
  const waiting = lines(
    ...snoozed.map(({ interaction }) => snoozedLine(ctx, interaction)),
    others > 0 && `${others} ${others === 1 ? 'card waits' : 'cards wait'} for others.`,
  );
  const wakes = snoozed
    .slice(0, maxAttended)
    .map(({ interaction: { id } }) => ({ label: `Wake ${id}`, says: `wake ${id}` }));
  const failed = failedText(ctx);
  if (open.length === 0)
    return say(ctx, { kind: 'answer', text: lines('Nothing needs you.', waiting, failed), offers: wakes });
  const rows = open.map(({ project, interaction }) => {
    const since = duration(Math.max(0, ctx.now.at - interaction.openedAt));
    const whose = interaction.chain === '' ? project : `${project} ${interaction.chain}`;
    return `${interaction.id} ${whose} ${interaction.kind}, since ${since}: ${joinedLines(interaction.text)}`;
  });
  const offers = [...new Set(open.map(({ project }) => project))]
    .slice(0, 10)
    .map((project) => ({ label: project, says: `continue ${project}` }));
  const snoozes = open
    .slice(0, maxAttended)
    .map(({ interaction: { id } }) => ({ label: `Snooze ${id} 1 h`, says: `snooze ${id} 1h` }));
  return say(ctx, { kind: 'answer', text: lines(...rows, waiting, failed), offers: [...offers, ...snoozes, ...wakes] });
}

/** More buttons would hide the list in a chat; the others are named in words. */
const maxAttended = 3;

function attentionHere(ctx: MessageContext, run: Run, interaction: Interaction): Attention {
  const project = projectsOf(ctx).find(({ name }) => name === run.project);
  const members = Object.entries(project?.members ?? {}).map(([name, role]: [string, Role]) => ({ name, role }));
  const role = project === undefined ? null : roleIn(ctx, project);
  return attentionOf(interaction, run, { by: ctx.by, role, members });
}

function snoozedLine({ by, now }: MessageContext, { id, text, snoozes = [] }: Interaction): string {
  const until = snoozes.find((one) => one.by === by)?.until ?? now.at;
  return `Snoozed until ${clockFrom(until, now.at)}: ${id} ${joinedLines(text, 100)}`;
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

export function stepLines(reader: RunReader, run: string): readonly string[] {
  return reader.nodes(run).map((node) => {
    const last = node.last ? ` ${node.last.outcome}${node.last.tests ? ` ${testLine(node.last.tests)}` : ''}` : '';
    const skipped = node.skipReason ? ` (${skipText(node.skipReason)})` : '';
    return `${node.chain ? `${node.chain} ` : ''}${node.label}  [${node.state}]  ${node.template}${last}${skipped}`;
  });
}

/** The newest 500; `bosun history` shows all. */
export function historyLines(reader: HistoryReader & RecordReader, run: string): readonly string[] {
  const events = reader.newestEvents(run, 500).map(({ event }) => ({ at: event.at, line: eventLine(event) }));
  const since = events[0]?.at ?? 0;
  const records = reader.records(run).filter(({ at }) => at >= since);
  const both = [...events, ...records.map((one) => ({ at: one.at, line: recordLine(one) }))];
  // Stable: events stay before their records.
  return both.sort((a, b) => a.at - b.at).map(({ at, line }) => `${clock(at)}  ${line}`);
}

function costsNow({ now }: MessageContext, project: ProjectConfig): Costs {
  return costsOf(now.reader, project, shownRun(now.reader, project.name), now.at);
}

function onRun(ctx: MessageContext, project: ProjectConfig, read: (run: string) => readonly string[]): Plan {
  const run = shownRun(ctx.now.reader, project.name);
  if (!run) return say(ctx, { kind: 'answer', text: `${project.name} has no run.` });
  const found = read(run.id);
  return say(ctx, { kind: 'answer', text: found.length === 0 ? `${run.id} has none yet.` : found.join('\n') });
}
