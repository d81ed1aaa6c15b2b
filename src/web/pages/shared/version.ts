// What a page was made from, in one word: when it is another one, the page may be.
import { createHash } from 'node:crypto';
import type { WebContext } from '../../context/web-context.js';
import { workersShown } from './worker-view.js';

const watchedAttempts = 1_000;
/** Another process, another count of what is kept in memory alone. */
const started = Date.now().toString(36);

const sharedMs = 250;
const lately = new WeakMap<object, { readonly at: number; readonly version: string }>();

/** One for all pages that look at about the same time; made no earlier than `since`, a time of `performance.now()`. */
export function versionSince(web: Pick<WebContext, 'services' | 'now'>, since: number): string {
  const at = performance.now();
  const before = lately.get(web);
  if (before !== undefined && before.at >= since && at - before.at < sharedMs) return before.version;
  const version = versionOf(web);
  lately.set(web, { at, version });
  return version;
}

export function versionOf(web: Pick<WebContext, 'services' | 'now'>): string {
  const { runtime } = web.services;
  const { browsing } = runtime.store;
  const signs = browsing.runningAttempts(watchedAttempts).map(({ id }) => runtime.lastSign(id)?.at ?? 0);
  const seen = [browsing.newestSeq(), browsing.newestMessage(), Math.max(0, ...signs), crewOf(web), queueOf(web)];
  return [started, ...seen].join('.');
}

/** Who is there and who fell silent; not when each was last heard of, which is all the time. */
function crewOf(web: Pick<WebContext, 'services' | 'now'>): string {
  const said = workersShown(web).map(({ seenAt: _, ...worker }) => worker);
  return said.length === 0 ? '' : createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 8);
}

/** What moves in the queue without a word in the database. */
function queueOf({ services }: Pick<WebContext, 'services'>): string {
  const { offered, problem } = services.runtime.queueState();
  return `${offered}${problem === null ? '' : '-'}`;
}
