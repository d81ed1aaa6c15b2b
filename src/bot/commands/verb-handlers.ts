// A handler per grammar row; the compiler checks that none is missing.
import { type ProjectConfig, projectNamed } from '../../config/index.js';
import { emptyPlan, type Plan, withEffects } from '../../dispatch/index.js';
import { grammar, type Parsed, type Verb } from '../grammar/index.js';
import { view } from '../views/view.js';
import { answerInteraction, givenBy, noSuchCard, visible } from './answer.js';
import { planHandOver } from './attention/hand-over.js';
import { planRemind } from './attention/remind.js';
import { planSnooze, planWake } from './attention/snooze.js';
import { drivingVerbs } from './drive.js';
import { topicOffers } from './make-topic.js';
import {
  type AllProjects,
  type MessageContext,
  originOf,
  projectsOf,
  roleIn,
  say,
  sayError,
  type VerbHandler,
  type VerbRegistry,
} from './message-context.js';
import { editTask } from './queue/edit-task.js';
import { inboxPlan } from './queue/inbox.js';
import { mergeRun } from './queue/merge-run.js';
import { changeQueue, showAllProjects, showQueue, startQueued } from './queue/queue.js';
import { evidenceOfOnlyCard } from './reading/evidence-target.js';
import { readingVerbs } from './reading/reads.js';
import { offerAwaited } from './unclear/awaited-words.js';
import { asText, offerApproval, openCardsHere, waitingHere } from './unclear/open-cards.js';
import { meantProject, refusal, runNamed } from './which-project.js';

const handlers: Readonly<Record<Verb, VerbHandler>> = {
  ...drivingVerbs,
  ...readingVerbs,
  status: { ...readingVerbs.status, several: showAllProjects },
  diff: { ...readingVerbs.diff, several: (ctx) => evidenceOfOnlyCard(ctx, 'diff', openCardsHere(ctx)) },
  log: { ...readingVerbs.log, several: (ctx) => evidenceOfOnlyCard(ctx, 'log', openCardsHere(ctx)) },
  approve: { of: 'chat', plan: decideByCode },
  reject: { of: 'chat', plan: decideByCode },
  snooze: { of: 'chat', plan: planSnooze },
  wake: { of: 'chat', plan: planWake },
  remind: { of: 'chat', plan: planRemind },
  hand: { of: 'chat', plan: planHandOver },
  inbox: { of: 'chat', plan: inboxPlan },
  queue: { of: 'chat', plan: showQueue },
  edit: { of: 'chat', plan: editTask },
  move: { of: 'chat', plan: changeQueue },
  drop: { of: 'chat', plan: changeQueue },
  merge: { of: 'chat', plan: mergeRun },
  use: { of: 'chat', plan: use },
  quiet: { of: 'chat', plan: (ctx) => setQuiet(ctx, true) },
  verbose: { of: 'chat', plan: (ctx) => setQuiet(ctx, false) },
};

export const ownVerbs: VerbRegistry = { grammar, handlers };

export function planVerb(said: MessageContext, parsed: Parsed): Plan | null {
  const ctx = { ...said, run: runNamed(parsed) ?? said.run };
  const { grammar, handlers } = ctx.verbs;
  const row = grammar.rowOf(parsed);
  const handler = row && handlers[row.verb];
  if (!row || !handler) return null;
  const queued = row.verb === 'start' ? startQueued(ctx, parsed) : null;
  if (queued !== null) return queued;
  if (handler.of === 'chat') return handler.plan(ctx, parsed);
  const { right } = row;
  const planIn = (project: ProjectConfig, said: Parsed, run = ctx.run) =>
    (right && refusal(ctx, project, right)) ?? handler.plan({ ...ctx, run }, project, said);
  if (parsed.project === 'all') return handler.all && planAll(ctx, parsed, handler.all, planIn);
  const meant = meantProject(ctx, parsed);
  if ('project' in meant) return planIn(meant.project, parsed);
  const isOpen = meant.isChoice && parsed.target === null;
  return isOpen ? (handler.several?.(ctx) ?? meant.plan) : meant.plan;
}

function planAll(
  ctx: MessageContext,
  parsed: Parsed,
  all: AllProjects,
  planIn: (project: ProjectConfig, parsed: Parsed, run: string | null) => Plan,
): Plan {
  const plans = projectsOf(ctx)
    .filter(({ name }) => all.isMeant(ctx, name))
    .flatMap((project) => {
      const first = ctx.now.liveRun(project.name)?.id;
      const others = ctx.now.besideRuns(project.name).filter(({ id }) => id !== first);
      const runs = [null, ...others.map(({ id }) => id)];
      return runs.map((run) => planIn(project, { ...parsed, project: project.name }, run));
    });
  if (plans.length === 0) return say(ctx, view('answer', all.text));
  return {
    ...emptyPlan,
    events: plans.flatMap((plan) => plan.events),
    origin: originOf(ctx),
    messages: plans.flatMap((plan) => plan.messages),
    effects: plans.flatMap((plan) => plan.effects),
  };
}

/** Free words approve nothing, so a code names the card. */
function decideByCode(ctx: MessageContext, parsed: Parsed): Plan {
  if (parsed.code === null) {
    const offered = offerAwaited(ctx, parsed.text) ?? (isPlainYes(parsed) ? offerApproval(ctx, parsed.text) : null);
    if (offered !== null) return offered;
    const cards = openCardsHere(ctx);
    const { lines, offers } = waitingHere(cards);
    const text = `Which card? To ${parsed.verb}, press its button, reply to it, or name its code: "${parsed.verb} i12-3".`;
    return say(ctx, view('answer', [text, ...lines].join('\n'), [...offers, ...asText(cards, parsed.text)]));
  }
  const interaction = visible(ctx, parsed.code);
  if (!interaction) return sayError(ctx, noSuchCard(parsed.code));
  const given = givenBy(interaction, parsed, parsed.note ?? '');
  if (!given) {
    const { id, options } = interaction;
    return sayError(ctx, `${id} isn't a review. Its options: ${options.map((one) => one.label).join(', ')}.`);
  }
  return answerInteraction(ctx, parsed.code, given);
}

function isPlainYes({ verb, note, project }: Parsed): boolean {
  return verb === 'approve' && note === null && project === null;
}

function use(ctx: MessageContext, parsed: Parsed): Plan {
  const project = parsed.project === null ? null : projectNamed(ctx.config, parsed.project);
  if (!project || roleIn(ctx, project) === null)
    return sayError(ctx, 'Which project? Say, for example, "use shop"; "projects" lists them.');
  const offers = topicOffers(ctx, project);
  const plan = say(ctx, view('ack', `This chat is about ${project.name} now.`, offers));
  return withEffects(plan, { type: 'thread', thread: { ...ctx.thread, project: project.name } });
}

function setQuiet(ctx: MessageContext, quiet: boolean): Plan {
  const text = quiet
    ? 'From now on I only report here what needs you and what is done.'
    : 'From now on I report every step here.';
  return withEffects(say(ctx, view('ack', text)), { type: 'thread', thread: { ...ctx.thread, quiet } });
}
