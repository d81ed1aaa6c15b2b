// Identifies the caller: the home's API token, or a browser session.
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { BosunError, hashOf, isSameSecret } from '../../base/index.js';
import { localSource, pageSource, type Surface } from '../../config/index.js';
import { isTokenOf } from '../../jobs/index.js';
import type { LoginSession } from '../context/logins.js';
import type { Env, WebContext } from '../context/web-context.js';

export type Caller =
  | { readonly kind: 'token' }
  /** The person that the login link was made for; null: the home's owner. */
  | { readonly kind: 'session'; readonly as: string | null; readonly hasPageKey: boolean };

export function callerOf(c: Context<Env>, web: WebContext): Caller | null {
  const token = bearerOf(c);
  if (token !== null) return isSameSecret(token, web.services.home.apiToken) ? { kind: 'token' } : null;
  const session = sessionOf(c, web);
  if (session === null) return null;
  const { as } = session;
  // A person removed from the configuration has no access.
  const isKnown = as === null || web.services.config().people.some(({ name }) => name === as);
  return isKnown ? { kind: 'session', as, hasPageKey: hasPageKey(c, session) } : null;
}

/** True if the request carries the page key that the session's page got at login. */
export function hasPageKey(c: Context<Env>, { keyHash }: LoginSession): boolean {
  return isSameSecret(hashOf(c.req.header(pageKeyHeader) ?? ''), keyHash);
}

/** Sent by `assets/page/key.js`. */
export const pageKeyHeader = 'x-bosun-key';

/** Calls back when the caller's session ends or expires; returns the unsubscribe function. */
export function whenLoggedOut(c: Context<Env>, web: WebContext, tell: () => void): () => void {
  const session = bearerOf(c) === null ? sessionOf(c, web) : null;
  if (session === null) return () => undefined;
  const stop = web.logins.whenEnded(session.id, tell);
  const timer = setTimeout(tell, session.until - web.now()).unref();
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** The error for requests that still wait when their session ends. */
export function loggedOut(): BosunError {
  return new BosunError('not_allowed', 'You are logged out, so Bosun no longer waits for this request', {
    hint: 'Bosun still does what you asked for.',
  });
}

export function sessionOf(c: Context<Env>, web: WebContext): LoginSession | null {
  return web.logins.sessionOf(getCookie(c, cookieName(web)) ?? '');
}

/** True for the token of an open attempt, in this project or in any. */
export function isAttemptToken({ services }: WebContext, token: string, project: string | null): boolean {
  const { reader } = services.runtime;
  return reader.openAttempts().some((row) => {
    const isThere = project === null || reader.run(row.run)?.project === project;
    return isThere && isTokenOf(services.home.secret, row.attempt.id, token);
  });
}

/** Marks the connection as proven, so that it is not closed when there are too many. */
export function prove(c: Context<Env>, { connections }: WebContext): void {
  connections.prove(c.env.incoming.socket);
}

export function bearerOf(c: Context<Env>): string | null {
  return /^Bearer +(\S{1,500})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/**
 * A token counts as local, like a shell on this machine. A cookie does not, because browsers send it to other ports
 * too.
 */
export function surfaceOf(c: Context<Env>): Surface {
  return bearerOf(c) === null ? pageSource : localSource;
}

/** Cookies ignore ports, so each Bosun on a machine needs its own cookie name. */
export function cookieName(web: WebContext): string {
  return `bosun_${web.port()}`;
}
