// The end of a run notifies the person who asked for it once, in one place.
import { nameInConfig } from '../../../config/index.js';
import type { NoticeContext, ProjectAudience } from '../../../dispatch/index.js';
import type { Interaction } from '../../../engine/index.js';
import type { View } from '../../../store/index.js';
import { addressed, chatOfRun } from './awaited.js';

export interface EndPlace {
  readonly thread: string;
  /** `calls`: the requester, by name in a shared chat. `tells`: as the notice is. */
  readonly how: 'calls' | 'tells' | 'silent';
}

const watchedMs = 120_000;

/** The chats that follow the run, and the requester's own if they read none of those. */
export function endPlaces(told: NoticeContext): readonly EndPlace[] {
  const { followers } = told;
  const audience = told.audience?.() ?? null;
  const called = audience === null ? null : calledPlace(told, audience);
  const threads = called === null || followers.includes(called) ? followers : [...followers, called];
  return threads.map((thread) => {
    if (audience?.isCarried(thread) !== true) return { thread, how: 'tells' };
    if (isWatched(told) || isAnswered(thread, told)) return { thread, how: 'silent' };
    if (called === null) return { thread, how: 'tells' };
    return { thread, how: thread === called ? 'calls' : 'silent' };
  });
}

/** Null: no chat reaches the requester, or they decided a moment ago. */
function calledPlace(told: NoticeContext, audience: ProjectAudience): string | null {
  if (isWatched(told)) return null;
  const person = nameInConfig(told.state.run.createdBy);
  const here = chatOfRun(person, told.followers, audience);
  return here ?? (audience.asksPrivately ? (audience.threadsOf(person)[0] ?? null) : null);
}

export function calling(shown: View, thread: string, told: NoticeContext): View {
  const audience = told.audience?.() ?? null;
  if (audience === null || !shown.rings) return shown;
  const people = [nameInConfig(told.state.run.createdBy)];
  return addressed(shown, thread, { people, audience, causedBy: null, rings: true });
}

/** The requester's own chat gets the end as a new message, which notifies, instead of the answered question. */
export function isReplacedByEnd({ subject, answer }: Interaction, thread: string, told: NoticeContext): boolean {
  const audience = told.audience?.() ?? null;
  if (audience === null || audience.isQuiet || subject.type !== 'abort' || answer?.option !== 'abort') return false;
  return !audience.isShared(thread) && told.origin?.thread !== thread && calledPlace(told, audience) === thread;
}

/** The requester decided a moment ago: no notification. */
function isWatched({ state, event, lastAnswer }: NoticeContext): boolean {
  const last = lastAnswer?.() ?? null;
  return last !== null && last.by === state.run.createdBy && event.at - last.at < watchedMs;
}

/** An abort in this chat, which the requester does not read. */
function isAnswered(thread: string, { state, origin, audience }: NoticeContext): boolean {
  const there = audience?.() ?? null;
  if (state.run.status !== 'cancelled' || origin?.thread !== thread || there === null) return false;
  return !there.isShared(thread) || there.accountIn(nameInConfig(state.run.createdBy), thread) === null;
}
