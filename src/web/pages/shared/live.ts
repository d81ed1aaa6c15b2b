// Notifies open pages of changes by server-sent events. An event carries only a version, so a page that reconnects with
// an old one is told at once.
import type { Context } from 'hono';
import type { Env, WebContext } from '../../context/web-context.js';
import { eventStream, type News, stillHere } from '../../streams/event-stream.js';
import { versionSince } from './version.js';

const lookEveryMs = 500;
const maxVersionChars = 200;

export function getLive(c: Context<Env>, web: WebContext): Response {
  let known = (c.req.header('last-event-id') || c.req.query('after') || '').slice(0, maxVersionChars);
  let heardAt = performance.now();
  const next = async (news: News): Promise<string | null> => {
    for (let quietMs = 0; quietMs < web.heartbeatMs; ) {
      const version = versionSince(web, heardAt);
      if (version !== known) {
        known = version;
        return `id: ${version}\nevent: changed\ndata: ${version}\n\n`;
      }
      const came = await news.take(lookEveryMs);
      if (came === null) return null;
      quietMs += came.length === 0 ? lookEveryMs : 0;
    }
    return stillHere;
  };
  return eventStream(c, web, {
    name: 'live',
    retryMs: 1_000,
    noSlot: { what: 'Too many pages are open', hint: 'Close some, or reload later.' },
    onMessages: () => {
      heardAt = performance.now();
    },
    next,
  });
}
