// Words after [Answer] or [Request changes] that are no reply.
import { emptyPlan, type Plan } from '../../../dispatch/index.js';
import { awaitedByCard } from '../../views/presenter.js';
import { oneLine, view } from '../../views/view.js';
import { type MessageContext, answer as reply } from '../message-context.js';
import { cardLine, cardOf } from './open-cards.js';

const uses: Readonly<Record<string, string>> = {
  answer: 'answer',
  changes: 'change request',
  retry_note: 'note',
};

const windowMs = 10 * 60_000;
const maxLookedAt = 50;
/** Longer words need a reply, because a button stores its text. */
const maxChars = 4_000;

/** Null: no text was asked for here lately. */
export function offerAwaited(ctx: MessageContext, text: string): Plan | null {
  const said = text.trim();
  if (said === '' || said.length > maxChars) return null;
  const { reader, at } = ctx.now;
  const asked = reader.recent(ctx.thread.id, maxLookedAt).flatMap(({ card, at: askedAt }) => {
    const awaited = awaitedByCard(card);
    return awaited !== null && awaited.by === ctx.by && at - askedAt <= windowMs ? [awaited] : [];
  });
  const found = asked.flatMap(({ interaction: id, option }) => {
    const open = ctx.now.interaction(id);
    const card = open?.interaction.state === 'open' ? cardOf(ctx, open.run, open.interaction) : null;
    return card === null ? [] : [{ card, option }];
  });
  const [newest] = found;
  if (newest === undefined) return null;
  const { card, option } = newest;
  const shown = view(
    'answer',
    `Use “${oneLine(said, 300)}” as your ${uses[option] ?? 'reason'} for ${cardLine(card)}?`,
    [
      { label: 'Use it', says: `@answer ${card.interaction.id} ${option} ${said}` },
      { label: 'No', says: `@other ${said}` },
    ],
  );
  return { ...emptyPlan, messages: [reply(ctx, shown, { interaction: card.interaction.id })] };
}
