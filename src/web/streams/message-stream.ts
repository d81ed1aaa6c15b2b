// Messages are read page by page as the client reads: a slow one costs no memory, a reconnecting one misses nothing.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { messageJson } from '../../bot/index.js';
import type { HomeReader, Message } from '../../store/index.js';
import type { Env, WebContext } from '../context/web-context.js';
import { fitting } from '../http/body.js';
import { queryOf } from '../http/query.js';
import { eventStream, type PostSignal, stillHere } from './event-stream.js';

/** Small: a slow client shows progress. */
const pageSize = 20;

export const streamQuery = z.strictObject({
  thread: z.string().min(1).max(200).optional().describe('Only messages of this thread.'),
  after: z
    .string()
    .regex(/^m\d{1,15}$/, 'must be the id of a message, such as m31')
    .optional()
    .describe('The id of a message; without it, only new messages.'),
});

export function getStream(c: Context<Env>, web: WebContext): Response {
  const given = queryOf(c, streamQuery);
  if (given instanceof Response) return given;
  const seen = c.req.header('last-event-id') || given.data.after;
  const query = fitting({ ...given.data, after: seen }, streamQuery);
  if (query instanceof Response) return query;
  const { thread = null, after } = query.data;
  const { reader } = web.services.runtime;
  const newest = newestNumber(reader);
  let last = after === undefined ? newest : Math.min(newest, numberOf(after));

  const nextPage = (): { readonly messages: readonly Message[]; readonly isLast: boolean } => {
    if (thread === null) {
      const end = newestNumber(reader);
      const page = messagesAfter(reader, last, end, pageSize);
      last = page.last;
      return { messages: page.messages, isLast: last >= end };
    }
    const messages = reader.messages(thread, `m${last}`, pageSize);
    last = numberOf(messages.at(-1)?.id ?? `m${last}`);
    return { messages, isLast: messages.length === 0 };
  };
  const next = async (posted: PostSignal): Promise<string | null> => {
    for (;;) {
      const { messages, isLast } = nextPage();
      if (messages.length > 0) return messages.map(eventOf).join('');
      if (!isLast) {
        await nextTurn();
        continue;
      }
      const came = await posted.take(web.heartbeatMs);
      if (came === null) return null;
      if (came.length === 0) return stillHere;
    }
  };
  return eventStream(c, web, { name: 'stream', retryMs: 2_000, next });
}

/** JSON has no raw line breaks. */
function eventOf(message: Message): string {
  return `id: ${message.id}\nevent: message\ndata: ${JSON.stringify({ id: message.id, ...messageJson(message) })}\n\n`;
}

// Message ids m1, m2, m3 … run over all threads, without gaps.
function numberOf(id: string): number {
  return /^m\d{1,15}$/.test(id) ? Number(id.slice(1)) : 0;
}

function newestNumber(reader: Pick<HomeReader, 'browsing'>): number {
  return reader.browsing.newestMessage();
}

interface Page {
  readonly messages: readonly Message[];
  readonly last: number;
}

/** Per call, for readers who see few. */
const mostLookedAt = 500;

/** After `n` up to `newest`, oldest first. May be empty although more follow. */
function messagesAfter(reader: Pick<HomeReader, 'message'>, n: number, newest: number, limit: number): Page {
  const messages: Message[] = [];
  let last = n;
  const end = Math.min(newest, n + mostLookedAt);
  while (last < end && messages.length < limit) {
    last += 1;
    const message = reader.message(`m${last}`);
    if (message !== null) messages.push(message);
  }
  return { messages, last };
}
