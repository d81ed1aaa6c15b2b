// Streams a feed as a response, with heartbeats that keep the connection open.
import type { Context } from 'hono';
import type { Env, WebContext } from '../context/web-context.js';
import { cutOff } from './cut-off.js';
import type { Feed } from './feed.js';

export interface Piping {
  readonly feed: Feed<string>;
  readonly contentType: string;
  readonly heartbeat: string;
  /** Called when everything is written or the client has left. */
  readonly onEnd: () => void;
}

export function piped(c: Context<Env>, web: WebContext, { feed, contentType, heartbeat, onEnd }: Piping): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const pieces = await feed.take(web.heartbeatMs);
      if (pieces === null) {
        onEnd();
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(pieces.length === 0 ? heartbeat : pieces.join('')));
    },
    cancel() {
      feed.close();
      onEnd();
    },
  });
  return new Response(cutOff(c, web, body), { headers: { 'content-type': contentType, 'x-accel-buffering': 'no' } });
}
