import { nameInConfig } from '../../config/index.js';
import type { ProjectAudience } from '../../dispatch/index.js';
import type { Interaction, State } from '../../engine/index.js';
import type { View } from '../../store/index.js';
import { approvalLines } from './approvals.js';
import { askCard, cardButtons, cardHead, codeLine } from './cards.js';
import { lines, oneLine, personName, span, view, withButtons, withMenu } from './view.js';
import { cardText } from './work/card-text.js';
import { attentionOffers, cardOffers } from './work/offers.js';
import { settledFacts } from './work/review-work.js';

/** With buttons, so that no one must look for the card. */
export function remindedCard(
  interaction: Interaction,
  state: State,
  at: number,
  audience: ProjectAudience | null,
): View {
  return again(`Still waiting, ${since(interaction, at)}`, interaction, state, audience);
}

export function nudgedCard(interaction: Interaction, state: State, at: number, audience: ProjectAudience | null): View {
  const by = personName(nameInConfig(interaction.nudged?.by ?? ''));
  return again(`${by} reminds you, after ${since(interaction, at)}`, interaction, state, audience);
}

export function escalatedCard(
  interaction: Interaction,
  state: State,
  at: number,
  audience: ProjectAudience | null,
): View {
  return again(`Now with you too, unanswered for ${since(interaction, at)}`, interaction, state, audience);
}

export function handedCard(interaction: Interaction, state: State, audience: ProjectAudience | null): View {
  const card = askCard(interaction, state, audience);
  const { handed } = interaction;
  return handed === undefined
    ? card
    : { ...card, text: `${personName(nameInConfig(handed.by))} hands you · ${card.text}` };
}

export interface Reached {
  readonly person: string;
  readonly threads: readonly string[];
}

export function escalatedLine(interaction: Interaction, state: State, at: number, reached: readonly Reached[]): View {
  const names = (some: readonly Reached[]) => some.map(({ person }) => personName(person)).join(', ');
  const told = reached.filter(({ threads }) => threads.length > 0);
  const missed = reached.filter(({ threads }) => threads.length === 0);
  const text = lines(
    `Unanswered for ${since(interaction, at)} · ${cardHead(interaction, state)}`,
    told.length > 0 && `Asked as well, in their own chats: ${names(told)}.`,
    missed.length > 0 && `Not asked, because I know no chat with them: ${names(missed)}.`,
  );
  return { ...view('report', text), rings: told.length === 0 };
}

function again(head: string, interaction: Interaction, state: State, audience: ProjectAudience | null): View {
  const card = {
    ...withButtons(
      view(
        interaction.kind,
        lines(
          `${head} · ${cardHead(interaction, state)}`,
          interaction.kind === 'review'
            ? settledFacts(interaction, state)
            : oneLine(cardText(interaction, state).body.join(' '), 300),
          ...approvalLines(interaction, state.run, audience),
          codeLine(interaction),
        ),
        cardOffers(interaction, state),
      ),
      cardButtons(interaction, state),
    ),
    rings: true,
  };
  return withMenu(card, attentionOffers(interaction, state, audience));
}

function since({ openedAt }: Interaction, at: number): string {
  return span(at - openedAt).replace(/ h 0 min$/, ' h');
}
