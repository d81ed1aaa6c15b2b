import type { ProjectAudience } from '../../dispatch/index.js';
import { type Reply, type State, unreachable } from '../../engine/index.js';
import type { View } from '../../store/index.js';
import { voteLines } from './approvals.js';
import { silentCard } from './cards.js';
import { duration, lines, money, view } from './view.js';
import { stepTitle } from './work/ask-words.js';
import { calledBy } from './work/card-keys.js';
import { cardText, ordinal, titleOf } from './work/card-text.js';

export function replyViews(reply: Reply, state: State, audience: ProjectAudience | null = null): readonly View[] {
  const { project } = state.run;
  switch (reply.type) {
    case 'shown':
      return reply.interactions.map((interaction) => silentCard(interaction, state, audience));
    case 'needs_text':
      return [ask(reply, state)];
    case 'paused':
      return [paused(reply, state)];
    case 'name_a_step':
      return [nameAStep(reply, state)];
    case 'refused':
      return [view('error', `${project}: ${named(reply.why, state)}.`)];
    case 'nothing_to_do':
      return [view('answer', `${project} is idle (E006). Give it a task: "${project}: <what to do>".`)];
    case 'taken':
      return [];
    case 'queued_behind':
      return [view('ack', ackText(reply, state), [besideOffer(state)])];
    case 'voted':
      return [voted(reply, project)];
    default:
      return [view('ack', ackText(reply, state))];
  }
}

/** The engine knows steps by their ids. */
function named(why: string, { workflow }: State): string {
  return why.replace(/^(\S+)(?= may not be skipped$)/, (id) => stepTitle(id, workflow));
}

type Ack = Exclude<
  Reply,
  { type: 'shown' | 'needs_text' | 'paused' | 'name_a_step' | 'refused' | 'nothing_to_do' | 'taken' | 'voted' }
>;

function ackText(reply: Ack, state: State): string {
  const { project, task } = state.run;
  const head = task.split('\n')[0]?.slice(0, 120) ?? '';
  switch (reply.type) {
    case 'drafted':
      return `${project}: saved, ${ordinal(reply.position)} in the queue.`;
    case 'started':
      return `${project}: starting "${head}"${besideNote(state)}.`;
    case 'going_on':
      return reply.step
        ? `${project}: continuing with ${stepTitle(reply.step, state.workflow)}.`
        : `${project}: continuing.`;
    case 'still_running':
      return `${reply.item || project} is still running (${reply.step})${reply.sinceMs === null ? ', queued' : `, for ${duration(reply.sinceMs)}`}.${othersRunning(reply.item, state)}`;
    case 'checkout_busy':
      return `${project}: Bosun is changing the checkout. The run continues by itself when that is done.`;
    case 'queued_behind':
      return `${project}: “${head}” starts when its turn comes.`;
    case 'blocked':
      return `${reply.item} is blocked by ${reply.by.join(', ')}.`;
    case 'killing':
      return reply.count === 0
        ? `${project}: nothing is running.`
        : `${project}: stopping ${reply.count} running ${reply.count === 1 ? 'step' : 'steps'}.`;
    case 'aborting':
      return `${project}: aborted.${droppedNote(reply.dropped)}`;
    case 'retrying':
      return `${project}: trying ${reply.item ? `${reply.item} ` : ''}${stepTitle(reply.step, state.workflow)} again.`;
    case 'skipped':
      return `${project}: skipped ${[reply.item, stepTitle(reply.step, state.workflow)].filter((one) => one !== '').join(' ')}.`;
    case 'rolling_back':
      return `${project}: rolling back to ${stepTitle(reply.step, state.workflow)}.`;
    case 'budget':
      return `${project}: the budget of ${budgetOwner[reply.scope ?? 'run']} is ${reply.usd === null ? 'unlimited' : money(reply.usd)} now.`;
    default:
      return unreachable(reply);
  }
}

const budgetOwner = { run: 'this task', day: 'today', project: 'the project' } as const;

function besideOffer({ run }: State) {
  return { label: 'Start now beside it', says: `@beside ${run.id}` };
}

function besideNote({ run }: State): string {
  return run.beside ? ` in a worktree of its own; "stop ${run.id}" and "abort ${run.id}" mean it` : '';
}

function droppedNote(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' One waiting step or story is dropped.' : ` ${count} waiting steps and stories are dropped.`;
}

function othersRunning(item: string, { run }: State): string {
  const others = run.live.filter((one) => one.chain !== item).map((one) => `${one.chain} (${one.step})`);
  return others.length === 0 ? '' : ` So ${others.length === 1 ? 'is' : 'are'} ${others.join(', ')}.`;
}

const questionFor: Readonly<Record<string, string>> = {
  changes: 'What should change?',
  retry_note: 'What should the next try know?',
  skip: 'What is the reason?',
};

function ask(reply: Extract<Reply, { type: 'needs_text' }>, state: State): View {
  const { project } = state.run;
  const what = questionFor[reply.option] ?? 'What is your answer?';
  const { work } = cardText(reply.interaction, state);
  return view('answer', lines(what, `Reply to this message, for ${project} · ${work} (${reply.interaction.id}).`));
}

/** The card tells everyone about the vote. */
function voted({ interaction, isRepeated }: Extract<Reply, { type: 'voted' }>, project: string): View {
  const head = isRepeated ? 'You already said so, and it counts once.' : 'Your vote counts.';
  return view('ack', lines(`${project}: ${head}`, ...voteLines(interaction)));
}

const maxNamed = 12;

function paused({ running, done, next }: Extract<Reply, { type: 'paused' }>, { run, workflow }: State): View {
  const { project } = run;
  const called = calledBy(run);
  // `US-001 impl`: the step stands last.
  const named = (step: string) => step.replace(/\S+$/, (id) => stepTitle(id, workflow));
  const isRunning = running.length > 0;
  const rest = done.length - maxNamed;
  const text = lines(
    `⏸ Paused · ${titleOf(run.task.split('\n', 1)[0] ?? '')}`,
    `${project} · nothing new starts`,
    isRunning
      ? `Still running: ${running.map(named).join(', ')}. ${running.length === 1 ? 'It may finish its step.' : 'They may finish their steps.'}`
      : 'Nothing runs.',
    `Done: ${done.length > 0 ? done.slice(-maxNamed).map(named).join(', ') : 'nothing yet'}${rest > 0 ? ` and ${rest} more` : ''}.`,
    next && `Next: ${named(next)}.`,
    `Say "continue ${called}" to continue.`,
  );
  const kill = { label: 'Kill it now', says: run.beside ? `@kill ${project} ${run.id}` : `@kill ${project}` };
  const goOn = { label: 'Continue', says: `continue ${called}` };
  return view('answer', text, isRunning ? [kill, goOn] : [goOn]);
}

function nameAStep(reply: Extract<Reply, { type: 'name_a_step' }>, { run, workflow }: State): View {
  const called = calledBy(run);
  const offers = reply.steps
    .slice(0, 10)
    .map((step) => ({ label: stepTitle(step, workflow), says: `continue ${called} ${step}` }));
  return view(
    'answer',
    `Which step of ${run.project} should run next? You can also write "continue ${called} <step>: instruction".`,
    offers,
  );
}
