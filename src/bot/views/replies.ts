// To the speaker.

import type { ProjectAudience } from '../../dispatch/index.js';
import { type Reply, type State, unreachable } from '../../engine/index.js';
import type { View } from '../../store/index.js';
import { voteLines } from './approvals.js';
import { askCard } from './cards.js';
import { duration, lines, money, view } from './view.js';

export function replyViews(reply: Reply, state: State, audience: ProjectAudience | null = null): readonly View[] {
  const { project } = state.run;
  switch (reply.type) {
    case 'shown':
      return reply.interactions.map((interaction) => askCard(interaction, state, audience));
    case 'needs_text':
      return [ask(reply, project)];
    case 'paused':
      return [paused(reply, project)];
    case 'name_a_step':
      return [nameAStep(reply, project)];
    case 'refused':
      return [view({ kind: 'error', text: `${project}: ${reply.why}.` })];
    case 'nothing_to_do':
      return [
        view({
          kind: 'answer',
          text: `${project} is idle (E006). Give it a task: "${project}: <what to do>".`,
        }),
      ];
    case 'taken':
      return [];
    case 'voted':
      return [voted(reply, project)];
    default:
      return [view({ kind: 'ack', text: ackText(reply, state) })];
  }
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
      return `${project}: saved as a draft, number ${reply.position} in the line.`;
    case 'started':
      return `${project}: starting "${head}".`;
    case 'going_on':
      return reply.step ? `${project}: continuing with ${reply.step}.` : `${project}: continuing.`;
    case 'still_running':
      return `${reply.item || project} is still running (${reply.step})${reply.sinceMs === null ? ', queued' : `, for ${duration(reply.sinceMs)}`}.${othersRunning(reply.item, state)}`;
    case 'checkout_busy':
      return `${project}: Bosun is changing the checkout. The run continues by itself when that is done.`;
    case 'queued_behind':
      return `${project}: "${head}" starts when ${reply.run} has ended.`;
    case 'blocked':
      return `${reply.item} is blocked by ${reply.by.join(', ')}.`;
    case 'killing':
      return reply.count === 0
        ? `${project}: nothing is running.`
        : `${project}: stopping ${reply.count} running ${reply.count === 1 ? 'step' : 'steps'}.`;
    case 'aborting':
      return `${project}: aborted.${droppedNote(reply.dropped)}`;
    case 'retrying':
      return `${project}: trying ${reply.item ? `${reply.item} ` : ''}${reply.step} again.`;
    case 'skipped':
      return `${project}: skipped ${[reply.item, reply.step].filter((one) => one !== '').join(' ')}.`;
    case 'rolling_back':
      return `${project}: rolling back to ${reply.step}.`;
    case 'budget':
      return `${project}: the budget of ${reply.scope ? `the ${reply.scope}` : state.run.id} is ${reply.usd === null ? 'unlimited' : money(reply.usd)}.`;
    default:
      return unreachable(reply);
  }
}

function droppedNote(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' One waiting step or story is dropped.' : ` ${count} waiting steps and stories are dropped.`;
}

function othersRunning(item: string, { run }: State): string {
  const others = run.live.filter((one) => one.chain !== item).map((one) => `${one.chain} (${one.step})`);
  return others.length === 0 ? '' : ` So ${others.length === 1 ? 'is' : 'are'} ${others.join(', ')}.`;
}

function ask(reply: Extract<Reply, { type: 'needs_text' }>, project: string): View {
  const what = reply.option === 'changes' ? 'what should change' : 'your answer';
  return view({ kind: 'answer', text: `${project}: reply to this message with ${what} (${reply.interaction.id}).` });
}

/** Did the vote count? The card tells everyone. */
function voted({ interaction, isRepeated }: Extract<Reply, { type: 'voted' }>, project: string): View {
  const head = isRepeated ? 'you already said so, and it counts once' : 'your vote counts';
  return view({ kind: 'ack', text: lines(`${project}: ${head} (${interaction.id}).`, ...voteLines(interaction)) });
}

function paused(reply: Extract<Reply, { type: 'paused' }>, project: string): View {
  const isRunning = reply.running.length > 0;
  const text = lines(
    isRunning
      ? `${project} is pausing: nothing new starts. Still running: ${reply.running.join(', ')}.`
      : `${project} is paused. Nothing runs.`,
    `Done: ${reply.done.length > 0 ? reply.done.join(', ') : 'nothing yet'}.`,
    reply.next && `Next: ${reply.next}.`,
    `Say "continue ${project}" to continue.`,
  );
  return view({ kind: 'answer', text, offers: isRunning ? [{ label: 'Kill it now', says: `@kill ${project}` }] : [] });
}

function nameAStep(reply: Extract<Reply, { type: 'name_a_step' }>, project: string): View {
  const offers = reply.steps.slice(0, 10).map((step) => ({ label: step, says: `continue ${project} ${step}` }));
  return view({
    kind: 'answer',
    text: `${project} is at level manual. Name the step, as in "continue ${project} <step>: instruction".`,
    offers,
  });
}
