// Cards that the sender may decide, oldest first, with a button each.
import type { Plan } from '../../../dispatch/index.js';
import type { Attention } from '../../views/people/awaited.js';
import { clockFrom, lines, span, view } from '../../views/view.js';
import { type MessageContext, say } from '../message-context.js';
import { failedText } from '../reading/failed-deliveries.js';
import { attentionHere } from '../reading/state-now.js';
import { cardLine, cardOf, type OpenCard, showOffers } from '../unclear/open-cards.js';

const maxShown = 6;
const maxAttended = 3;

export function inboxPlan(ctx: MessageContext): Plan {
  const listed = ctx.now.reader
    .openInteractions(null)
    .flatMap(({ run: id, interaction }) => {
      const run = ctx.now.reader.run(id);
      const card = run && cardOf(ctx, id, interaction);
      return run && card ? [{ card, attention: attentionHere(ctx, run, interaction) }] : [];
    })
    .sort((a, b) => a.card.interaction.openedAt - b.card.interaction.openedAt);
  const cardsOf = (wanted: Attention) => listed.flatMap(({ card, attention }) => (attention === wanted ? [card] : []));
  const open = cardsOf('theirs');
  const snoozed = cardsOf('snoozed');
  const others = listed.length - open.length - snoozed.length;
  const rest = [
    ...snoozed.map((card) => snoozedLine(ctx, card)),
    others > 0 && `${others} ${others === 1 ? 'card waits' : 'cards wait'} for others.`,
    failedText(ctx),
  ];
  const wakes = snoozed
    .slice(0, maxAttended)
    .map(({ interaction: { id } }) => ({ label: `Wake ${id}`, says: `wake ${id}` }));
  if (open.length === 0) return say(ctx, view('answer', lines('Nothing needs you.', ...rest), wakes));
  const head = `Needs you · ${open.length}${open.length > 1 ? ', oldest first' : ''}`;
  const rows = open.map((card, index) => {
    const since = span(Math.max(0, ctx.now.at - card.interaction.openedAt));
    return `${index + 1}. ${cardLine(card)}\n${card.place} · ${since}`;
  });
  const snoozes = open
    .slice(0, maxAttended)
    .map(({ interaction: { id } }) => ({ label: `Snooze ${id} 1 h`, says: `snooze ${id} 1h` }));
  const offers = [...showOffers(open.slice(0, maxShown)), ...snoozes, ...wakes];
  return say(ctx, view('answer', lines(head, ...rows, ...rest), offers));
}

function snoozedLine({ by, now }: MessageContext, card: OpenCard): string {
  const until = card.interaction.snoozes?.find((one) => one.by === by)?.until ?? now.at;
  return `Snoozed until ${clockFrom(until, now.at)}: ${cardLine(card)}`;
}
