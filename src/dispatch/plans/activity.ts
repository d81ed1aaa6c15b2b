// The latest activity of a running attempt, as its worker reports it. It is no evidence and is not stored.
import type { Interaction } from '../../engine/index.js';
import type { Progress } from '../../jobs/index.js';

export interface Activity {
  readonly at: number;
  readonly line: string;
  /** What the agent is doing, in few words; empty if not reported. */
  readonly action: string;
  readonly text: string;
  /** Totals so far. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: number | null;
  /** Time since the last heartbeat, without the time that the machine slept. */
  readonly silentMs: number;
}

const maxChars = 300;

export function noActivity(at: number): Activity {
  return { at, line: '', action: '', text: '', tokensIn: 0, tokensOut: 0, costUsd: null, silentMs: 0 };
}

/** null: the progress is not activity of the worker. */
export function activityAfter(progress: Progress, before: Activity, at: number): Activity | null {
  const now = { ...before, at, silentMs: 0 };
  switch (progress.type) {
    case 'output':
      return { ...now, line: progress.line.slice(0, maxChars) };
    case 'action':
      return { ...now, action: progress.text.slice(0, maxChars) };
    case 'text':
      return { ...now, text: progress.text.slice(0, maxChars) };
    case 'phase':
      return progress.phase === 'agent' ? now : { ...now, action: actions[progress.phase] };
    case 'usage':
      return { ...now, ...usageOf(progress) };
    case 'started':
      return now;
    case 'expiring':
      return null;
  }
}

/** Names of the phases after the agent has ended. */
const actions = { check: 'running the check', tests: 'running the tests' } as const;

function usageOf({ costUsd, tokensIn, tokensOut }: Extract<Progress, { type: 'usage' }>) {
  return { costUsd, tokensIn, tokensOut };
}

/** The attempt that waits for this interaction's answer. */
export function awaitedBy({ subject, state }: Interaction): string | null {
  const isAsked = subject.type === 'agent_question' || subject.type === 'agent_permission';
  return isAsked && state === 'open' ? subject.attempt : null;
}
