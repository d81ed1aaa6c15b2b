// Endless server-sent events, produced as the client reads them. Each stream holds a slot until its client leaves or
// logs out, or the server closes.
import type { Context } from 'hono';
import { whenLoggedOut } from '../access/caller.js';
import { type Env, type NoSlot, takeSlot, type WebContext } from '../context/web-context.js';
import { cutOff } from './cut-off.js';
import { Feed } from './feed.js';

interface Events {
  readonly name: string;
  /** Delay before a disconnected client reconnects. */
  readonly retryMs: number;
  /** The error if no slot is free. */
  readonly noSlot?: NoSlot;
  /** Called when messages are posted, before `posted` reports it. */
  readonly onMessages?: () => void;
  /** Produces the next chunk when it can be sent; null: the end. */
  readonly next: (posted: PostSignal) => Promise<string | null>;
}

/** Yields an item after messages were posted, nothing after a timeout, and null once the client has left. */
export type PostSignal = Pick<Feed<'posted'>, 'take'>;

export const stillHere = ': still here\n\n';

const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

export function eventStream(c: Context<Env>, web: WebContext, { onMessages, ...events }: Events): Response {
  // A HEAD request gets no stream, because it would never be closed.
  if (c.req.method === 'HEAD') return new Response(null, { headers });
  const freeSlot = takeSlot(web, events.noSlot);
  const posted = new Feed<'posted'>(1);
  const stop = web.services.runtime.onMessages(() => {
    onMessages?.();
    posted.push('posted');
  });
  let isOver = false;
  let isLeft = false;
  const end = () => {
    isOver = true;
    posted.close();
    stop();
    forget();
    freeSlot();
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
        // Checked even with output pending: a client that has logged out gets nothing more.
        const text = isOver ? null : await events.next(posted);
        if (text !== null && !isOver) controller.enqueue(encoder.encode(text));
        else if (!isLeft) controller.close();
      } catch (error) {
        // A failed stream is never cancelled, so clean up here; the client reconnects.
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
