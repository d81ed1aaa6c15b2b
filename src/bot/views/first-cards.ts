// At its end a run's first card tells how the work ended: it is the root of a Slack thread.
import type { NoticeContext } from '../../dispatch/index.js';
import type { NewMessage, View } from '../../store/index.js';
import { copiesOf } from './card-copies.js';
import { endingLine } from './cards.js';
import { lines } from './view.js';
import { progressKey } from './work/card-keys.js';
import { endedFacts, endedTitle } from './work/ended.js';

/** The proposal, and the first progress message where a chat does not show it. */
export function endedFirstCards(told: NoticeContext, note: string): readonly NewMessage[] {
  const { cards, followers, state } = told;
  const proposal = cards.proposal();
  const copies = (proposal === null ? [] : copiesOf(proposal, told)).flatMap(
    ({ thread, card }) => (card !== null && cards.cardIn(thread, card)) || [],
  );
  const others = followers.filter((one) => cards.isInChat(one) && !copies.some(({ thread }) => thread === one));
  const begun = others.flatMap((thread) => cards.cardIn(thread, progressKey(state.run, 0)) ?? []);
  return [
    ...copies.map((shown) => ended(shown, shown.view.settled ?? shown.view.text, told, note)),
    ...begun.map((shown) => ended(shown, shown.view.text.split('\n').slice(0, 2).join('\n'), told, note)),
  ];
}

function ended(shown: NewMessage, before: string, { state, event, cards }: NoticeContext, note: string): NewMessage {
  const [, place = '', ...rest] = before.split('\n');
  const started = rest.map((line) => (line.startsWith('by ') ? `Started ${line}` : line));
  const { mentions: _, menu: __, settled: ___, ...view } = shown.view;
  const text = lines(endedTitle(state), place, ...started, endingLine(cards.ending()), endedFacts(state, note));
  const card: View = { ...view, rings: false, buttons: [], offers: [], text };
  return { ...shown, at: event.at, view: card };
}
