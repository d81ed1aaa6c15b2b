import type { ClaimedJob } from '../../claimed-job.js';
import type { HomeMessage, StartAnswer } from '../protocol/messages.js';
import type { AfarLine } from '../protocol/remote-line.js';

export interface RunningJob {
  readonly held: ClaimedJob;
  /** Null: it shares the home's disk. */
  readonly line: AfarLine | null;
  /** Null: no question is pending. */
  answer: ((answer: StartAnswer) => void) | null;
  extendedMs: number;
  runs: boolean;
}

export function taken(held: ClaimedJob, line: AfarLine | null): RunningJob {
  return { held, line, answer: null, extendedMs: 0, runs: false };
}

export function hearOf(one: RunningJob, down: HomeMessage): void {
  // It was taken from BullMQ as well.
  if (down.type === 'grant') one.answer?.('go');
  else if (down.type === 'answer') one.answer?.(down.answer);
  else if (down.type === 'lose') one.held.lose();
  else if (down.type === 'wants') obey(one, down);
  else one.line?.hear(down);
}

/** The full state, so applying it twice is harmless. */
function obey(one: RunningJob, { isCancelled, extendedMs, isWaiting }: Extract<HomeMessage, { type: 'wants' }>): void {
  const byMs = extendedMs - one.extendedMs;
  if (byMs > 0) {
    one.extendedMs = extendedMs;
    one.held.extend(byMs);
  }
  one.held.wait(isWaiting);
  if (isCancelled) one.held.abort('cancel');
}
