// Below the newest settled card; never below an open question.
import type { RunCards } from '../../../dispatch/index.js';
import type { Node, OutcomeKind, Run, State } from '../../../engine/index.js';
import type { NewMessage, View } from '../../../store/index.js';
import { clock, lines, type Offer, oneLine, stepName, testsInWords, view } from '../view.js';
import { begun, calledBy, cardOfInteraction } from './card-keys.js';
import { ordinal, placeOfChain, titleOf } from './card-text.js';

export interface Progress {
  readonly state: State;
  readonly followers: readonly string[];
  readonly cards: RunCards;
  readonly at: number;
}

export function progressMessages(
  { liveCard, ...own }: Pick<NewMessage, 'view' | 'card'> & { readonly liveCard?: string },
  live: string,
  { state, followers, cards, at }: Progress,
): readonly NewMessage[] {
  const { run, chain } = state;
  const ownCard = liveCard ?? own.card;
  const settled = ownCard?.endsWith(`:${chain.key}`) === true ? null : cards.newestSettled();
  const card = settled && cardOfInteraction(settled);
  const offers = run.live.length > 0 ? offersOf(run) : [];
  const about = { run: run.id, at };
  return followers.map((thread) => {
    if (!cards.isInChat(thread)) return { ...about, ...own, thread, interaction: null };
    const shown = card === null ? null : cards.cardIn(thread, card);
    if (shown === null || card === null) {
      const text = lines(`Working · ${titleOf(run.task.split('\n', 1)[0] ?? '')}`, placeOfChain(state), live);
      return { ...about, thread, interaction: null, card: ownCard, view: view('progress', text, offers) };
    }
    const { mentions: _, menu: __, ...rest } = withoutOffers(shown.view, offersOf(run));
    const before = begun(rest.settled ?? rest.text);
    const below = { ...withOffers(rest, offers), rings: false, settled: before, text: lines(before, live) };
    return { ...about, thread, interaction: shown.interaction, card, view: below };
  });
}

/** Only while a step runs or is about to. */
function offersOf(run: Pick<Run, 'id' | 'project' | 'beside'>): readonly Offer[] {
  const { id } = run;
  return [
    { label: 'Stop', says: `stop ${calledBy(run)}` },
    { label: 'Log so far', says: `@log ${id}` },
  ];
}

function withOffers(shown: View, offers: readonly Offer[]): View {
  const buttons = offers.map(({ label }, index) => ({ label, press: `.${shown.offers.length + index}` }));
  return {
    ...shown,
    buttons: [...shown.buttons, ...buttons],
    offers: [...shown.offers, ...offers.map(({ says }) => says)],
  };
}

/** Restores the card's earlier buttons. */
function withoutOffers(shown: View, offers: readonly Offer[]): View {
  const isAdded = (says: string) => offers.some((one) => one.says === says);
  const first = shown.offers.findIndex(isAdded);
  if (first < 0) return shown;
  const isKept = ({ press }: View['buttons'][number]) => !press.startsWith('.') || Number(press.slice(1)) < first;
  return { ...shown, buttons: shown.buttons.filter(isKept), offers: shown.offers.slice(0, first) };
}

/** `▶ Implementation, 2nd try of 5 · running npm test · 4 min`. */
export function liveLine(node: Node, tries: number, doing: readonly string[]): string {
  return [`▶ ${stepName(node)}${nthTry(node.attempt, tries)}`, ...doing].filter((one) => one !== '').join(' · ');
}

export function queuedLine(node: Node, at: number): string {
  const notBefore = node.live?.notBefore ?? 0;
  const reason = node.last?.reason ? `: ${spacedReason(node.last.reason)}` : '';
  return `▶ ${stepName(node)}${nthTry(node.attempt, node.attempt)} · ${notBefore > at ? `retries at ${clock(notBefore)}${reason}` : 'about to start'}`;
}

export function endedLine(node: Node, outcome: OutcomeKind, decision: string, leads: string): string {
  const { last } = node;
  const tests = testsInWords(last?.tests ?? null);
  const isPassed = outcome === 'pass';
  const how = decision !== '' ? `decided ${decision}` : isPassed ? '' : outcomes[outcome];
  const why = isPassed || tests !== '' ? '' : oneLine(last?.summary ?? '', 200);
  return [`${isPassed ? '✓' : '✗'} ${stepName(node)}${how === '' ? '' : ` ${how}`}`, tests, why, leads]
    .filter((one) => one !== '')
    .join(' · ');
}

/** The failure of the attempt before the running one. */
export function lastTry({ last }: Node): string {
  if (!last || last.outcome === 'pass' || last.outcome === 'cancelled') return '';
  const why = testsInWords(last.tests) || oneLine(last.summary ?? '', 200);
  return why === '' ? '' : `Last try: ${why}`;
}

const outcomes: Readonly<Record<Exclude<OutcomeKind, 'pass'>, string>> = {
  failing: 'failed',
  timeout: 'timed out',
  crashed: 'crashed',
  needs_human: 'asks',
  cancelled: 'stopped',
};

export function nthTry(attempt: number, tries: number): string {
  if (attempt < 2) return '';
  return `, ${ordinal(attempt)} try${tries > attempt ? ` of ${tries}` : ''}`;
}

function spacedReason(reason: string): string {
  return reason.replaceAll('_', ' ').slice(0, 60);
}
