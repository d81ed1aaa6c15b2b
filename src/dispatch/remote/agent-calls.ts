// A remote agent's calls go through Bosun's HTTP server, which checks them like local ones.

import type { AgentCall, AgentReply } from '../../jobs/index.js';
import { attemptToken } from '../../jobs/index.js';

export interface AgentCallParts {
  readonly secret: string;
  /** '': not listening. */
  readonly url: () => string;
}

/** Must exceed the server's long poll. */
const answerWithinMs = 35_000;
const maxReplyChars = 60_000;
const away: AgentReply = {
  status: 503,
  body: JSON.stringify({ detail: 'Bosun is not accepting questions right now' }),
};

export function answerCalls({
  secret,
  url,
}: AgentCallParts): (attempt: string, call: AgentCall) => Promise<AgentReply> {
  return async (attempt, { path, body }) => {
    const base = url();
    if (base === '') return away;
    try {
      const response = await fetch(new URL(path, base), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${attemptToken(secret, attempt)}`,
          'content-type': 'application/json',
        },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(answerWithinMs),
      });
      const text = await response.text();
      return text.length > maxReplyChars ? away : { status: response.status, body: text };
    } catch {
      // A shutdown or timeout: the caller retries.
      return away;
    }
  };
}
