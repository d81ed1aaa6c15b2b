import type { Plan } from '../../../dispatch/index.js';
import { helpLines, type Parsed } from '../../grammar/index.js';
import { lines, personName, view } from '../../views/view.js';
import { type MessageContext, projectsOf, say } from '../message-context.js';
import { namesFor } from '../which-project.js';

const maxListed = 12;

export function isGreeting(text: string): boolean {
  return /^\/start(?:@\w{1,64})?$/i.test(text.trim());
}

export function greet(ctx: MessageContext, rows: readonly string[]): Plan {
  const name = exampleProject(ctx);
  const projects = projectsOf(ctx).slice(0, maxListed);
  const text = lines(
    `Hi${ctx.isHomeOwner ? '' : ` ${personName(ctx.by)}`}. I run coding agents on your projects and ask you when it matters.`,
    ...rows.slice(0, maxListed),
    'You can write, for example:',
    ...firstSentences(name),
  );
  const offers = projects.map((one) => ({ label: one.name, says: `status ${one.name}` }));
  return say(ctx, view('answer', text, [...offers, { label: 'Help', says: 'help' }]));
}

export function firstSentences(project: string): readonly string[] {
  return [`${project}: fix the login page`, `continue ${project}`, 'what needs me'];
}

export function help(ctx: MessageContext, { target }: Pick<Parsed, 'target'>): Plan {
  const text = target === 'all' ? helpLines(ctx.verbs.grammar).join('\n') : everydayHelp(exampleProject(ctx));
  const offers = target === 'all' ? [] : [{ label: 'Help all', says: 'help all' }];
  return say(ctx, view('answer', text, offers));
}

function everydayHelp(project: string): string {
  return lines(
    `New task: ${project}: fix the login page`,
    `Go on: continue ${project}`,
    `Look: status, inbox, diff ${project}`,
    "Decide: use a card's buttons, or reply to the card",
    `Change: stop, retry, abort ${project}`,
    'More: help all',
  );
}

function exampleProject(ctx: MessageContext): string {
  return namesFor(ctx)[0]?.name ?? 'shop';
}
