// A version string for live pages: it changes whenever a page may have.
import { createHash } from 'node:crypto';
import type { WebContext } from '../../context/web-context.js';
import { workersShown } from './worker-view.js';

const watchedAttempts = 1_000;
/** Separates processes, because the in-memory counts start again with each. */
const started = Date.now().toString(36);

const sharedMs = 250;
const lately = new WeakMap<object, { readonly at: number; readonly version: string }>();

/**
 * One version for all pages that ask at about the same time; computed no earlier than `since`, on the
 * `performance.now()` clock.
 */
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
  const { browsing } = runtime.reader;
  const signs = browsing.runningAttempts(watchedAttempts).map(({ id }) => runtime.lastSign(id)?.at ?? 0);
  const seen = [browsing.newestSeq(), browsing.newestMessage(), Math.max(0, ...signs), crewOf(web), queueOf(web)];
  return [started, ...seen].join('.');
}

/** Which workers are present or silent. Leaves out when each was last seen, which changes constantly. */
function crewOf(web: Pick<WebContext, 'services' | 'now'>): string {
  const said = workersShown(web).map(({ seenAt: _, ...worker }) => worker);
  return said.length === 0 ? '' : createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 8);
}

/** Queue changes that are not in the database. */
function queueOf({ services }: Pick<WebContext, 'services'>): string {
  const { offered, problem } = services.runtime.queueState();
  return `${offered}${problem === null ? '' : '-'}`;
}
