// A running attempt's activity in its worker's words: not evidence, not stored.
import type { Interaction } from '../../engine/index.js';
import type { Progress } from '../../jobs/index.js';

export interface Activity {
  readonly at: number;
  readonly line: string;
  readonly action: string;
  readonly text: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: number | null;
  /** Excludes sleep. */
  readonly silentMs: number;
}

const maxChars = 300;

export function noActivity(at: number): Activity {
  return { at, line: '', action: '', text: '', tokensIn: 0, tokensOut: 0, costUsd: null, silentMs: 0 };
}

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

const actions = { check: 'running the check', tests: 'running the tests' } as const;

function usageOf({ costUsd, tokensIn, tokensOut }: Extract<Progress, { type: 'usage' }>) {
  return { costUsd, tokensIn, tokensOut };
}

/** The attempt that waits for this answer. */
export function awaitedBy({ subject, state }: Interaction): string | null {
  const isAsked = subject.type === 'agent_question' || subject.type === 'agent_permission';
  return isAsked && state === 'open' ? subject.attempt : null;
}
