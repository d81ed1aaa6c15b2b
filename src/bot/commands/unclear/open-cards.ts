// Offered when words were not understood. Each button names its card, so it can answer no other.
import { type ProjectConfig, projectNamed, requiredActionFor } from '../../../config/index.js';
import { emptyPlan, type Plan } from '../../../dispatch/index.js';
import type { Interaction, State } from '../../../engine/index.js';
import { cardHead, silentCard } from '../../views/cards.js';
import { type Offer, oneLine, view } from '../../views/view.js';
import { givenBy, noSuchCard, visible } from '../answer.js';
import { type MessageContext, refuse, answer as reply, roleIn, say, sayError } from '../message-context.js';
import { notAllowedText } from '../not-allowed.js';
import { refusal } from '../which-project.js';

export interface OpenCard {
  readonly interaction: Interaction;
  readonly project: ProjectConfig;
  /** `Review · Order history` */
  readonly title: string;
  /** `shop · US-001` */
  readonly place: string;
}

const maxShown = 3;
const maxLabelChars = 200;

/** Cards with buttons here, newest first. */
export function openCardsHere(ctx: MessageContext): readonly OpenCard[] {
  const { reader } = ctx.now;
  const isHere = ({ id }: Interaction) => reader.asking(id).some(({ thread }) => thread === ctx.thread.id);
  const found = reader.openInteractions(null).flatMap(({ run, interaction }) => {
    const card = isHere(interaction) ? cardOf(ctx, run, interaction) : null;
    return card === null ? [] : [card];
  });
  return found.sort((a, b) => b.interaction.openedAt - a.interaction.openedAt);
}

/** Null: no read access. */
export function cardOf(ctx: MessageContext, run: string, interaction: Interaction): OpenCard | null {
  const state = stateOf(ctx, run, interaction);
  const project = state && projectNamed(ctx.config, state.run.project);
  if (!state || !project || roleIn(ctx, project) === null) return null;
  const [title = '', ...place] = cardHead(interaction, state).split('\n');
  return { interaction, project, title, place: place.join('\n') };
}

function stateOf({ now }: MessageContext, run: string, { chain }: Interaction): State | null {
  const spine = now.spine(run);
  const own = now.chain(run, chain);
  return spine === null || own === null ? null : { ...spine, chain: own };
}

export function cardLine({ title, interaction }: OpenCard): string {
  return `${title} (${interaction.id})`;
}

export function waitingHere(cards: readonly OpenCard[]): {
  readonly lines: readonly string[];
  readonly offers: Offer[];
} {
  const shown = cards.slice(0, maxShown);
  const head = shown.length === 1 ? 'Waiting for an answer here:' : 'Waiting for answers here:';
  return {
    lines: shown.length === 0 ? [] : [head, ...shown.map(cardLine)],
    offers: showOffers(shown),
  };
}

/** Each channel shortens the labels to its own limit. Cards of the same title are named by code. */
export function showOffers(cards: readonly OpenCard[]): Offer[] {
  return cards.map((card) => {
    const isAlone = cards.filter(({ title }) => title === card.title).length === 1;
    const label = oneLine(`Show ${isAlone ? card.title : cardLine(card)}`, maxLabelChars);
    return { label, says: `@show ${card.interaction.id}` };
  });
}

const maxRequestChars = 4_000;

/** For the only card here: an answer, or a change request. */
export function asText(cards: readonly OpenCard[], text: string): readonly Offer[] {
  const [only, ...others] = cards;
  const said = text.trim();
  if (only === undefined || others.length > 0 || said.length > maxRequestChars) return [];
  const { id, options } = only.interaction;
  const takes = (option: string) => options.some((one) => one.id === option);
  if (takes('answer')) return [{ label: 'Use it as the answer', says: `@answer ${id} answer ${said}` }];
  if (!takes('changes') || said.split(/\s+/).length < 3) return [];
  return [{ label: 'Use it as a change request', says: `@answer ${id} changes ${said}` }];
}

/** One card's button, or the list. Null: no card. */
export function offerApproval(ctx: MessageContext, said: string): Plan | null {
  const cards = openCardsHere(ctx);
  const [only, ...others] = cards;
  if (only === undefined) return null;
  if (others.length > 0) {
    const { lines, offers } = waitingHere(cards);
    return say(ctx, view('answer', ['Which one?', ...lines].join('\n'), offers));
  }
  const given = approvalOf(ctx, only.interaction);
  if (given === null) {
    const { lines, offers } = waitingHere(cards);
    const text = ["That doesn't answer it, so I did nothing.", ...lines].join('\n');
    return say(ctx, view('answer', text, [...offers, ...asText(cards, said)]));
  }
  const needed = requiredActionFor(given.id, only.interaction);
  if (refusal(ctx, only.project, needed) !== null) return refuse(ctx, notAllowedText(only.project, ctx.by, needed));
  const { id } = only.interaction;
  const text = [
    `I did nothing yet. Do you mean ${cardLine(only)}?`,
    only.place,
    'Only a button, a reply to the card or its code counts.',
  ];
  const offers = [{ label: given.label, says: `@answer ${id} ${given.id}` }, ...showOffers([only])];
  return {
    ...emptyPlan,
    messages: [reply(ctx, view('answer', text.join('\n'), offers), { interaction: id })],
  };
}

/** A yes never selects an option that ends or removes work. */
function approvalOf({ verbs }: MessageContext, interaction: Interaction): Interaction['options'][number] | null {
  const given = givenBy(interaction, { ...verbs.grammar.parse('', []), verb: 'approve' }, '');
  const option = interaction.options.find(({ id }) => id === given?.option);
  return option === undefined || isEnding(interaction) ? null : option;
}

function isEnding({ subject }: Interaction): boolean {
  return subject.type === 'abort' || subject.type === 'give_up';
}

export function showCard(ctx: MessageContext, id: string): Plan {
  const interaction = visible(ctx, id);
  const run = ctx.now.interaction(id)?.run ?? '';
  const state = interaction && stateOf(ctx, run, interaction);
  if (!interaction || !state) return sayError(ctx, noSuchCard(id));
  if (interaction.state !== 'open') return sayError(ctx, `${id} is already decided.`);
  return { ...emptyPlan, messages: [reply(ctx, silentCard(interaction, state), { run, interaction: id })] };
}
