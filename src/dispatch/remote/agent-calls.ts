// What an agent on another machine says to Bosun, put through to Bosun's own HTTP side: it looks at everything as if the
// agent were here.

import type { AgentCall, AgentReply } from '../../jobs/index.js';
import { attemptToken } from '../../jobs/index.js';

export interface AgentCallParts {
  readonly secret: string;
  /** Where Bosun listens; empty: nowhere. */
  readonly url: () => string;
}

/** Longer than one question waits there. */
const answerWithinMs = 35_000;
const maxReplyChars = 60_000;
const away: AgentReply = { status: 503, body: JSON.stringify({ detail: 'Bosun takes no questions just now' }) };

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
      // It ends just now, or had no time: whoever asked asks again.
      return away;
    }
  };
}
