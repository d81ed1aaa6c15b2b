// A card has copies in several threads; each change updates all.

import { homeOwner, nameInConfig } from '../../config/index.js';
import type { NoticeContext, ProjectAudience } from '../../dispatch/index.js';
import { type Interaction, isSnoozedBy, type Notice } from '../../engine/index.js';
import type { Message, NewMessage, View } from '../../store/index.js';
import { outcomeLine, settledCard, withEnding } from './cards.js';
import { noticeView } from './notices.js';
import { type Addressing, ableMembers, addressed, awaitedPeople, chatOfRun, privatelyAsked } from './people/awaited.js';
import { isReplacedByEnd } from './people/end-places.js';
import { escalatedLine, handedCard } from './recalls.js';
import { lines, oneLine, personName } from './view.js';
import { cardOfInteraction, endCardIn, reminderCard } from './work/card-keys.js';
import { ordinal, titleOf } from './work/card-text.js';
import { usualLine, withLine } from './work/usual.js';

type CardNotice = Extract<Notice, { readonly interaction: Interaction }>;

export function isAboutCard(notice: Notice): notice is CardNotice {
  return 'interaction' in notice;
}

export function cardMessages(notice: CardNotice, told: NoticeContext): readonly NewMessage[] {
  const { interaction } = notice;
  const audience = told.audience?.() ?? null;
  const shown = noticeView(notice, told.state, told.event.at, { audience })?.view;
  if (shown === undefined) return [];
  if (notice.type === 'escalated') return escalation(notice, told, shown);
  if (notice.type === 'snooze_over') return wokenCards(notice, told, shown);
  // Quiet hours: no ring.
  const rings = audience?.questionsRing !== false;
  const addressing = audience && {
    ...{ audience, rings, causedBy: causedBy(told) },
    people: awaitedPeople(interaction, told.state.run, audience),
    ...(interaction.handed && { from: interaction.handed.by }),
  };
  if (notice.type === 'asked') {
    const isProposal = interaction.subject.type === 'proposal';
    const more = isProposal ? lines(aheadLine(told), usualLine(told.pastRuns?.() ?? [])) : '';
    const card = withLine(rings ? shown : { ...shown, rings: false }, more);
    const own = addressing === null ? [] : privatelyAsked(told.followers, addressing);
    const places = [...new Set([...told.followers, ...own])].map((thread) => ({
      thread,
      card: cardKey(interaction, thread, told),
    }));
    return cardsFor(places, card, interaction, told, addressing).map((one) =>
      answersAtOnce(interaction, one.thread, told) ? { ...one, view: { ...one.view, rings: false } } : one,
    );
  }
  if (notice.type === 'nudged') return nudgedCards(interaction, told, shown, addressing);
  if (notice.type === 'reminded') {
    const awake = addressing && {
      ...addressing,
      people: addressing.people.filter((one) => !isSnoozedBy(interaction, one)),
    };
    return cardsFor(placesAgain(interaction, told), shown, interaction, told, awake);
  }
  if (notice.type === 'decided') return decidedCards(interaction, told, shown);
  const cards = cardsFor(copiesOf(interaction, told), shown, interaction, told, addressing);
  return notice.type === 'handed' ? [...cards, ...handedCards(interaction, told, addressing)] : cards;
}

/** A card that closed without an answer is no news in a chat that never had it. */
function decidedCards(interaction: Interaction, told: NoticeContext, shown: View): readonly NewMessage[] {
  const copies = copiesOf(interaction, told);
  const places = interaction.answer === null ? copies.filter((one) => shows(told, one)) : copies;
  const cards = cardsFor(places, withCause(shown, interaction, told), interaction, told, null).map((one) =>
    isReplacedByEnd(interaction, one.thread, told) ? { ...one, view: { ...one.view, isSpent: true as const } } : one,
  );
  return [...cards, ...spent(interaction, told, { places, shown })];
}

/** Notifies the receiver, in the card's chat or their own. */
function handedCards(interaction: Interaction, told: NoticeContext, addressing: Addressing | null) {
  const { handed } = interaction;
  if (handed === undefined || addressing === null) return [];
  const shown = handedCard(interaction, told.state, addressing.audience);
  const card = `${interaction.id}:for-${handed.at}`;
  const places = placesOf(handed.to, told, addressing.audience).map((thread) => ({ thread, card }));
  return cardsFor(places, { ...shown, rings: addressing.rings }, interaction, told, addressing);
}

/** One message for each awaited person, except the one who reminds. */
function nudgedCards(
  interaction: Interaction,
  told: NoticeContext,
  shown: View,
  addressing: Addressing | null,
): readonly NewMessage[] {
  if (addressing === null) return [];
  const by = interaction.nudged?.by ?? '';
  const people = addressing.people.filter((one) => nameInConfig(one) !== nameInConfig(by));
  const threads = new Set(people.flatMap((person) => placesOf(person, told, addressing.audience)));
  const card = `${interaction.id}:nudge-${told.event.at}`;
  const places = [...threads].map((thread) => ({ thread, card }));
  return cardsFor(places, { ...shown, rings: addressing.rings }, interaction, told, { ...addressing, people });
}

/** Reminds people who snoozed it, if it still waits for them. */
function wokenCards(
  { interaction, people }: Extract<CardNotice, { type: 'snooze_over' }>,
  told: NoticeContext,
  shown: View,
): readonly NewMessage[] {
  const audience = told.audience?.() ?? null;
  if (audience === null) return [];
  const { run } = told.state;
  const { handed } = interaction;
  const isTheirs = (person: string) =>
    (handed === undefined || handed.to === nameInConfig(person)) &&
    (person === homeOwner || ableMembers(interaction, run, audience).some(({ name }) => name === nameInConfig(person)));
  return people.filter(isTheirs).flatMap((person) => {
    const addressing = { ...{ audience, causedBy: null, rings: audience.questionsRing }, people: [person] };
    const places = placesOf(person, told, audience).map((thread) => ({
      thread,
      card: `${interaction.id}:woken-${told.event.at}`,
    }));
    return cardsFor(places, { ...shown, rings: addressing.rings }, interaction, told, addressing);
  });
}

/** A chat in which the person reads the run, else their own; the owner reads terminal and page. */
function placesOf(person: string, { followers }: NoticeContext, audience: ProjectAudience): readonly string[] {
  if (person === homeOwner) return followers.filter((thread) => !audience.isCarried(thread));
  const here = chatOfRun(person, followers, audience);
  return here === null ? audience.threadsOf(nameInConfig(person)).slice(0, 1) : [here];
}

/** True: all its readers have snoozed the card. */
function isSilenced({ snoozes = [] }: Interaction, thread: string, audience: ProjectAudience | null): boolean {
  return snoozes.some(({ by }) =>
    by === homeOwner ? audience?.isCarried(thread) === false : audience?.threadsOf(by).includes(thread) === true,
  );
}

/** A waiting task's settled proposal, with its present words. */
export function editedTaskCards(told: NoticeContext): readonly NewMessage[] {
  const proposal = told.cards.newestSettled();
  if (proposal?.subject.type !== 'proposal') return [];
  return cardsFor(copiesOf(proposal, told), settledCard(proposal, told.state), proposal, told, null);
}

/** The task's place in the queue, and the run ahead of it. */
function aheadLine({ ahead }: NoticeContext): string {
  const { live = null, waiting = 0 } = ahead?.() ?? {};
  if (live === null) return '';
  return `Its place in the queue: ${ordinal(waiting + 1)}. Now: “${titleOf(live.task.split('\n', 1)[0] ?? '')}”.`;
}

/** Names the words that closed a card without a button or reply. */
function withCause(shown: View, { answer, state }: Interaction, { event }: NoticeContext): View {
  if (answer !== null || state !== 'superseded' || !('by' in event)) return shown;
  const said = event.type === 'answered' ? causesOfAnswers[event.option] : causes[event.type];
  if (said === undefined) return shown;
  const words = 'reason' in event && event.reason ? `: “${oneLine(event.reason, 300)}”` : '';
  return { ...shown, text: lines(shown.text, `${said} ${personName(nameInConfig(event.by))}${words}`) };
}

const causes: Readonly<Partial<Record<NoticeContext['event']['type'], string>>> = {
  start: 'Started by',
  continue: 'Continued by',
  retry: 'Tried again by',
  skip: 'Skipped by',
  skip_item: 'Skipped by',
  rollback: 'Rolled back by',
  abort: 'Aborted by',
  dequeue: 'Taken out of the queue by',
};

const causesOfAnswers: Readonly<Record<string, string>> = { abort: 'Aborted by', skip: 'Skipped by' };

/** The asker looks at this chat: no ring. */
function answersAtOnce({ subject }: Interaction, thread: string, { origin, audience }: NoticeContext): boolean {
  return asked.has(subject.type) && origin?.thread === thread && audience?.()?.isCarried(thread) === true;
}

const asked: ReadonlySet<string> = new Set<Interaction['subject']['type']>([
  ...(['proposal', 'takeover', 'position', 'dirty', 'abort', 'skip_approval'] as const),
  ...(['give_up', 'rollback_target', 'reject_reason'] as const),
]);

/** `addressing` null: names no one. */
function cardsFor(
  places: readonly CardPlacement[],
  shown: View,
  interaction: Interaction,
  told: NoticeContext,
  addressing: Addressing | null,
): readonly NewMessage[] {
  const { cards } = told;
  const beside = places.map(({ thread }) => thread);
  return places.map((place) => {
    const isOnEnd = interaction.subject.type === 'leftovers' && cards.isInChat(place.thread);
    const own = isOnEnd ? withEnding(shown, cards.ending()) : shown;
    return message(
      told,
      interaction,
      place,
      addressing === null ? own : addressed(own, place.thread, { ...addressing, beside }),
    );
  });
}

function causedBy({ event, origin }: NoticeContext): string | null {
  return origin?.by ?? ('by' in event ? event.by : null);
}

/** Other messages with the card's buttons: repeats, and questions about unclear words. */
function spent(
  interaction: Interaction,
  told: NoticeContext,
  { places, shown }: { readonly places: readonly CardPlacement[]; readonly shown: View },
): readonly NewMessage[] {
  return (told.asking?.(interaction.id) ?? []).flatMap((one) => {
    const place = { thread: one.thread, card: one.card ?? one.edits ?? one.id };
    const isCard = places.some(({ thread, card }) => thread === place.thread && card === place.card);
    if (isCard) return [];
    const isCopy = one.view.buttons.some(({ press }) => press.startsWith(`${interaction.id}.`));
    const view = isCopy ? { ...shown, rings: false } : answered(one, interaction);
    return [message(told, interaction, place, view)];
  });
}

/** Appends the outcome and drops the buttons. */
function answered({ view, card }: Message, interaction: Interaction): View {
  const text = `${view.text}\n${outcomeLine(interaction)}`;
  const isPrompt = card?.startsWith('text:') === true;
  return { ...view, text, buttons: [], offers: [], rings: false, ...(isPrompt && { isSpent: true as const }) };
}

export interface CardPlacement {
  readonly thread: string;
  readonly card: string | null;
}

/** Stand-ins get the card itself; other followers a line about it. */
function escalation({ interaction, to }: Extract<CardNotice, { type: 'escalated' }>, told: NoticeContext, shown: View) {
  const { state, event, followers } = told;
  const audience = told.audience?.() ?? null;
  const awake = to.filter((person) => !isSnoozedBy(interaction, person));
  const reached = awake.map((person) => ({ person, threads: audience?.threadsOf(person) ?? [] }));
  const own = [...new Set(reached.flatMap(({ threads }) => threads))];
  const line = escalatedLine(interaction, state, event.at, reached);
  return [
    ...own.map((thread) => {
      const card = shows(told, { thread, card: interaction.id }) ? standInCard(interaction) : interaction.id;
      return message(told, interaction, { thread, card }, shown);
    }),
    ...followers
      .filter((thread) => !own.includes(thread))
      .map((thread) => message(told, interaction, { thread, card: null }, line)),
  ];
}

/** A new message, because edits do not ring. */
function placesAgain(interaction: Interaction, told: NoticeContext): readonly CardPlacement[] {
  const card = reminderCard(interaction, interaction.reminded?.count ?? 1);
  const threads = new Set([...told.followers, ...ownThreads(interaction, told), ...standInThreads(interaction, told)]);
  const audience = told.audience?.() ?? null;
  return [...threads].filter((one) => !isSilenced(interaction, one, audience)).map((thread) => ({ thread, card }));
}

/** Followers get a copy in any case. */
export function copiesOf(interaction: Interaction, told: NoticeContext): readonly CardPlacement[] {
  const { reminded, escalatedAt } = interaction;
  const reminders = Array.from({ length: reminded?.count ?? 0 }, (_, index) => reminderCard(interaction, index + 1));
  const later = [...reminders, ...(escalatedAt === undefined ? [] : [standInCard(interaction)])];
  const threads = new Set([...told.followers, ...ownThreads(interaction, told), ...standInThreads(interaction, told)]);
  const places = [...threads].flatMap((thread) => {
    const id = cardKey(interaction, thread, told);
    return [id, ...later]
      .map((card) => ({ thread, card }))
      .filter((place) => (place.card === id && told.followers.includes(thread)) || shows(told, place));
  });
  return [...places, ...personalCopies(interaction, told)];
}

/** Copies of one person, who got the card by hand-over or by a reminder, or snoozed it. */
function personalCopies({ id }: Interaction, told: NoticeContext): readonly CardPlacement[] {
  const asking = told.asking?.(id) ?? [];
  return asking.filter(({ card }) => personal.test(card ?? '')).map(({ thread, card }) => ({ thread, card }));
}

const personal = /^i[\w-]+:(?:for|woken|nudge)-/;

function shows(told: NoticeContext, { thread, card }: CardPlacement): boolean {
  return card !== null && told.cards.cardIn(thread, card) !== null;
}

function ownThreads(interaction: Interaction, told: NoticeContext): readonly string[] {
  const audience = told.audience?.() ?? null;
  const own = audience?.members.flatMap(({ name }) => audience.threadsOf(name)) ?? [];
  return own.filter((thread) => shows(told, { thread, card: cardKey(interaction, thread, told) }));
}

/** Left-over files are asked about on the message that tells of the end. */
function cardKey(interaction: Interaction, thread: string, { state, cards }: NoticeContext): string {
  return interaction.subject.type === 'leftovers'
    ? endCardIn(thread, state.run, cards)
    : cardOfInteraction(interaction);
}

function standInThreads({ approvals, escalatedAt }: Interaction, told: NoticeContext): readonly string[] {
  if (escalatedAt === undefined) return [];
  const audience = told.audience?.() ?? null;
  return (approvals?.escalateTo ?? []).flatMap((person) => audience?.threadsOf(person) ?? []);
}

function standInCard({ id }: Interaction): string {
  return `${id}:stand-in`;
}

function message(told: NoticeContext, { id }: Interaction, { thread, card }: CardPlacement, view: View): NewMessage {
  return { thread, run: told.state.run.id, interaction: id, card, view, at: told.event.at };
}
