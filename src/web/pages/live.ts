// Tells open pages that something has changed, as server-sent events. Nothing is sent but a version: a page that comes
// back after a gap shows the one that it knew, and is told at once where it is another one now.
import type { Context } from 'hono';
import { whenLoggedOut } from '../caller.js';
import { cutOff } from '../cut-off.js';
import { Feed } from '../feed.js';
import { problem } from '../problem.js';
import { type Env, type Site, takePlace } from '../site.js';
import { versionSince } from './version.js';

const lookEveryMs = 500;
const maxVersionChars = 200;

const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

export function getLive(c: Context<Env>, site: Site): Response {
  // Whoever asks for its head gets no stream: nobody would ever end that.
  if (c.req.method === 'HEAD') return new Response(null, { headers });
  const giveBack = takePlace(site);
  if (!giveBack) return problem(503, 'limit', 'Too many pages are open', 'Close some, or reload later.');
  let known = (c.req.header('last-event-id') || c.req.query('after') || '').slice(0, maxVersionChars);
  const news = new Feed<'news'>(1);
  let heardAt = performance.now();
  const stop = site.desk.room.onMessages(() => {
    heardAt = performance.now();
    news.push('news');
  });
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
  if (site.ending.aborted) end();

  const nextText = async (): Promise<string | null> => {
    for (let quietMs = 0; quietMs < site.heartbeatMs; ) {
      const version = versionSince(site, heardAt);
      if (version !== known) {
        known = version;
        return `id: ${version}\nevent: changed\ndata: ${version}\n\n`;
      }
      const came = await news.take(lookEveryMs);
      if (came === null) return null;
      quietMs += came.length === 0 ? lookEveryMs : 0;
    }
    return ': still here\n\n';
  };
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode('retry: 1000\n\n')),
    async pull(controller) {
      try {
        const text = await nextText();
        if (text !== null) controller.enqueue(encoder.encode(text));
        else if (!isLeft) controller.close();
      } catch (error) {
        // Nobody cancels what has failed: whoever listens comes back.
        end();
        site.log(`live: ${String(error)}`, { level: 'error' });
        controller.close();
      }
    },
    cancel() {
      isLeft = true;
      end();
    },
  });
  return new Response(cutOff(c, site, body), { headers });
}
