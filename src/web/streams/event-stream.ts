// Server-sent events without an end, made piece by piece as a client takes them. Each holds one of few places, until its
// client leaves or logs out, or the server closes.
import type { Context } from 'hono';
import { whenLoggedOut } from '../access/caller.js';
import { type Env, takePlace, type WebContext } from '../context/web-context.js';
import { problem } from '../http/problem.js';
import { cutOff } from './cut-off.js';
import { Feed } from './feed.js';

export interface Events {
  /** What the log calls it. */
  readonly name: string;
  /** After how long a client that was cut off comes back. */
  readonly retryMs: number;
  /** What is told where no place is left. */
  readonly noPlace: { readonly what: string; readonly hint: string };
  /** Called when messages are posted, before `news` tells of it. */
  readonly onMessages?: () => void;
  /** The next piece, made when it can be sent; null: there will be none. */
  readonly next: (news: News) => Promise<string | null>;
}

/** Something when messages were posted; nothing when the time is up; null when nobody listens any more. */
export type News = Pick<Feed<'news'>, 'take'>;

export const stillHere = ': still here\n\n';

const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

export function eventStream(c: Context<Env>, web: WebContext, { onMessages, ...events }: Events): Response {
  // Whoever asks for its head gets no stream: nobody would ever end that.
  if (c.req.method === 'HEAD') return new Response(null, { headers });
  const giveBack = takePlace(web);
  if (!giveBack) return problem(503, 'limit', events.noPlace.what, events.noPlace.hint);
  const news = new Feed<'news'>(1);
  const stop = web.services.runtime.onMessages(() => {
    onMessages?.();
    news.push('news');
  });
  let isOver = false;
  let isLeft = false;
  const end = () => {
    isOver = true;
    news.close();
    stop();
    forget();
    giveBack();
    web.ending.removeEventListener('abort', end);
  };
  const forget = whenLoggedOut(c, web, end);
  web.ending.addEventListener('abort', end, { once: true });
  if (web.ending.aborted) end();

  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${events.retryMs}\n\n`)),
    async pull(controller) {
      try {
        // However much there still is to tell: whoever has logged out hears no more of it.
        const text = isOver ? null : await events.next(news);
        if (text !== null && !isOver) controller.enqueue(encoder.encode(text));
        else if (!isLeft) controller.close();
      } catch (error) {
        // Nobody cancels what has failed: whoever listens comes back.
        end();
        web.log(`${events.name}: ${String(error)}`, { level: 'error' });
        controller.close();
      }
    },
    cancel() {
      isLeft = true;
      end();
    },
  });
  return new Response(cutOff(c, web, body), { headers });
}
