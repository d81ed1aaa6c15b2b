// A response that is written piece by piece while a request lasts, with heartbeats that keep the connection open. It
// holds a slot until everything is written, its client leaves, or its session ends.
import type { Context } from 'hono';
import { loggedOut, whenLoggedOut } from '../access/caller.js';
import { type Env, takeSlot, type WebContext } from '../context/web-context.js';
import { cutOff } from './cut-off.js';
import { Feed } from './feed.js';

export interface OpenResponse {
  readonly feed: Feed<string>;
  /** Aborted when the client has left, its session has ended, or the server closes. */
  readonly gone: AbortSignal;
  /** Frees the slot of a response that is never sent. */
  readonly end: () => void;
  readonly send: (contentType: string) => Response;
}

/** White space, which JSON allows before a value and between lines. */
const heartbeat = '\n';

/** Throws if no slot is free. A client with `maxPieces` unread pieces gets no more. */
export function openResponse(c: Context<Env>, web: WebContext, maxPieces: number): OpenResponse {
  const freeSlot = takeSlot(web);
  const left = new AbortController();
  const feed = new Feed<string>(maxPieces);
  const forget = whenLoggedOut(c, web, () => left.abort(loggedOut()));
  const end = () => {
    left.abort();
    forget();
    freeSlot();
  };
  const encoder = new TextEncoder();
  const send = (contentType: string): Response => {
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const pieces = await feed.take(web.heartbeatMs);
        if (pieces === null) {
          end();
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(pieces.length === 0 ? heartbeat : pieces.join('')));
      },
      cancel() {
        feed.close();
        end();
      },
    });
    return new Response(cutOff(c, web, body), { headers: { 'content-type': contentType, 'x-accel-buffering': 'no' } });
  };
  return { feed, gone: AbortSignal.any([left.signal, web.ending]), end, send };
}
