// Wait and report after a failed poll.
import { GrammyError } from 'grammy';
import { backOffMs } from '../../../delivery/index.js';
import { whyOf } from '../client.js';

export type PollFailure =
  | { readonly kind: 'stop'; readonly problem: string }
  | { readonly kind: 'wait'; readonly ms: number; readonly problem: string }
  /** Polling works only without a webhook. */
  | { readonly kind: 'webhook'; readonly ms: number; readonly problem: string };

/** A replaced process needs time to end. */
const rivalWaitMs = 5_000;
const unsaidRetryS = 5;

/** `failures`: consecutive; `random`: 0 to 1. */
export function troubleOf(error: unknown, failures: number, random: number): PollFailure {
  if (!(error instanceof GrammyError)) {
    return {
      kind: 'wait',
      ms: backOffMs(failures, () => random),
      problem: `Telegram cannot be reached: ${whyOf(error)}`,
    };
  }
  switch (error.error_code) {
    case 401:
      return {
        kind: 'stop',
        problem: 'Telegram refuses the bot’s token: set channels.telegram.token anew ("bosun init telegram")',
      };
    case 409:
      return conflict(error.description, failures, random);
    case 429:
      return {
        kind: 'wait',
        ms: (error.parameters.retry_after ?? unsaidRetryS) * 1000,
        problem: 'Telegram says to wait: too many calls',
      };
    default:
      return { kind: 'wait', ms: backOffMs(failures, () => random), problem: `Telegram answers ${whyOf(error)}` };
  }
}

function conflict(description: string, failures: number, random: number): PollFailure {
  if (/webhook/i.test(description)) {
    const problem = 'a webhook is set for this bot; it is removed, because Bosun asks for what is new by itself';
    return { kind: 'webhook', ms: backOffMs(failures, () => random), problem };
  }
  const problem =
    'another process polls with this token: messages may go to either. End it, or give it a bot of its own';
  return {
    kind: 'wait',
    ms: Math.max(
      rivalWaitMs,
      backOffMs(failures, () => random),
    ),
    problem,
  };
}
