import { nameInConfig } from '../../config/index.js';
import type { NoticeContext, Presenter, RunCards } from '../../dispatch/index.js';
import type { Reply, Run } from '../../engine/index.js';
import type { NewMessage, View } from '../../store/index.js';
import { cardMessages, editedTaskCards, isAboutCard } from './card-copies.js';
import { withEnding } from './cards.js';
import { endedFirstCards } from './first-cards.js';
import { abortHeardShown, noticeView } from './notices.js';
import { calling, endPlaces } from './people/end-places.js';
import { replyViews } from './replies.js';
import { clean, clock, lines, personName, span, view } from './view.js';
import { abortCard, endCardIn } from './work/card-keys.js';
import { titleOf } from './work/card-text.js';
import { isLastOfRun } from './work/done-story.js';
import { progressMessages } from './work/live-lines.js';
import { stallCard, stallView, workingView } from './working.js';

export const present: Presenter = {
  notice(notice, told) {
    if (isAboutCard(notice)) return cardMessages(notice, told).map((one) => withPage(one, told));
    if (notice.type === 'task_edited') return editedTaskCards(told);
    const workers = notice.type === 'ended' ? (told.workersAtWork?.() ?? []) : [];
    const shown = noticeView(notice, told.state, told.event.at, { workers, session: told.session });
    if (!shown) return [];
    const { state, followers, cards } = told;
    if (shown.live !== undefined)
      return progressMessages(shown, shown.live, { state, followers, cards, at: told.event.at });
    const isResult = notice.type === 'ended' || notice.type === 'item_done' || notice.type === 'item_failed';
    const isHeld = shown.view.rings && told.audience?.()?.isQuiet === true;
    const held = isHeld ? { ...shown.view, rings: false } : shown.view;
    // The run's last card lists it.
    const isRepeated = notice.type === 'item_done' && isLastOfRun(notice.item, told.state);
    const isElsewhere = (thread: string) => notice.type !== 'approval_skipped' || !isAlone(thread, told);
    const places = (isRepeated ? told.followers.filter((one) => !told.cards.isInChat(one)) : told.followers).filter(
      isElsewhere,
    );
    const ends =
      notice.type === 'ended' ? endPlaces(told) : places.map((thread) => ({ thread, how: 'tells' }) as const);
    const messages = ends.map(({ thread, how }) => {
      const own = how === 'silent' ? { ...held, rings: false } : how === 'calls' ? calling(held, thread, told) : held;
      return onEndCard(message(thread, told, own, shown.card, shown.interaction), told.cards, state.run);
    });
    if (!isResult) return messages;
    const first = notice.type === 'ended' ? endedFirstCards(told, notice.note ?? '') : [];
    return [...messages, ...first].map((one) => withPage(one, told));
  },
  reply(reply, told) {
    const { origin } = told;
    if (!origin || isSaidByCard(reply, told)) return [];
    // A reply to a repeated card answers the interaction.
    const ids = reply.type === 'shown' ? reply.interactions.map((one) => one.id) : [];
    if (reply.type === 'needs_text') ids.push(reply.interaction.id);
    // A reply is the missing text.
    const card =
      reply.type === 'needs_text' ? textCard(reply.interaction.id, reply.option, told.event.at, origin.by) : null;
    const audience = told.audience?.() ?? null;
    const aside = isPersonal(reply) ? (audience?.asideFor(origin.by, origin.thread) ?? null) : null;
    // Every copy shows the vote; a message would tell the group again.
    if (isCounted(reply) && aside === null && audience?.isShared(origin.thread) === true) return [];
    return replyViews(reply, told.state, audience).map((one, index) =>
      message(aside ?? origin.thread, told, one, card, ids[index] ?? null),
    );
  },
  expiring({ row, about, inMs, followers, at }) {
    const { project, chain, work, step } = about;
    const ends = `${step || 'The step'} ends at ${clock(at + inMs)}, in ${span(inMs)}`;
    const text = lines(
      `Time is almost up · ${titleOf(firstLine(work))}`,
      [project, chain, ends].filter((one) => one !== '').join(' · '),
      'It is still working. Without more time this try counts as failed.',
    );
    const shown = { ...view('report', text, [{ label: '+30 min', says: `@extend ${row.attempt.id}` }]), rings: true };
    return followers.map((thread) => ({ thread, run: row.run, interaction: null, card: null, view: shown, at }));
  },
  working({ state, followers, at, cards, lastSign }) {
    const shown = workingView({ state, at, lastSign });
    return progressMessages(shown, shown.live ?? '', { state, followers, cards, at });
  },
  stalled(stall, followers, at) {
    const shown = stallView(stall);
    const card = stallCard(stall);
    return followers.map((thread) => ({ thread, run: stall.run, interaction: null, card, view: shown, at }));
  },
  abortHeard({ state, worker, isLost, followers, cards, at }) {
    // The card also asks about left-over changes.
    if (state.interactions.some((one) => one.state === 'open')) return [];
    const { view: shown, card } = abortHeardShown(state, worker, isLost);
    const about = { run: state.run.id, interaction: null, card, view: shown, at };
    return followers.map((thread) => onEndCard({ ...about, thread }, cards, state.run));
  },
  untaken(lacks, thread, at) {
    const [first] = lacks;
    if (first === undefined) return [];
    const { project, run, words } = first;
    const isOne = lacks.length === 1;
    const text = lines(
      `${project}: ${isOne ? 'a step waits' : `${lacks.length} steps wait`} for ${words.what}: ${words.why}.`,
      `${isOne ? 'It starts' : 'They start'} by ${isOne ? 'itself' : 'themselves'} once there is one: ${words.start}.`,
    );
    const shown = { ...view('report', text), rings: true };
    return [{ thread, run, interaction: null, card: null, view: shown, at }];
  },
  outage(problem, threads, at) {
    const text =
      problem === null
        ? 'Redis is back: work goes on.'
        : `⚠️ ${problem}\nNothing new starts until it is back; nothing is lost.`;
    const shown = { ...view(problem === null ? 'report' : 'error', clean(text)), rings: problem !== null };
    return threads.map((thread) => ({ thread, run: null, interaction: null, card: null, view: shown, at }));
  },
  unwritten(problem, forMs, threads, at) {
    const text = `The database could not be written for ${Math.round(forMs / 1000)} s: ${clean(problem)}\nIt works again. Results waited in memory and are stored now; nothing was done twice.`;
    const shown = view('report', text);
    return threads.map((thread) => ({ thread, run: null, interaction: null, card: null, view: shown, at }));
  },
  nextQueued(next, followers, at) {
    const title = titleOf(firstLine(next.task));
    const text = lines(
      `Next · ${title}`,
      `${next.project} · first in the queue, asked by ${personName(nameInConfig(next.createdBy))}`,
    );
    const offers = [
      { label: 'Start it', says: `@begin ${next.id}` },
      { label: 'Take it out', says: `@unqueue ${next.id}` },
    ];
    const shown = view('report', text, offers);
    const card = `next:${next.id}`;
    return followers.map((thread) => ({ thread, run: next.id, interaction: null, card, view: shown, at }));
  },
  broken({ run, project, task, followers, error, at }) {
    const why = clean(error instanceof Error ? error.message : String(error)).slice(0, 500);
    const text = lines(
      `⚠️ Stopped by an error in Bosun · ${task === null ? run : titleOf(firstLine(task))}`,
      [project, 'other work goes on'].filter((one) => one !== null).join(' · '),
      why,
      `"abort${project === null ? '' : ` ${project}`}" ends this task.`,
    );
    return followers.map((thread) => ({
      thread,
      run,
      interaction: null,
      card: null,
      view: { ...view('error', text), rings: true },
      at,
    }));
  },
};

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** An abort becomes one message: its question turns into the end, unless the end must ring. */
function onEndCard(ended: NewMessage, cards: RunCards, run: Pick<Run, 'id'>): NewMessage {
  if (ended.card !== abortCard(run) || !cards.isInChat(ended.thread)) return ended;
  const named = { ...ended, view: withEnding(ended.view, cards.ending()) };
  if (ended.view.rings) return named;
  const card = endCardIn(ended.thread, run, cards);
  return card === ended.card ? ended : { ...named, card };
}

/** The speaker's own chat, where the settled card says so already. */
function isAlone(thread: string, { origin, audience }: NoticeContext): boolean {
  const there = audience?.() ?? null;
  return there !== null && origin?.thread === thread && there.isCarried(thread) && !there.isShared(thread);
}

/** Only for the presser or speaker. */
function isPersonal({ type }: Reply): boolean {
  return type === 'refused' || type === 'voted';
}

/** The answered card says so already, and in a chat the task's own message does. */
function isSaidByCard(reply: Reply, { event, audience, origin }: NoticeContext): boolean {
  const { type } = reply;
  const isInChat = origin !== null && audience?.()?.isCarried(origin.thread) === true;
  if (type === 'started') return isInChat || event.type === 'answered';
  const isQuiet =
    type === 'queued_behind' ||
    type === 'retrying' ||
    type === 'skipped' ||
    (type === 'aborting' && reply.dropped === 0);
  return isQuiet && isInChat && event.type === 'answered';
}

function isCounted(reply: Reply): boolean {
  return reply.type === 'voted' && !reply.isRepeated;
}

/** Links to the run's page, if people can reach it. */
function withPage(message: NewMessage, { state, publicUrl }: NoticeContext): NewMessage {
  if (publicUrl === null) return message;
  const link = { label: 'Page', url: `${publicUrl}/runs/${encodeURIComponent(state.run.id)}` };
  return { ...message, view: { ...message.view, link } };
}

export function textCard(interaction: string, option: string, at: number, by: string): string {
  return `text:${interaction}:${option}:${at}:${by}`;
}

export function optionOfTextCard(card: string | null): string | null {
  return /^text:[^:]+:([^:]+):/.exec(card ?? '')?.[1] ?? null;
}

export interface AwaitedText {
  readonly interaction: string;
  readonly option: string;
  readonly by: string;
}

/** Null: another card, or one of an earlier version, without the person. */
export function awaitedByCard(card: string | null): AwaitedText | null {
  const [, interaction, option, by] = /^text:([^:]+):([^:]+):\d+:(.+)$/.exec(card ?? '') ?? [];
  return interaction === undefined || option === undefined || by === undefined ? null : { interaction, option, by };
}

function message(
  thread: string,
  told: NoticeContext,
  shown: View,
  card: string | null,
  interaction: string | null,
): NewMessage {
  return { thread, run: told.state.run.id, interaction, card, view: shown, at: told.event.at };
}
