// A sentence about attention means the card of its code, else the card it replies to.
import { type Action, mayDo, requiredAction } from '../../../config/index.js';
import { emptyPlan, type Plan } from '../../../dispatch/index.js';
import type { Event, Interaction } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import type { Parsed } from '../../grammar/index.js';
import { oneLine, view } from '../../views/view.js';
import { noSuchCard } from '../answer.js';
import { type MessageContext, originOf, refuse, roleIn, say, sayError } from '../message-context.js';
import { notAllowedText } from '../not-allowed.js';
import { cardOf, type OpenCard, openCardsHere, waitingHere } from '../unclear/open-cards.js';

export interface MeantCard extends OpenCard {
  readonly spine: Spine;
}

/** Only for people who may answer the card. */
export function onCard(ctx: MessageContext, code: string, plan: (card: MeantCard) => Plan): Plan {
  return onCardFor(ctx, code, ({ interaction }) => requiredAction[interaction.kind], plan);
}

/** `requires` null: everyone who sees the card. */
export function onCardFor(
  ctx: MessageContext,
  code: string,
  requires: (card: MeantCard) => Action | null,
  plan: (card: MeantCard) => Plan,
): Plan {
  const found = ctx.now.interaction(code);
  const spine = found && ctx.now.spine(found.run);
  const card = found && cardOf(ctx, found.run, found.interaction);
  if (!found || !spine || !card) return sayError(ctx, noSuchCard(code));
  const { interaction, project } = card;
  const required = requires({ ...card, spine });
  if (required !== null && !mayDo(roleIn(ctx, project), required))
    return refuse(ctx, notAllowedText(project, ctx.by, required));
  if (interaction.state !== 'open') return refuse(ctx, `${code} is already decided.`);
  return plan({ ...card, spine });
}

/** Null: neither a code nor a reply. */
export function codeMeant({ repliesTo }: MessageContext, { code }: Pick<Parsed, 'code'>): string | null {
  return code ?? repliesTo?.interaction ?? null;
}

export function whichCard(ctx: MessageContext, example: string): Plan {
  const { lines, offers } = waitingHere(openCardsHere(ctx));
  const text = [`Which card? Reply to it, or name its code: "${example}".`, ...lines].join('\n');
  return say(ctx, view('answer', text, offers));
}

type About = Extract<Event, { type: 'snooze' | 'wake' | 'nudge' | 'hand' }>;
type Said = About extends infer One
  ? One extends About
    ? Omit<One, 'run' | 'chain' | 'at' | 'by' | 'interaction'>
    : never
  : never;

/** Unlike an answer, it makes no chat follow the run. */
export function attentionEvent(ctx: MessageContext, { interaction, spine }: MeantCard, said: Said): Plan {
  const { id, chain } = interaction;
  const event = { ...said, interaction: id, run: spine.run.id, chain, at: ctx.now.at, by: ctx.by } as Event;
  return { ...emptyPlan, events: [event], origin: originOf(ctx) };
}

/** `“Review · Order history” (i12-3)` */
export function named({
  title,
  interaction,
}: Pick<OpenCard, 'title'> & { readonly interaction: Pick<Interaction, 'id'> }): string {
  return `“${oneLine(title, 80)}” (${interaction.id})`;
}
