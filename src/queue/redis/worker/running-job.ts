// A job that a worker has taken: its handler once that runs, the question whether it may, and what Bosun says of it.
import type { Hold } from '../../claimed-job.js';
import type { Answer, Down } from '../protocol/messages.js';
import type { AfarLine } from '../protocol/remote-line.js';

export interface Taken {
  readonly held: Hold;
  /** Null: the home's disk is here. */
  readonly line: AfarLine | null;
  /** Null: nothing is asked. */
  answer: ((answer: Answer) => void) | null;
  extendedMs: number;
  runs: boolean;
}

export function taken(held: Hold, line: AfarLine | null): Taken {
  return { held, line, answer: null, extendedMs: 0, runs: false };
}

export function hearOf(one: Taken, down: Down): void {
  if (down.type === 'answer') one.answer?.(down.answer);
  else if (down.type === 'lose') one.held.lose();
  else if (down.type === 'wants') obey(one, down);
  else one.line?.hear(down);
}

/** All that is wanted is said each time, so that it may be said twice. */
function obey(one: Taken, { isCancelled, extendedMs, isWaiting }: Extract<Down, { type: 'wants' }>): void {
  const byMs = extendedMs - one.extendedMs;
  if (byMs > 0) {
    one.extendedMs = extendedMs;
    one.held.extend(byMs);
  }
  one.held.wait(isWaiting);
  if (isCancelled) one.held.abort('cancel');
}
