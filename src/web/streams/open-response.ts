// A response written piece by piece with heartbeats. Holds a slot until written, left, or logged out.
import type { Context } from 'hono';
import { loggedOut, whenLoggedOut } from '../access/caller.js';
import { type Env, takeSlot, type WebContext } from '../context/web-context.js';
import { cutOff } from './cut-off.js';
import { Feed } from './feed.js';

export interface OpenResponse {
  readonly feed: Feed<string>;
  /** The client left, its session ended, or the server closes. */
  readonly gone: AbortSignal;
  /** For a response that was never sent. */
  readonly end: () => void;
  readonly send: (contentType: string) => Response;
}

/** JSON allows white space before a value and between lines. */
const heartbeat = '\n';

/** Throws without a slot. At `maxPieces` unread it gets no more. */
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
