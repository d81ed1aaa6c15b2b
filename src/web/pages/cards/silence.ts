// An unanswered question ends in a reminder, a denial, or a longer wait.
import { personName } from '../../../bot/index.js';
import { nameInConfig, projectNamed } from '../../../config/index.js';
import { answerWithinMsOf, quietUntil } from '../../../dispatch/index.js';
import { type Interaction, type Run, recallsOf } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { clockOf, dayOf, lineOf } from '../shared/text.js';

export function silenceOf(web: WebContext, run: Run, interaction: Interaction): string {
  const { subject, expiresAt } = interaction;
  const time = timeOf(web);
  if (expiresAt !== undefined) return `this question closes at ${time(expiresAt)}, and the work goes on`;
  if (subject.type === 'agent_question' || subject.type === 'agent_permission') {
    const until = interaction.openedAt + waitOf(web, subject.attempt);
    const isOver = until <= web.now() || (subject.type === 'agent_question' && subject.isLate);
    if (subject.type === 'agent_permission') return isOver ? 'it is denied' : `it is denied at ${time(until)}`;
    if (isOver) return 'the agent no longer waits; your answer goes to its next try';
    return `the agent waits until ${time(until)}; a later answer goes to its next try`;
  }
  return [...remindersOf(web, run, interaction), 'nothing is decided for you'].join('; ');
}

function remindersOf(web: WebContext, run: Run, interaction: Interaction): readonly string[] {
  const { remindAt, escalateAt } = recallsOf(interaction);
  const hours = projectNamed(web.services.config(), run.project)?.quietHours ?? null;
  const time = timeOf(web);
  // Overdue reminders wait for the end of quiet hours, too.
  const told = (due: number) => time(quietUntil(hours, Math.max(due, web.now())) ?? due);
  const deputies = (interaction.approvals?.escalateTo ?? []).map((name) => lineOf(personName(nameInConfig(name)), 40));
  return [
    remindAt === null ? 'no reminder' : `a reminder at ${told(remindAt)}`,
    ...(escalateAt === null || deputies.length === 0
      ? []
      : [`${deputies.join(' and ')} asked too at ${told(escalateAt)}`]),
  ];
}

function waitOf({ services }: WebContext, attempt: string): number {
  const name = services.runtime.reader.attempt(attempt)?.attempt.executor;
  return answerWithinMsOf((name === undefined ? undefined : services.config().executors[name]) ?? null);
}

/** `14:40`, with the day if it is another one. */
function timeOf(web: WebContext): (at: number) => string {
  const { zone } = web;
  return (at) => {
    const day = dayOf(at, web.now(), zone);
    return day === 'Today' ? clockOf(at, zone) : `${clockOf(at, zone)}, ${day}`;
  };
}
