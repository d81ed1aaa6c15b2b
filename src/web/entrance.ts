// Who may come in: first the address that was called, then the caller.
import type { Context, MiddlewareHandler } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import { isSameSecret } from '../dispatch/index.js';
import { sessionTtlMs } from './logins.js';
import { isHostOf, isOwnHost, isOwnOrigin } from './own-host.js';
import { loggedInPage, loginPage } from './pages/login.js';
import { pageResponse } from './pages/page.js';
import { entranceCalled } from './posted.js';
import { problem } from './problem.js';
import type { Env, Site } from './site.js';

export type Caller = 'token' | 'session';

export function onlyOwnAddress(site: Site): MiddlewareHandler<Env> {
  return async (c, next) => {
    const localAddress = c.env.incoming.socket.localAddress ?? '';
    const here = { port: site.port(), host: site.host, localAddress };
    const host = c.req.header('host');
    const posted = entranceCalled(c, site);
    // Whoever posts there proves himself, and comes in under the name that others know.
    if (posted !== null && (posted.url === null || isOwnHost(host, here) || isHostOf(host, posted.url))) return next();
    if (!isOwnHost(host, here)) return problem(403, 'not_allowed', 'That Host is not Bosun');
    if (!isOwnOrigin(c.req.header('origin'), here)) return problem(403, 'not_allowed', 'That Origin is not Bosun');
    return next();
  };
}

export function callerOf(c: Context<Env>, site: Site): Caller | null {
  const token = bearerOf(c);
  if (token !== null) return isSameSecret(token, site.desk.home.apiToken) ? 'token' : null;
  const session = getCookie(c, cookieName(site));
  return session !== undefined && site.logins.isSession(session) ? 'session' : null;
}

export function bearerOf(c: Context<Env>): string | null {
  return /^Bearer +(\S{1,500})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

export function onlyKnownCallers(site: Site): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (callerOf(c, site) !== null) return next();
    if (c.req.path === '/' && c.req.method === 'GET') return pageResponse(await loginPage(), 401);
    const hint = 'Send "Authorization: Bearer <token>" with what BOSUN_HOME/token holds, or log in with "bosun web".';
    const refused = problem(401, 'not_allowed', 'This needs the token of this Bosun', hint);
    refused.headers.set('www-authenticate', 'Bearer realm="bosun"');
    return refused;
  };
}

/** The page goes on to `/` by itself: a redirect that began elsewhere would not take a strict cookie along. */
export async function login(c: Context<Env>, site: Site): Promise<Response> {
  // A look ahead, such as a link preview, must not spend the code.
  const session = c.req.method === 'GET' ? site.logins.redeem(c.req.query('code') ?? '') : null;
  if (session === null) return pageResponse(await loginPage(), 401);
  const shown = pageResponse(await loggedInPage(), 200);
  const maxAge = sessionTtlMs / 1000;
  const cookie = generateCookie(cookieName(site), session, { httpOnly: true, sameSite: 'Strict', path: '/', maxAge });
  shown.headers.set('set-cookie', cookie);
  return shown;
}

/** Cookies know no ports, so that each Bosun of a machine needs a name of its own. */
function cookieName(site: Site): string {
  return `bosun_${site.port()}`;
}
