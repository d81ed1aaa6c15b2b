// Who asks: whoever shows the token of this Bosun, or a browser that has logged in.
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { isSameSecret } from '../dispatch/index.js';
import type { Env, Site } from './site.js';

export type Caller = 'token' | 'session';

export function callerOf(c: Context<Env>, site: Site): Caller | null {
  const token = bearerOf(c);
  if (token !== null) return isSameSecret(token, site.desk.home.apiToken) ? 'token' : null;
  return sessionOf(c, site) === null ? null : 'session';
}

/** Called once when the browser that asks logs out; what comes back stops that. */
export function whenLoggedOut(c: Context<Env>, site: Site, tell: () => void): () => void {
  const session = bearerOf(c) === null ? sessionOf(c, site) : null;
  return session === null ? () => undefined : site.logins.whenEnded(session, tell);
}

export function sessionOf(c: Context<Env>, site: Site): string | null {
  const session = getCookie(c, cookieName(site));
  return session !== undefined && site.logins.isSession(session) ? session : null;
}

export function bearerOf(c: Context<Env>): string | null {
  return /^Bearer +(\S{1,500})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/** Cookies know no ports, so that each Bosun of a machine needs a name of its own. */
export function cookieName(site: Site): string {
  return `bosun_${site.port()}`;
}
