// Requests of a remote worker. Each repeats until answered, because Bosun may restart meanwhile.
import { randomBytes } from 'node:crypto';
import type { QueueClock } from '../../../base/index.js';
import { BosunError } from '../../../base/index.js';
import type { AgentReply, BosunConnection, CheckoutBundle } from '../../../jobs/index.js';
import { type AskedAgain, askWithRetry } from './ask-with-retry.js';
import { type HomeMessage, maxCallChars, type WorkerMessage } from './messages.js';

export interface AfarLine extends BosunConnection {
  hear(down: Extract<HomeMessage, { type: 'freight' | 'reply' }>): void;
}

export interface AfarLineOptions {
  readonly id: string;
  readonly clock: QueueClock;
  readonly signal: AbortSignal;
  readonly say: (up: WorkerMessage) => void;
}

const againMs = 10_000;
const longestFetchMs = 3_600_000;
const longestCallMs = 60_000;
const mostCalls = 100;

export function afarLine({ id, clock, signal, say }: AfarLineOptions): AfarLine {
  const calls = new Map<string, AskedAgain<AgentReply>>();
  let fetching: AskedAgain<CheckoutBundle> | null = null;

  return {
    async fetch() {
      fetching ??= askWithRetry<CheckoutBundle>({
        ...{ clock, signal, everyMs: againMs, withinMs: longestFetchMs },
        say: () => say({ type: 'fetch', id }),
        unanswered: () => {
          throw unreached(id);
        },
      });
      return fetching.answered;
    },
    async call({ path, body }) {
      if (body.length > maxCallChars) return replyOf(413, `The request has more than ${maxCallChars} characters`);
      if (calls.size >= mostCalls) return replyOf(503, 'This attempt has too many open requests');
      const call = randomBytes(8).toString('hex');
      const asked = askWithRetry<AgentReply>({
        ...{ clock, signal, everyMs: againMs, withinMs: longestCallMs },
        say: () => say({ type: 'call', id, call, path, body }),
        unanswered: () => replyOf(503, 'Bosun does not answer'),
      });
      calls.set(call, asked);
      try {
        return await asked.answered;
      } finally {
        calls.delete(call);
      }
    },
    hear(down) {
      if (down.type === 'reply') calls.get(down.call)?.answer({ status: down.status, body: down.body });
      else if (down.freight !== null) fetching?.answer(down.freight);
      else fetching?.refuse(new BosunError('git', down.problem ?? `Bosun has no checkout for ${id}`));
    },
  };
}

export function replyOf(status: number, detail: string): AgentReply {
  return { status, body: JSON.stringify({ status, code: status === 413 ? 'bad_input' : 'not_now', detail }) };
}

function unreached(id: string): BosunError {
  const hint = 'Check that Bosun is running and that both use the same Redis, then retry.';
  return new BosunError('timeout', `Bosun did not send the checkout of ${id} within an hour`, { hint });
}
