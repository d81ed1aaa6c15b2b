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
export function versionSince(site: Pick<WebContext, 'desk' | 'now'>, since: number): string {
  const at = performance.now();
  const before = lately.get(site);
  if (before !== undefined && before.at >= since && at - before.at < sharedMs) return before.version;
  const version = versionOf(site);
  lately.set(site, { at, version });
  return version;
}

export function versionOf(site: Pick<WebContext, 'desk' | 'now'>): string {
  const { room } = site.desk;
  const { browsing } = room.store;
  const signs = browsing.runningAttempts(watchedAttempts).map(({ id }) => room.lastSign(id)?.at ?? 0);
  const seen = [browsing.newestSeq(), browsing.newestMessage(), Math.max(0, ...signs), crewOf(site), queueOf(site)];
  return [started, ...seen].join('.');
}

/** Who is there and who fell silent; not when each was last heard of, which is all the time. */
function crewOf(site: Pick<WebContext, 'desk' | 'now'>): string {
  const said = workersShown(site).map(({ seenAt: _, ...worker }) => worker);
  return said.length === 0 ? '' : createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 8);
}

/** What moves in the queue without a word in the database. */
function queueOf({ desk }: Pick<WebContext, 'desk'>): string {
  const { offered, problem } = desk.room.queueState();
  return `${offered}${problem === null ? '' : '-'}`;
}
