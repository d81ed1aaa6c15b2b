// Who asks: whoever shows the token of this Bosun, or a browser that has logged in.
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { BosunError, hashOf, isSameSecret } from '../../base/index.js';
import { localSource, pageSource, type Surface } from '../../config/index.js';
import { isTokenOf } from '../../jobs/index.js';
import type { LoginSession } from '../context/logins.js';
import type { Env, WebContext } from '../context/web-context.js';

export type Caller =
  | { readonly kind: 'token' }
  /** `as`: the person that the link was made for; null: whoever owns the home. */
  | { readonly kind: 'session'; readonly as: string | null; readonly hasPageKey: boolean };

export function callerOf(c: Context<Env>, web: WebContext): Caller | null {
  const token = bearerOf(c);
  if (token !== null) return isSameSecret(token, web.services.home.apiToken) ? { kind: 'token' } : null;
  const session = sessionOf(c, web);
  if (session === null) return null;
  const { as } = session;
  // Whoever is not among the people any more is nobody here.
  const isKnown = as === null || web.services.config().people.some(({ name }) => name === as);
  return isKnown ? { kind: 'session', as, hasPageKey: hasPageKey(c, session) } : null;
}

/** Whether the request shows the key that the session's page was given at login. */
export function hasPageKey(c: Context<Env>, { keyHash }: LoginSession): boolean {
  return isSameSecret(hashOf(c.req.header(pageKeyHeader) ?? ''), keyHash);
}

/** As `assets/page/key.js` sends it. */
export const pageKeyHeader = 'x-bosun-key';

/** Called when the browser that asks logs out or its session's time is up; what comes back stops that. */
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

/** What whoever waits is told then. */
export function loggedOut(): BosunError {
  return new BosunError('not_allowed', 'You are logged out, and nothing is waited for any more', {
    hint: 'What was said is done all the same.',
  });
}

export function sessionOf(c: Context<Env>, web: WebContext): LoginSession | null {
  return web.logins.sessionOf(getCookie(c, cookieName(web)) ?? '');
}

/** Whether this is the token of an attempt at work, in this project or in any. */
export function isAttemptToken({ services }: WebContext, token: string, project: string | null): boolean {
  const { store } = services.runtime;
  return store.openAttempts().some((row) => {
    const isThere = project === null || store.run(row.run)?.project === project;
    return isThere && isTokenOf(services.home.secret, row.attempt.id, token);
  });
}

/** The connection has shown something good: it is not among those that are closed when there are too many. */
export function prove(c: Context<Env>, { connections }: WebContext): void {
  connections.prove(c.env.incoming.socket);
}

export function bearerOf(c: Context<Env>): string | null {
  return /^Bearer +(\S{1,500})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/** A right token speaks like a shell on this machine; a cookie does not, because other ports get it as well. */
export function surfaceOf(c: Context<Env>): Surface {
  return bearerOf(c) === null ? pageSource : localSource;
}

/** Cookies know no ports, so that each Bosun of a machine needs a name of its own. */
export function cookieName(web: WebContext): string {
  return `bosun_${web.port()}`;
}
