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
import { MAX_TEXT_LENGTH, type Parsed, parse, understand } from '../grammar/index.js';
import { optionOfTextCard } from '../views/presenter.js';
import { answerByReply, answerInteraction, givenBy, visible } from './answer.js';
import { driving, event, hasOpenRun } from './drive.js';
import { type ChatMoved, fileNews, type Incoming, planMoved } from './incoming-files.js';
import { instructFor, proposeInstruction, startTask, takeSteps } from './instructions/instruct.js';
import { startNewProject } from './instructions/new-project.js';
import { choicesFor } from './instructions/possible.js';
import { makeTopic, topicOffers } from './make-topic.js';
import { goneText, offerOf, usedUp } from './message-buttons.js';
import {
  type Aside,
  type MessageContext,
  nothingAside,
  projectsOf,
  roleIn,
  say,
  sayError,
  threadAt,
} from './message-context.js';
import { type News, planReport, type Reported } from './plan-report.js';
import { help, inboxPlan, projectsParts, reading, whoami } from './reading/reads.js';
import { acceptShownRules, showRules } from './reading/rules.js';
import { meantProject, namesFor, refusal } from './which-project.js';

/** The plan also marks its row as done, so that a row is handled once. */
export function planFor(
  row: InboxRow,
  now: PlanContext,
  config: Config,
  cwd: string,
  aside: Aside = nothingAside,
): Plan {
  const heard = heardOf(row, now, config, { cwd, aside });
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
export function hearingOf(row: InboxRow, now: PlanContext, config: Config, cwd: string): MessageContext | null {
  const heard = heardOf(row, now, config, { cwd, aside: nothingAside });
  return mayBeHeard(heard, row) ? heard : null;
}

function heardOf(
  row: InboxRow,
  now: PlanContext,
  config: Config,
  around: Pick<MessageContext, 'cwd' | 'aside'>,
): MessageContext {
  const isHomeOwner = row.by === null;
  const by = row.by ?? homeOwner;
  const thread = now.reader.thread(row.thread) ?? threadAt(row.thread);
  const replyTo = row.body.type === 'text' && row.body.replyTo !== null ? now.reader.message(row.body.replyTo) : null;
  // A button's text may come from someone else, so a press never opens a file that it names.
  const mayNameFiles = isHomeOwner && row.source === localSource && row.body.type === 'text';
  return { now, config, thread, by, isHomeOwner, mayNameFiles, repliesTo: replyTo, ...around };
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
      return planCommand(heard, row, body);
  }
}

/** Only Bosun's own code writes command rows, so their arguments have its shape. */
function planCommand(
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
  const names = namesFor(heard);
  const interaction = heard.repliesTo?.interaction ?? null;
  if (interaction === null) return act(heard, understand(text, names));
  const answered = answerByReply(heard, interaction, text, names, optionOfTextCard(heard.repliesTo?.card ?? null));
  return 'events' in answered ? answered : act(heard, answered);
}

/** A press is an interaction's option or a message's own offer: a sentence, or `@` and an action. */
function hearPress(heard: MessageContext, press: string, text: string | null): Plan {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  if (id.startsWith('i')) return answerInteraction(heard, id, { option, text });
  const { now, config, thread, isHomeOwner, by } = heard;
  const offered = offerOf(now, press, { config, by: isHomeOwner ? null : by, thread: thread.id });
  if (offered.kind === 'unknown') return sayError(heard, `There is no button ${press}.`);
  if (offered.kind === 'gone') return sayError(heard, goneText);
  const { says } = offered;
  const [action = '', ...args] = says.slice(1).split(' ');
  const plan = says.startsWith('@') ? ownAction(heard, action, args) : act(heard, parse(says, namesFor(heard)));
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

function act(heard: MessageContext, parsed: Parsed): Plan {
  switch (parsed.verb) {
    case null:
      return unclear(heard, parsed);
    case 'projects':
      return projectsParts(heard);
    case 'inbox':
      return inboxPlan(heard);
    case 'whoami':
      return whoami(heard);
    case 'help':
      return help(heard);
    case 'use':
      return use(heard, parsed);
    case 'quiet':
    case 'verbose':
      return loudness(heard, parsed.verb === 'quiet');
    case 'approve':
    case 'reject':
      return decideByCode(heard, parsed);
    default:
      return parsed.project === 'all' ? onAllProjects(heard, parsed) : onProject(heard, parsed);
  }
}

function onProject(heard: MessageContext, parsed: Parsed): Plan {
  const meant = meantProject(heard, parsed);
  if ('plan' in meant) return meant.plan;
  const read = parsed.verb && reading[parsed.verb as keyof typeof reading];
  if (read) return refusal(heard, meant.project, 'read') ?? read(heard, meant.project, parsed);
  const drive = parsed.verb && driving[parsed.verb as keyof typeof driving];
  if (!drive) return unclear(heard, parsed);
  return refusal(heard, meant.project, drive.needs) ?? drive.act(heard, meant.project, parsed);
}

function onAllProjects(heard: MessageContext, parsed: Parsed): Plan {
  const drive = parsed.verb === 'stop' || parsed.verb === 'continue' ? driving[parsed.verb] : undefined;
  if (!drive) return unclear(heard, parsed);
  const moves = ({ name }: ProjectConfig) =>
    parsed.verb === 'stop' ? heard.now.liveRun(name) !== null : hasOpenRun(heard, name);
  const plans = projectsOf(heard)
    .filter(moves)
    .map(
      (project) =>
        refusal(heard, project, drive.needs) ?? drive.act(heard, project, { ...parsed, project: project.name }),
    );
  if (plans.length === 0) {
    const text = parsed.verb === 'stop' ? 'Nothing is running.' : 'No project has a run to continue.';
    return say(heard, { kind: 'answer', text });
  }
  return {
    events: plans.flatMap((plan) => plan.events),
    messages: plans.flatMap((plan) => plan.messages ?? []),
    follows: plans.flatMap((plan) => plan.follows ?? []),
    origin: { thread: heard.thread.id, by: heard.by },
  };
}

/** Free words approve nothing; a code names the card. */
function decideByCode(heard: MessageContext, parsed: Parsed): Plan {
  if (parsed.code === null) {
    return say(heard, {
      kind: 'answer',
      text: `To ${parsed.verb}, reply to the card, press its button, or name its code: "${parsed.verb} i12-3".`,
    });
  }
  const interaction = visible(heard, parsed.code);
  if (!interaction) return sayError(heard, `There is no ${parsed.code} to answer.`);
  const given = givenBy(interaction, parsed, parsed.note ?? '');
  if (!given) {
    const { id, options } = interaction;
    return sayError(heard, `${id} is no review; it offers ${options.map((one) => one.label).join(', ')}.`);
  }
  return answerInteraction(heard, parsed.code, given);
}

function use(heard: MessageContext, parsed: Parsed): Plan {
  const project = parsed.project === null ? null : projectNamed(heard.config, parsed.project);
  if (!project || roleIn(heard, project) === null)
    return sayError(heard, 'Which project? "use shop"; "projects" lists them.');
  const offers = topicOffers(heard, project);
  const plan = say(heard, { kind: 'ack', text: `Here I now mean ${project.name}.`, offers });
  return { ...plan, threads: [{ ...heard.thread, project: project.name }] };
}

function loudness(heard: MessageContext, quiet: boolean): Plan {
  const text = quiet ? 'Quiet here: only what needs you, and what is done.' : 'I tell every step here.';
  return { ...say(heard, { kind: 'ack', text }), threads: [{ ...heard.thread, quiet }] };
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
