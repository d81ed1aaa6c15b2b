// The words of a card: its kind, its title, the place of its work, and the people who may answer.
import { inZone } from '../../../base/index.js';
import { personName, withoutCodes } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, InteractionKind, Run } from '../../../engine/index.js';
import type { View } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { lineOf } from '../shared/text.js';
import { awaitedNames, mayAnswer } from '../shared/work-state.js';

const maxFollowers = 5;

/** Includes the evidence; the same in every thread. */
export function postedText({ services, zone }: WebContext, run: string, { id, text }: Interaction): string {
  const { reader } = services.runtime;
  for (const thread of reader.followers(run).slice(0, maxFollowers)) {
    const shown = reader.cardMessage(thread, id);
    if (shown !== null && shown.view.text !== '') return messageText(shown.view, zone);
  }
  return withoutCodes(text);
}

/** Its times in the reader's zone; null: the machine's. */
export function messageText({ text, times }: View, zone: string | null): string {
  return withoutCodes(zone === null ? text : inZone(text, times ?? [], zone));
}

export const kindNames: Readonly<Record<InteractionKind, string>> = {
  review: 'Review',
  question: 'Question',
  escalation: 'Failed',
  confirm: 'Go-ahead',
  choice: 'Choice',
  permission: 'Permission',
  budget: 'Budget',
};

interface CardWords {
  readonly kind: string;
  readonly title: string;
  /** The line with the work's place; '' if none. */
  readonly place: string;
  readonly text: string;
}

/** A posted card begins with kind and work, then the place. */
export function wordsOf(web: WebContext, run: Run, interaction: Interaction): CardWords {
  const text = postedText(web, run.id, interaction);
  const isPosted = text !== withoutCodes(interaction.text);
  const [head = '', next = ''] = text.split('\n');
  const work = isPosted ? head.split(' · ').slice(1).join(' · ') : '';
  return {
    kind: kindNames[interaction.kind],
    title: lineOf(work || head || interaction.chain || run.task),
    place: isPosted && next.startsWith(run.project) ? next : '',
    text,
  };
}

/** Leaves out the project, which stands beside it. */
export function placeIn(place: string, project: string): string {
  const parts = place.split(' · ').filter((part) => part !== project && !part.startsWith('for '));
  return lineOf(parts.join(' · '), 80);
}

/** `you or Bob`; '' for a lone user. */
export function peopleOf(web: WebContext, run: Run, interaction: Interaction): string {
  const { handed } = interaction;
  const from = handed === undefined ? '' : `, from ${lineOf(personName(nameInConfig(handed.by)), 40)}`;
  const names = awaitedNames(web, run, interaction);
  const isMine = mayAnswer(web, run.project, interaction);
  const { who } = web;
  const others = names.filter((name) => who.kind !== 'person' || name !== personName(nameInConfig(who.name)));
  if (others.length === 0) return `${isMine ? '' : 'the owner'}${from}`.replace(/^, /, '');
  return `${isMine && handed === undefined ? 'you or ' : ''}${others.join(', ')}${from}`;
}
