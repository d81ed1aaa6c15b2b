import type { ProjectConfig } from '../../../config/index.js';
import {
  type Costs,
  costsOf,
  itemNamed,
  nodeNamed,
  outcomeNamed,
  type Plan,
  sessionOf,
} from '../../../dispatch/index.js';
import { emptyChain, type Interaction, isRunOver, skipText } from '../../../engine/index.js';
import type { RecordReader, RunReader, Spine, View } from '../../../store/index.js';
import type { Verb } from '../../grammar/index.js';
import { cardHead } from '../../views/cards.js';
import { longSummary } from '../../views/chain-summary.js';
import { costText } from '../../views/costs.js';
import { recordLine } from '../../views/history.js';
import { clockFrom, lines, type Offer, oneLine, personName, testsInWords, view } from '../../views/view.js';
import { eventWords } from '../../views/work/event-words.js';
import { besideMeant, type MessageContext, projectsOf, roleIn, say, type VerbHandler } from '../message-context.js';
import { tellOf } from './evidence-target.js';
import { greet, help } from './first-words.js';
import { aheadOf, attentionHere, elsewhereOf, readerOf, runShown, stateNow, statusNow } from './state-now.js';
import { isUnchanged, statusText, whyText } from './status-text.js';

type ProjectHandler = Extract<VerbHandler, { of: 'project' }>;
const read = (plan: ProjectHandler['plan']): ProjectHandler => ({
  of: 'project',
  plan,
  all: null,
});
const readChat = (plan: (ctx: MessageContext) => Plan): VerbHandler => ({ of: 'chat', plan });

export const readingVerbs = {
  projects: readChat(projectsParts),
  whoami: readChat(whoami),
  help: { of: 'chat', plan: help },
  status: read((ctx, project) => say(ctx, statusView(ctx, project))),
  stories: read((ctx, project) => onRun(ctx, project, (run) => storyLines(ctx.now.reader, run))),
  steps: read((ctx, project) => onRun(ctx, project, (run) => stepLines(ctx.now.reader, run))),
  history: read((ctx, project) => onRun(ctx, project, (run) => historyLines(ctx.now, run))),
  cost: read((ctx, project) => say(ctx, view('answer', costText(costsNow(ctx, project))))),
  why: read((ctx, project) => say(ctx, view('answer', whyNow(ctx, project)))),
  log: read(tellOf('log')),
  diff: read(tellOf('diff')),
} satisfies Partial<Record<Verb, VerbHandler>>;

/** Other runs of the project, each with the id for commands. */
function othersBeside(ctx: MessageContext, { name }: ProjectConfig, shown: string | null): readonly string[] {
  const others = ctx.now.besideRuns(name).filter(({ id }) => id !== shown);
  return others.map(({ id, task }) => `Beside it: “${oneLine(task.split('\n', 1)[0] ?? '', 60)}” ("status ${id}")`);
}

function whyNow(ctx: MessageContext, project: ProjectConfig): string {
  const status = statusNow(ctx, project);
  return whyText(status, status.run && ctx.now.spine(status.run.id));
}

/** Cards that wait for the reader, else what may be done with the run. */
function nextOffers(ctx: MessageContext, spine: Spine, called: string): readonly Offer[] {
  const { run, interactions } = spine;
  const cards = interactions.filter((one) => one.state === 'open' && attentionHere(ctx, run, one) === 'theirs');
  if (cards.length > 0) return cards.slice(0, maxShownCards).map((one) => showOffer(ctx, spine, one));
  if (run.live.length > 0 && !run.held) return [{ label: 'Stop', says: `stop ${called}` }];
  return [{ label: 'Continue', says: `continue ${called}` }];
}

function showOffer({ now }: MessageContext, spine: Spine, card: Interaction): Offer {
  const chain = now.chain(spine.run.id, card.chain) ?? emptyChain(card.chain);
  const [title = ''] = cardHead(card, { ...spine, chain }).split('\n');
  return { label: `Show ${title}`, says: `@show ${card.id}` };
}

const maxShownCards = 4;

function statusView(ctx: MessageContext, project: ProjectConfig): View {
  const status = statusNow(ctx, project);
  const spine = status.run && ctx.now.spine(status.run.id);
  const called = besideMeant(ctx, project)?.id ?? project.name;
  const offers = spine === null ? [] : nextOffers(ctx, spine, called);
  return view(
    'answer',
    lines(
      statusText(status, spine, readerOf(ctx, project), spine && aheadOf(ctx, spine.run), elsewhereOf(ctx, project)),
      status.run && summaryOfRun(ctx.now.reader, status.run.id),
      ...othersBeside(ctx, project, status.run?.id ?? null),
    ),
    status.run && !isRunOver(status.run.status as 'running') ? offers : [],
  );
}

/** '': completed, with an exported session. */
export function summaryOfRun(reader: RecordReader & RunReader, id: string): string {
  const spine = reader.spine(id);
  if (spine?.run.status !== 'completed' || !spine.workflow.exports.includes('session')) return '';
  return longSummary(sessionOf(reader, spine, (key) => reader.chain(id, key)).file);
}

const noProject = 'There is no project yet. On the computer that runs Bosun: bosun init <folder>.';

function projectsParts(ctx: MessageContext): Plan {
  const known = projectsOf(ctx);
  if (known.length === 0) return say(ctx, view('answer', noProject));
  const offers = known.slice(0, 20).map((project) => ({ label: project.name, says: `status ${project.name}` }));
  return say(ctx, view('answer', projectRows(ctx).join('\n'), offers));
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

function whoami(ctx: MessageContext): Plan {
  const roles = projectsOf(ctx).map((project) => `${project.name}: ${roleIn(ctx, project)}`);
  const who = ctx.isHomeOwner ? 'the owner of this Bosun' : personName(ctx.by);
  return say(ctx, view('answer', lines(`You are ${who}.`, ...roles)));
}

export function storyLines(reader: RunReader, run: string): readonly string[] {
  return (reader.spine(run)?.items ?? []).map(
    (item) =>
      `${item.key}  [${itemNamed({ status: item.status }).word}]  ${item.title}${item.rejections > 0 ? `  (${item.rejections} ${item.rejections === 1 ? 'rejection' : 'rejections'})` : ''}${isUnchanged(item) ? '  (no change)' : ''}`,
  );
}

export function stepLines(reader: RunReader, run: string): readonly string[] {
  return reader.nodes(run).map((node) => {
    const outcome = node.last?.outcome ? outcomeNamed(node.last.outcome).word : '';
    const last = [outcome, testsInWords(node.last?.tests ?? null)].filter((one) => one !== '').join(', ');
    const skipped = node.skipReason ? ` (${skipText(node.skipReason)})` : '';
    const state = nodeNamed(node.state).word;
    return `${node.chain ? `${node.chain} ` : ''}${node.label}  [${state}]  ${node.template}${last === '' ? '' : `: ${last}`}${skipped}`;
  });
}

/** The newest 500; `bosun history` shows all. */
function historyLines({ reader, at: now }: MessageContext['now'], run: string): readonly string[] {
  const events = reader.newestEvents(run, 500).map(({ event }) => ({ at: event.at, line: eventWords(reader, event) }));
  const since = events[0]?.at ?? 0;
  const records = reader.records(run).filter(({ at }) => at >= since);
  const both = [...events, ...records.map((one) => ({ at: one.at, line: recordLine(one) }))];
  // Stable: events stay before their records.
  return both.sort((a, b) => a.at - b.at).map(({ at, line }) => `${clockFrom(at, now)}  ${line}`);
}

function costsNow(ctx: MessageContext, project: ProjectConfig): Costs {
  return costsOf(ctx.now.reader, project, runShown(ctx, project), ctx.now.at);
}

function onRun(ctx: MessageContext, project: ProjectConfig, read: (run: string) => readonly string[]): Plan {
  const run = runShown(ctx, project);
  if (!run) return say(ctx, view('answer', `${project.name} has no run.`));
  const found = read(run.id);
  return say(ctx, view('answer', found.length === 0 ? `${project.name}: none yet.` : found.join('\n')));
}
