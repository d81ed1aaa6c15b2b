// Turns an inbox row into a plan: the speaker, their rights, the meaning.
import {
  type Action,
  type Config,
  homeOwner,
  localSource,
  nameInConfig,
  type ProjectConfig,
  projectNamed,
} from '../../config/index.js';
import { emptyPlan, type Plan, type PlanContext, withEffects } from '../../dispatch/index.js';
import type { InboxRow, Message, Spine } from '../../store/index.js';
import type { Parsed } from '../grammar/index.js';
import { optionOfTextCard } from '../views/presenter.js';
import { view } from '../views/view.js';
import { answerByReply, answerInteraction } from './answer.js';
import { pressHandOver } from './attention/hand-over.js';
import { pressSnooze } from './attention/snooze.js';
import { event } from './drive.js';
import { type ChatMoved, fileNews, type Incoming, planMoved } from './incoming-files.js';
import { instructFor, startTask, takeSteps } from './instructions/instruct.js';
import { startNewProject } from './instructions/new-project.js';
import { makeTopic } from './make-topic.js';
import { goneText, insteadOfFirst, offerOf, usedUp } from './message-buttons.js';
import {
  answeredByReply,
  besideMeant,
  type MessageContext,
  nothingAside,
  say,
  sayError,
  threadAt,
} from './message-context.js';
import { type News, planReport, type Reported, withRequest } from './plan-report.js';
import { editTo } from './queue/edit-task.js';
import { queueAction } from './queue/queue.js';
import { evidenceAskedFor, evidenceOfReply, pressedEvidence } from './reading/evidence-target.js';
import { isGreeting } from './reading/first-words.js';
import { greetPerson } from './reading/reads.js';
import { acceptShownRules, showRules } from './reading/rules.js';
import { offerCommandOrAnswer } from './unclear/misnamed.js';
import { showCard } from './unclear/open-cards.js';
import { takeWords } from './unclear/step-words.js';
import { answerUnclear, guess } from './unclear/unclear.js';
import { planVerb } from './verb-handlers.js';
import { namesFor, refusal, understand } from './which-project.js';

export type Circumstances = Pick<MessageContext, 'cwd' | 'aside' | 'verbs' | 'parsed'>;

export function planFor(row: InboxRow, now: PlanContext, config: Config, more: Circumstances): Plan {
  const ctx = contextOf(row, now, config, more);
  const { thread } = ctx;
  const answered = insteadOfFirst(ctx, isAcceptedSender(ctx, row) ? planOf(ctx, row) : stranger(ctx));
  const plan = withRequest(ctx, row.body, answered);
  // First, so that the plan's thread changes win.
  return {
    ...plan,
    effects: [
      ...(now.reader.thread(row.thread) ? [] : [{ type: 'thread' as const, thread }]),
      ...plan.effects,
      { type: 'inbox_done', row: row.id },
    ],
  };
}

/** Null: unknown sender. */
export function memberContext(
  row: InboxRow,
  now: PlanContext,
  config: Config,
  more: Omit<Circumstances, 'aside'>,
): MessageContext | null {
  const ctx = contextOf(row, now, config, { ...more, aside: nothingAside });
  return isAcceptedSender(ctx, row) ? ctx : null;
}

function contextOf(row: InboxRow, now: PlanContext, config: Config, more: Circumstances): MessageContext {
  const isHomeOwner = row.by === null;
  const by = row.by ?? homeOwner;
  const thread = now.reader.thread(row.thread) ?? threadAt(now.reader, row.thread);
  const repliesTo = row.body.type === 'text' && row.body.replyTo !== null ? shownNow(now, row.body.replyTo) : null;
  // Security: another person may have written a button's text, so a press names no file to open.
  const mayNameFiles = isHomeOwner && row.source === localSource && row.body.type === 'text';
  const run = repliesTo?.run ?? thread.address['opened'] ?? null;
  return { now, config, thread, by, isHomeOwner, mayNameFiles, repliesTo, run, ...more };
}

/** As it stands now, because the message may have become about something else. */
function shownNow({ reader }: PlanContext, id: string): Message | null {
  const message = reader.message(id);
  return message && (reader.cardMessage(message.thread, message.card ?? message.edits ?? message.id) ?? message);
}

/** Command rows act on nothing, so their sender may be unknown. */
function isAcceptedSender({ isHomeOwner, config, by }: MessageContext, { body }: InboxRow): boolean {
  if (body.type === 'command' && body.name !== 'file') return true;
  return isHomeOwner || config.people.some(({ name }) => name === nameInConfig(by));
}

function planOf(ctx: MessageContext, row: InboxRow): Plan {
  const { body } = row;
  switch (body.type) {
    case 'text':
      return planText(ctx, body.text);
    case 'press':
      return (body.asksFirst ? confirmAbort(ctx, body.press) : null) ?? planPress(ctx, body.press, body.text);
    case 'command':
      return planOwnRow(ctx, row, body);
  }
}

/** Only Bosun's code writes these rows, so their shape is sure. */
function planOwnRow(
  ctx: MessageContext,
  row: InboxRow,
  { name, args }: Extract<InboxRow['body'], { type: 'command' }>,
): Plan {
  switch (name) {
    case 'file':
      return planFile(ctx, args as Incoming);
    case 'moved':
      return planMoved(ctx, args as ChatMoved);
    default:
      return planReport(args as Reported | News, row.thread, ctx.now.at);
  }
}

/** Reads the caption once the file is saved. */
function planFile(ctx: MessageContext, incoming: Incoming): Plan {
  const { news, words } = fileNews(ctx, incoming);
  if (words === null) return { ...emptyPlan, messages: [news] };
  const plan = planText(ctx, words);
  return plan.exit === 2 ? { ...emptyPlan, messages: [news] } : { ...plan, messages: [news, ...plan.messages] };
}

function planText(ctx: MessageContext, text: string): Plan {
  if (isGreeting(text)) return greetPerson(ctx);
  const interaction = answeredByReply(ctx);
  if (interaction === null) {
    const asked = ctx.repliesTo === null ? null : evidenceAskedFor(text);
    const shown = asked && evidenceOfReply(ctx, asked.what, asked.isSince);
    return shown ?? planCommand(ctx, readable(ctx, text));
  }
  const option = optionOfTextCard(ctx.repliesTo?.card ?? null);
  const misnamed = option === null ? offerCommandOrAnswer(ctx, interaction, text) : null;
  if (misnamed !== null) return misnamed;
  const answered = answerByReply(ctx, interaction, text, option);
  return 'events' in answered ? answered : planCommand(ctx, answered);
}

/** A request to look becomes the verb; looking changes nothing. */
function readable(ctx: MessageContext, text: string): Parsed {
  const parsed = understand(ctx, text);
  const asked = parsed.verb === null ? evidenceAskedFor(text) : null;
  return asked === null ? parsed : ctx.verbs.grammar.parse(asked.what, namesFor(ctx));
}

/** A card's Abort asks as the word does: with what runs and what changed. Null: it asks about something else. */
function confirmAbort(ctx: MessageContext, press: string): Plan | null {
  const [id = '', option] = press.split('.');
  const found = option === 'abort' ? ctx.now.interaction(id) : null;
  const project = found && ctx.now.spine(found.run)?.run.project;
  if (!found || !project || found.interaction.state !== 'open' || found.interaction.subject.type === 'abort')
    return null;
  return planCommand({ ...ctx, run: found.run }, ctx.verbs.grammar.parse(`abort ${project}`, namesFor(ctx)));
}

/** An option, or an offer: a sentence, or `@` and an action. */
function planPress(ctx: MessageContext, press: string, text: string | null): Plan {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  if (id.startsWith('i')) return answerInteraction(ctx, id, { option, text });
  const { now, config, thread, isHomeOwner, by } = ctx;
  const offered = offerOf(now, press, {
    ...{ config, grammar: ctx.verbs.grammar },
    ...{ by: isHomeOwner ? null : by, thread: thread.id },
  });
  if (offered.kind === 'unknown') return sayError(ctx, "I don't know that button any more.");
  if (offered.kind === 'gone') return sayError(ctx, goneText);
  const { says } = offered;
  const [action = '', ...args] = says.slice(1).split(' ');
  const plan = says.startsWith('@')
    ? ownAction(ctx, action, args, offered.message)
    : planCommand(ctx, ctx.verbs.grammar.parse(says, namesFor(ctx)));
  return usedUp(ctx, offered, plan);
}

function ownAction(ctx: MessageContext, action: string, args: readonly string[], message: Message): Plan {
  if (action === 'diff' || action === 'log') return pressedEvidence(ctx, action, args, message);
  const [first = ''] = args;
  const inQueue = queueAction(action);
  if (inQueue !== null) return inQueue(ctx, first);
  const act = Object.hasOwn(ownActions, action) ? ownActions[action] : undefined;
  return act?.(ctx, args) ?? sayError(ctx, 'I no longer understand that button. Say what you want instead.');
}

/** Buttons encode these after `@`, with their arguments. */
const ownActions: Readonly<Record<string, (ctx: MessageContext, args: readonly string[]) => Plan>> = {
  answer: (ctx, [id = '', option = '', ...words]) =>
    answerInteraction(ctx, id, { option, text: words.join(' ') || null }),
  show: (ctx, [id = '']) => showCard(ctx, id),
  snooze: (ctx, [id = '', minutes = '']) => pressSnooze(ctx, id, minutes),
  hand: (ctx, [id = '', to = '']) => pressHandOver(ctx, id, to),
  edit: (ctx, [run = '', ...words]) => editTo(ctx, run, words.join(' ')),
  other: (ctx, words) => guess(ctx, ctx.verbs.grammar.parse(words.join(' '), namesFor(ctx))),
  kill: (ctx, [project = '', run = null]) => kill(ctx, project, run),
  extend: (ctx, [attempt = '']) => extend(ctx, attempt),
  again: (ctx, [attempt = '']) => killAgain(ctx, attempt),
  wait: (ctx, [attempt = '']) => waitFor(ctx, attempt),
  topic: (ctx, [project = '']) => makeTopic(ctx, project),
  rules: (ctx, [project = '']) => showRules(ctx, project),
  'accept-rules': (ctx, [project = '', hash = '']) => acceptShownRules(ctx, project, hash),
  instruct: (ctx, [project = '', ...words]) => instructFor(ctx, project, words.join(' ')),
  task: startTask,
  steps: takeSteps,
  words: takeWords,
  'new-project': startNewProject,
};

function kill(ctx: MessageContext, name: string, beside: string | null): Plan {
  const project = projectNamed(ctx.config, name);
  const live = project && (besideMeant({ ...ctx, run: beside }, project) ?? ctx.now.liveRun(project.name));
  const spine = live && ctx.now.spine(live.id);
  if (!project || !spine) return sayError(ctx, `${name}: nothing is running.`);
  return refusal(ctx, project, 'stop') ?? event(ctx, spine, '', { type: 'kill' });
}

const extensionMs = 30 * 60_000;

function extend(ctx: MessageContext, attempt: string): Plan {
  return onAttempt(ctx, attempt, 'continue', ({ project }) =>
    withEffects(say(ctx, view('ack', `${project.name}: 30 more minutes.`)), {
      type: 'extend',
      attempt,
      byMs: extensionMs,
    }),
  );
}

function killAgain(ctx: MessageContext, attempt: string): Plan {
  return onAttempt(ctx, attempt, 'retry', ({ spine, chain }) => event(ctx, spine, chain, { type: 'kill', attempt }));
}

function waitFor(ctx: MessageContext, attempt: string): Plan {
  return onAttempt(ctx, attempt, 'continue', ({ project }) => {
    const text = `${project.name}: waiting. I'll alert you again if it stays silent.`;
    return withEffects(say(ctx, view('ack', text)), { type: 'wait_for', attempt });
  });
}

interface AtWork {
  readonly project: ProjectConfig;
  readonly spine: Spine;
  readonly chain: string;
}

function onAttempt(ctx: MessageContext, attempt: string, needs: Action, plan: (found: AtWork) => Plan): Plan {
  const row = ctx.now.reader.attempt(attempt);
  const spine = row && ctx.now.spine(row.run);
  const project = spine && projectNamed(ctx.config, spine.run.project);
  if (!row || !spine || !project || row.attempt.state === 'settled')
    return sayError(ctx, 'That attempt has already ended.');
  return refusal(ctx, project, needs) ?? plan({ project, spine, chain: row.chain });
}

function planCommand(ctx: MessageContext, parsed: Parsed): Plan {
  return planVerb(ctx, parsed) ?? answerUnclear(ctx, parsed);
}

/** Default deny: a stranger learns of no project. */
function stranger(ctx: MessageContext): Plan {
  return sayError(ctx, `I don't know ${ctx.by}. The owner of this Bosun can add you: bosun member add.`);
}
