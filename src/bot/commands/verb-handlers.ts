// Bosun's own verbs: each row of the grammar has its handler here, which the compiler checks.
import { type ProjectConfig, projectNamed } from '../../config/index.js';
import type { Plan } from '../../dispatch/index.js';
import { grammar, type Parsed, type Verb } from '../grammar/index.js';
import { answerInteraction, givenBy, visible } from './answer.js';
import { drivingVerbs } from './drive.js';
import { topicOffers } from './make-topic.js';
import {
  type AllProjects,
  type MessageContext,
  projectsOf,
  roleIn,
  say,
  sayError,
  type VerbHandler,
  type VerbRegistry,
} from './message-context.js';
import { readingVerbs } from './reading/reads.js';
import { meantProject, refusal } from './which-project.js';

const handlers: Readonly<Record<Verb, VerbHandler>> = {
  ...drivingVerbs,
  ...readingVerbs,
  approve: { of: 'chat', plan: decideByCode },
  reject: { of: 'chat', plan: decideByCode },
  use: { of: 'chat', plan: use },
  quiet: { of: 'chat', plan: (heard) => setQuiet(heard, true) },
  verbose: { of: 'chat', plan: (heard) => setQuiet(heard, false) },
};

export const ownVerbs: VerbRegistry = { grammar, handlers };

/** null if the text is no command. */
export function planVerb(heard: MessageContext, parsed: Parsed): Plan | null {
  const { grammar, handlers } = heard.verbs;
  const row = grammar.rowOf(parsed);
  const handler = row && handlers[row.verb];
  if (!row || !handler) return null;
  if (handler.of === 'chat') return handler.plan(heard, parsed);
  const { right } = row;
  const planIn = (project: ProjectConfig, said: Parsed) =>
    (right && refusal(heard, project, right)) ?? handler.plan(heard, project, said);
  if (parsed.project === 'all') return handler.all && planAll(heard, parsed, handler.all, planIn);
  const meant = meantProject(heard, parsed);
  return 'plan' in meant ? meant.plan : planIn(meant.project, parsed);
}

function planAll(
  heard: MessageContext,
  parsed: Parsed,
  all: AllProjects,
  planIn: (project: ProjectConfig, parsed: Parsed) => Plan,
): Plan {
  const plans = projectsOf(heard)
    .filter(({ name }) => all.isMeant(heard, name))
    .map((project) => planIn(project, { ...parsed, project: project.name }));
  if (plans.length === 0) return say(heard, { kind: 'answer', text: all.none });
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

function setQuiet(heard: MessageContext, quiet: boolean): Plan {
  const text = quiet ? 'Quiet here: only what needs you, and what is done.' : 'I tell every step here.';
  return { ...say(heard, { kind: 'ack', text }), threads: [{ ...heard.thread, quiet }] };
}
