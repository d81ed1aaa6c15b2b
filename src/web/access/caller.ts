import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { BosunError, hashOf, isSameSecret } from '../../base/index.js';
import { localSource, pageSource, type Surface } from '../../config/index.js';
import { isTokenOf } from '../../jobs/index.js';
import type { LoginSession } from '../context/logins.js';
import type { Env, WebContext } from '../context/web-context.js';

export type Caller =
  | { readonly kind: 'token' }
  /** The person of the login link; null: the home's owner. */
  | { readonly kind: 'session'; readonly as: string | null; readonly hasPageKey: boolean };

export function callerOf(c: Context<Env>, web: WebContext): Caller | null {
  const token = bearerOf(c);
  if (token !== null) return isSameSecret(token, web.services.home.apiToken) ? { kind: 'token' } : null;
  const session = sessionOf(c, web);
  if (session === null) return null;
  const { as } = session;
  // Removed from the configuration: no access.
  const isKnown = as === null || web.services.config().people.some(({ name }) => name === as);
  return isKnown ? { kind: 'session', as, hasPageKey: hasPageKey(c, session) } : null;
}

export function hasPageKey(c: Context<Env>, { keyHash }: LoginSession): boolean {
  return isSameSecret(hashOf(c.req.header(pageKeyHeader) ?? ''), keyHash);
}

/** Sent by `assets/page/key.js`. */
export const pageKeyHeader = 'x-bosun-key';

/** Also called on expiry. The result unsubscribes. */
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

export function loggedOut(): BosunError {
  return new BosunError('not_allowed', 'You are logged out, so Bosun no longer waits for this request', {
    hint: 'Bosun still does what you asked for.',
  });
}

export function sessionOf(c: Context<Env>, web: WebContext): LoginSession | null {
  return web.logins.sessionOf(getCookie(c, cookieName(web)) ?? '');
}

/** True for an open attempt in this project, or any if null. */
export function isAttemptToken({ services }: WebContext, token: string, project: string | null): boolean {
  const { reader } = services.runtime;
  return reader.openAttempts().some((row) => {
    const isThere = project === null || reader.run(row.run)?.project === project;
    return isThere && isTokenOf(services.home.secret, row.attempt.id, token);
  });
}

/** Proven connections are not closed when there are too many. */
export function prove(c: Context<Env>, { connections }: WebContext): void {
  connections.prove(c.env.incoming.socket);
}

export function bearerOf(c: Context<Env>): string | null {
  return /^Bearer +(\S{1,500})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/**
 * Security: a token counts as local, like a shell here. A cookie does not, because browsers send it to other ports too.
 */
export function surfaceOf(c: Context<Env>): Surface {
  return bearerOf(c) === null ? pageSource : localSource;
}

/** Cookies ignore ports, so each Bosun has its own name. */
export function cookieName(web: WebContext): string {
  return `bosun_${web.port()}`;
}
