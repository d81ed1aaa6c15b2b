// Turns an inbound row of any channel into a plan: who sent it, what they may do, what they mean.
import {
  type Action,
  type Config,
  homeOwner,
  localSource,
  nameInConfig,
  type ProjectConfig,
  projectNamed,
} from '../../config/index.js';
import type { Plan, PlanContext } from '../../dispatch/index.js';
import type { InboxRow, Spine } from '../../store/index.js';
import { MAX_TEXT_LENGTH, type Parsed } from '../grammar/index.js';
import { optionOfTextCard } from '../views/presenter.js';
import { answerByReply, answerInteraction } from './answer.js';
import { event } from './drive.js';
import { type ChatMoved, fileNews, type Incoming, planMoved } from './incoming-files.js';
import { instructFor, proposeInstruction, startTask, takeSteps } from './instructions/instruct.js';
import { startNewProject } from './instructions/new-project.js';
import { choicesFor } from './instructions/possible.js';
import { makeTopic } from './make-topic.js';
import { goneText, offerOf, usedUp } from './message-buttons.js';
import { type MessageContext, nothingAside, say, sayError, threadAt } from './message-context.js';
import { type News, planReport, type Reported } from './plan-report.js';
import { acceptShownRules, showRules } from './reading/rules.js';
import { planVerb } from './verb-handlers.js';
import { namesFor, refusal, understand } from './which-project.js';

/** What a row is planned with, besides the row itself. */
export type Circumstances = Pick<MessageContext, 'cwd' | 'aside' | 'verbs' | 'parsed'>;

/** The plan also marks its row as done, so that a row is handled once. */
export function planFor(row: InboxRow, now: PlanContext, config: Config, more: Circumstances): Plan {
  const heard = contextOf(row, now, config, more);
  const { thread } = heard;
  const plan = mayBeHeard(heard, row) ? planOf(heard, row) : stranger(heard);
  // First, so that the plan's own changes to the thread win.
  return {
    ...plan,
    threads: [...(now.reader.thread(row.thread) ? [] : [thread]), ...(plan.threads ?? [])],
    inboxDone: row.id,
  };
}

/** null if the sender is unknown. */
export function memberContext(
  row: InboxRow,
  now: PlanContext,
  config: Config,
  more: Omit<Circumstances, 'aside'>,
): MessageContext | null {
  const heard = contextOf(row, now, config, { ...more, aside: nothingAside });
  return mayBeHeard(heard, row) ? heard : null;
}

function contextOf(row: InboxRow, now: PlanContext, config: Config, more: Circumstances): MessageContext {
  const isHomeOwner = row.by === null;
  const by = row.by ?? homeOwner;
  const thread = now.reader.thread(row.thread) ?? threadAt(row.thread);
  const repliesTo = row.body.type === 'text' && row.body.replyTo !== null ? now.reader.message(row.body.replyTo) : null;
  // A button's text may come from someone else, so a press never opens a file that it names.
  const mayNameFiles = isHomeOwner && row.source === localSource && row.body.type === 'text';
  return { now, config, thread, by, isHomeOwner, mayNameFiles, repliesTo, ...more };
}

/** Bosun's own command rows, other than files, act on nothing and may have no known sender. */
function mayBeHeard({ isHomeOwner, config, by }: MessageContext, { body }: InboxRow): boolean {
  if (body.type === 'command' && body.name !== 'file') return true;
  return isHomeOwner || config.people.some(({ name }) => name === nameInConfig(by));
}

function planOf(heard: MessageContext, row: InboxRow): Plan {
  const { body } = row;
  switch (body.type) {
    case 'text':
      return hearText(heard, body.text);
    case 'press':
      return hearPress(heard, body.press, body.text);
    case 'command':
      return planOwnRow(heard, row, body);
  }
}

/** Only Bosun's own code writes command rows, so their arguments have its shape. */
function planOwnRow(
  heard: MessageContext,
  row: InboxRow,
  { name, args }: Extract<InboxRow['body'], { type: 'command' }>,
): Plan {
  switch (name) {
    case 'file':
      return planFile(heard, args as Incoming);
    case 'moved':
      return planMoved(heard, args as ChatMoved);
    default:
      return planReport(args as Reported | News, row.thread, heard.now.at);
  }
}

/** The caption is read as a message once the file is saved. */
function planFile(heard: MessageContext, incoming: Incoming): Plan {
  const { news, words } = fileNews(heard, incoming);
  if (words === null) return { events: [], messages: [news] };
  const plan = hearText(heard, words);
  return plan.exit === 2 ? { events: [], messages: [news] } : { ...plan, messages: [news, ...(plan.messages ?? [])] };
}

function hearText(heard: MessageContext, text: string): Plan {
  const interaction = heard.repliesTo?.interaction ?? null;
  if (interaction === null) return planCommand(heard, understand(heard, text));
  const answered = answerByReply(heard, interaction, text, optionOfTextCard(heard.repliesTo?.card ?? null));
  return 'events' in answered ? answered : planCommand(heard, answered);
}

/** A press is an interaction's option or a message's own offer: a sentence, or `@` and an action. */
function hearPress(heard: MessageContext, press: string, text: string | null): Plan {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  if (id.startsWith('i')) return answerInteraction(heard, id, { option, text });
  const { now, config, thread, isHomeOwner, by } = heard;
  const offered = offerOf(now, press, {
    ...{ config, grammar: heard.verbs.grammar },
    ...{ by: isHomeOwner ? null : by, thread: thread.id },
  });
  if (offered.kind === 'unknown') return sayError(heard, `There is no button ${press}.`);
  if (offered.kind === 'gone') return sayError(heard, goneText);
  const { says } = offered;
  const [action = '', ...args] = says.slice(1).split(' ');
  const plan = says.startsWith('@')
    ? ownAction(heard, action, args)
    : planCommand(heard, heard.verbs.grammar.parse(says, namesFor(heard)));
  return usedUp(heard, offered, plan);
}

function ownAction(heard: MessageContext, action: string, args: readonly string[]): Plan {
  const [first = '', second = '', ...words] = args;
  if (action === 'answer') return answerInteraction(heard, first, { option: second, text: words.join(' ') || null });
  if (action === 'kill') return kill(heard, first);
  if (action === 'extend') return extend(heard, first);
  if (action === 'again') return killAgain(heard, first);
  if (action === 'wait') return waitFor(heard, first);
  if (action === 'topic') return makeTopic(heard, first);
  if (action === 'rules') return showRules(heard, first);
  if (action === 'accept-rules') return acceptShownRules(heard, first, second);
  if (action === 'instruct') return instructFor(heard, first, args.slice(1).join(' '));
  if (action === 'task') return startTask(heard, args);
  if (action === 'steps') return takeSteps(heard, args);
  if (action === 'new-project') return startNewProject(heard, args);
  return sayError(heard, 'That button is no longer understood.');
}

function kill(heard: MessageContext, name: string): Plan {
  const project = projectNamed(heard.config, name);
  const live = project && heard.now.liveRun(project.name);
  const spine = live && heard.now.spine(live.id);
  if (!project || !spine) return sayError(heard, `${name}: nothing is running.`);
  return refusal(heard, project, 'stop') ?? event(heard, spine, '', { type: 'kill' });
}

const extensionMs = 30 * 60_000;

function extend(heard: MessageContext, attempt: string): Plan {
  return onAttempt(heard, attempt, 'continue', ({ project }) => ({
    ...say(heard, { kind: 'ack', text: `${project.name}: 30 minutes more.` }),
    extend: { attempt, byMs: extensionMs },
  }));
}

function killAgain(heard: MessageContext, attempt: string): Plan {
  return onAttempt(heard, attempt, 'retry', ({ spine, chain }) =>
    event(heard, spine, chain, { type: 'kill', attempt }),
  );
}

function waitFor(heard: MessageContext, attempt: string): Plan {
  return onAttempt(heard, attempt, 'continue', ({ project }) => ({
    ...say(heard, { kind: 'ack', text: `${project.name}: I wait, and tell again if it stays as it is.` }),
    waitFor: attempt,
  }));
}

interface AtWork {
  readonly project: ProjectConfig;
  readonly spine: Spine;
  readonly chain: string;
}

function onAttempt(heard: MessageContext, attempt: string, needs: Action, plan: (found: AtWork) => Plan): Plan {
  const row = heard.now.reader.attempt(attempt);
  const spine = row && heard.now.spine(row.run);
  const project = spine && projectNamed(heard.config, spine.run.project);
  if (!row || !spine || !project || row.attempt.state === 'settled') return sayError(heard, 'That attempt has ended.');
  return refusal(heard, project, needs) ?? plan({ project, spine, chain: row.chain });
}

function planCommand(heard: MessageContext, parsed: Parsed): Plan {
  return planVerb(heard, parsed) ?? unclear(heard, parsed);
}

function unclear(heard: MessageContext, parsed: Parsed): Plan {
  if (parsed.text.length > MAX_TEXT_LENGTH) {
    return sayError(heard, `That is too long: ${parsed.text.length} characters; I read ${MAX_TEXT_LENGTH} at most.`);
  }
  const proposed = proposeInstruction(heard, parsed.text);
  if (proposed !== null) return proposed;
  const chosen = chosenOffers(heard, parsed.text);
  if (chosen.length > 0) return say(heard, { kind: 'answer', text: 'I did nothing. Did you mean:', offers: chosen });
  const offers = parsed.candidates.slice(0, 4).map((candidate) => ({ label: candidate.text, says: candidate.text }));
  const text =
    offers.length > 0
      ? 'I did nothing. Did you mean:'
      : 'I did nothing, because I do not understand that. "help" lists what I do.';
  return { ...say(heard, { kind: 'answer', text, offers }), exit: 2 };
}

function chosenOffers(heard: MessageContext, text: string) {
  const { aside } = heard;
  if (aside.kind !== 'chosen') return [];
  const possible = choicesFor(heard, text);
  return aside.says.flatMap((says) => possible.find((choice) => choice.says === says) ?? []);
}

/** Default deny: an unknown sender learns nothing about any project. */
function stranger(heard: MessageContext): Plan {
  return sayError(heard, `I do not know ${heard.by}. The owner of this Bosun can add you: bosun member add.`);
}
