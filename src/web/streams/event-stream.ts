// Events are produced as read. A stream holds a slot until its client leaves, logs out, or the server closes.
import type { Context } from 'hono';
import { whenLoggedOut } from '../access/caller.js';
import { type Env, type NoSlot, takeSlot, type WebContext } from '../context/web-context.js';
import { cutOff } from './cut-off.js';
import { Feed } from './feed.js';

interface Events {
  readonly name: string;
  readonly retryMs: number;
  readonly noSlot?: NoSlot;
  /** Called before `posted`. */
  readonly onMessages?: () => void;
  /** Called when the next chunk can be sent; null: the end. */
  readonly next: (posted: PostSignal) => Promise<string | null>;
}

/** Posted: an item; timeout: none; null: the client left. */
export type PostSignal = Pick<Feed<'posted'>, 'take'>;

export const stillHere = ': still here\n\n';

const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

export function eventStream(c: Context<Env>, web: WebContext, { onMessages, ...events }: Events): Response {
  // A HEAD would never be closed.
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
        // Logged out: nothing more, even if pending.
        const text = isOver ? null : await events.next(posted);
        if (text !== null && !isOver) controller.enqueue(encoder.encode(text));
        else if (!isLeft) controller.close();
      } catch (error) {
        // A failed stream is never cancelled; the client reconnects.
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
