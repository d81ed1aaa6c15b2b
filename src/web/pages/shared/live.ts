// Events carry only a version, which changes whenever a page may have. A page that reconnects with an old one is told.
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Env, WebContext } from '../../context/web-context.js';
import { eventStream, type PostSignal, stillHere } from '../../streams/event-stream.js';
import { workersShown } from './worker-view.js';

const lookEveryMs = 500;
const maxVersionChars = 200;

export function getLive(c: Context<Env>, web: WebContext): Response {
  let known = (c.req.header('last-event-id') || c.req.query('after') || '').slice(0, maxVersionChars);
  let postedAt = performance.now();
  const next = async (posted: PostSignal): Promise<string | null> => {
    for (let quietMs = 0; quietMs < web.heartbeatMs; ) {
      const version = versionSince(web, postedAt);
      if (version !== known) {
        known = version;
        return `id: ${version}\nevent: changed\ndata: ${version}\n\n`;
      }
      const came = await posted.take(lookEveryMs);
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
      postedAt = performance.now();
    },
    next,
  });
}

const watchedAttempts = 1_000;
/** In-memory counts restart with the process. */
const started = Date.now().toString(36);

const sharedMs = 250;
const lately = new WeakMap<object, { readonly at: number; readonly version: string }>();

/** Pages that ask together share it; not older than `since` (`performance.now()`). */
function versionSince(web: Pick<WebContext, 'services' | 'now'>, since: number): string {
  const at = performance.now();
  const before = lately.get(web);
  if (before !== undefined && before.at >= since && at - before.at < sharedMs) return before.version;
  const version = versionOf(web);
  lately.set(web, { at, version });
  return version;
}

export function versionOf(web: Pick<WebContext, 'services' | 'now'>): string {
  const { runtime } = web.services;
  const { browsing } = runtime.reader;
  const signs = browsing.runningAttempts(watchedAttempts).map(({ id }) => runtime.lastSign(id)?.at ?? 0);
  const seen = [
    browsing.newestSeq(),
    browsing.newestMessage(),
    Math.max(0, ...signs),
    crewOf(web),
    queueOf(web),
    brokenOf(web),
  ];
  return [started, ...seen].join('.');
}

/** Leaves out the last heartbeat, which changes constantly. */
function crewOf(web: Pick<WebContext, 'services' | 'now'>): string {
  const said = workersShown(web).map(({ seenAt: _, ...worker }) => worker);
  return said.length === 0 ? '' : createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 8);
}

/** The set of banners; their words may change without it. */
function brokenOf({ services }: Pick<WebContext, 'services'>): string {
  return `${services.runtime.writeState.problem === null ? '' : 'w'}${services.configProblem() === null ? '' : 'c'}`;
}

/** Queue changes outside the database. */
function queueOf({ services }: Pick<WebContext, 'services'>): string {
  const { offered, problem } = services.runtime.queueState();
  return `${offered}${problem === null ? '' : '-'}`;
}
