// Messages as server-sent events. What is sent is always read from the store, page by page as the client takes it, so
// that a slow client costs no memory and one that comes back misses nothing.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { messageJson } from '../bot/index.js';
import type { Message } from '../dispatch/index.js';
import { fitting } from './body.js';
import { whenLoggedOut } from './caller.js';
import { cutOff } from './cut-off.js';
import { Feed } from './feed.js';
import { messagesAfter, newestNumber, numberOf } from './newest.js';
import { problem } from './problem.js';
import { queryOf } from './query.js';
import { type Env, type Site, takePlace } from './site.js';

/** Few, so that a slow client shows that it takes them. */
const pageSize = 20;

export const streamQuery = z.strictObject({
  thread: z.string().min(1).max(200).optional().describe('The messages of this thread alone.'),
  after: z
    .string()
    .regex(/^m\d{1,15}$/, 'must be the id of a message, such as m31')
    .optional()
    .describe('The id of a message; without it, only what is posted from now on.'),
});

export function getStream(c: Context<Env>, site: Site): Response {
  const given = queryOf(c, streamQuery);
  if (given instanceof Response) return given;
  const seen = c.req.header('last-event-id') || given.data.after;
  const asked = fitting({ ...given.data, after: seen }, streamQuery);
  if (asked instanceof Response) return asked;
  // Whoever asks for its head gets no stream: nobody would ever end that.
  if (c.req.method === 'HEAD') return new Response(null, { headers: streamHeaders });
  const { thread = null, after } = asked.data;
  const { store } = site.desk.room;
  const newest = newestNumber(store);
  const giveBack = takePlace(site);
  if (!giveBack) return problem(503, 'limit', 'Too many answers are open', 'Close some, or try again later.');
  let last = after === undefined ? newest : Math.min(newest, numberOf(after));
  const news = new Feed<'news'>(1);
  const stop = site.desk.room.onMessages(() => void news.push('news'));
  let isLeft = false;
  const end = () => {
    news.close();
    stop();
    forget();
    giveBack();
    site.ending.removeEventListener('abort', end);
  };
  const forget = whenLoggedOut(c, site, end);
  site.ending.addEventListener('abort', end, { once: true });

  const nextPage = (): { readonly messages: readonly Message[]; readonly isLast: boolean } => {
    if (thread === null) {
      const end = newestNumber(store);
      const page = messagesAfter(store, last, end, pageSize);
      last = page.last;
      return { messages: page.messages, isLast: last >= end };
    }
    const messages = store.messages(thread, `m${last}`, pageSize);
    last = numberOf(messages.at(-1)?.id ?? `m${last}`);
    return { messages, isLast: messages.length === 0 };
  };
  const nextText = async (): Promise<string | null> => {
    for (;;) {
      const { messages, isLast } = nextPage();
      if (messages.length > 0) return messages.map(eventOf).join('');
      if (!isLast) {
        await nextTurn();
        continue;
      }
      const came = await news.take(site.heartbeatMs);
      if (came === null) return null;
      if (came.length === 0) return ': still here\n\n';
    }
  };
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode('retry: 2000\n\n')),
    async pull(controller) {
      try {
        const text = await nextText();
        if (text !== null) controller.enqueue(encoder.encode(text));
        else if (!isLeft) controller.close();
      } catch (error) {
        // Nobody cancels what has failed: whoever listens comes back.
        end();
        site.log(`stream: ${String(error)}`, { level: 'error' });
        controller.close();
      }
    },
    cancel() {
      isLeft = true;
      end();
    },
  });
  return new Response(cutOff(c, site, body), { headers: streamHeaders });
}

const streamHeaders = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

/** JSON has no bare line breaks, so that one line of data holds it. */
function eventOf(message: Message): string {
  return `id: ${message.id}\nevent: message\ndata: ${JSON.stringify({ id: message.id, ...messageJson(message) })}\n\n`;
}
