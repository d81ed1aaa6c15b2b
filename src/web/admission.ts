import type { Context, MiddlewareHandler } from 'hono';
import { generateCookie } from 'hono/cookie';
import { isSameSecret } from '../base/index.js';
import { callerOf, cookieName, hasPageKey, prove, sessionOf } from './access/caller.js';
import { isHostOf, isOwnHost, isOwnOrigin } from './access/own-host.js';
import { VisibleContexts } from './access/visible-context.js';
import { type NewSession, sessionTtlMs } from './context/logins.js';
import type { Env, WebContext } from './context/web-context.js';
import { readBody } from './http/body.js';
import { problem } from './http/problem.js';
import { webhookCalled } from './inbound/channel-posts.js';
import { loggedInPage, loggedOutPage, loginPage } from './pages/login.js';

export function onlyOwnAddress(web: WebContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const localAddress = c.env.incoming.socket.localAddress ?? '';
    const here = { port: web.port(), host: web.host, ownName: web.ownName, localAddress };
    const host = c.req.header('host');
    const posted = webhookCalled(c, web);
    // A webhook authenticates itself and is called by its public name.
    if (posted !== null && (posted.url === null || isOwnHost(host, here) || isHostOf(host, posted.url))) return next();
    if (!isOwnHost(host, here)) return problem(403, 'not_allowed', 'The Host header does not name this Bosun');
    if (!isOwnOrigin(c.req.header('origin'), here))
      return problem(403, 'not_allowed', 'The Origin header does not name this Bosun');
    return next();
  };
}

export function onlyKnownCallers(web: WebContext): MiddlewareHandler<Env> {
  const sights = new VisibleContexts(web);
  return async (c, next) => {
    const caller = callerOf(c, web);
    if (caller?.kind === 'session' && !isAskedHere(c))
      return problem(403, 'not_allowed', "This request did not come from one of Bosun's pages");
    if (caller?.kind === 'session' && !caller.hasPageKey && !isReading(c)) return refuseWithoutPageKey();
    if (caller !== null) {
      prove(c, web);
      c.set('web', sights.seenBy(caller));
      return next();
    }
    if (isForReading(c)) return loginPage();
    const hint =
      'Send "Authorization: Bearer <token>" with the token in the file BOSUN_HOME/token, or log in with "bosun web".';
    const refused = problem(401, 'not_allowed', "This request needs Bosun's API token", hint);
    refused.headers.set('www-authenticate', 'Bearer realm="bosun"');
    return refused;
  };
}

export const onlyOwner: MiddlewareHandler<Env> = async (c, next) => {
  if (c.var.web.who.kind === 'home-owner') return next();
  return problem(403, 'not_allowed', 'Only the owner of this Bosun may do that');
};

export function isForReading(c: Context<Env>): boolean {
  return c.req.method === 'GET' && (c.req.path === '/' || (c.req.header('accept') ?? '').includes('text/html'));
}

function isReading({ req }: Context<Env>): boolean {
  return req.method === 'GET' || req.method === 'HEAD';
}

function refuseWithoutPageKey(): Response {
  const detail = 'This browser can only read: it did not send the key that its page got at login';
  const hint = 'Log in again with a new link from "bosun web" and JavaScript enabled, or use "bosun say" in a shell.';
  return problem(403, 'not_allowed', detail, hint);
}

/**
 * CSRF: other ports of this machine are the same site, so SameSite does not suffice. A change must come from our
 * origin; a read may be a followed link.
 */
function isAskedHere(c: Context<Env>): boolean {
  const from = c.req.header('sec-fetch-site') ?? 'same-origin';
  if (!isReading(c)) return c.req.header('origin') !== undefined && from === 'same-origin';
  const isFollowed = c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document';
  return from === 'same-origin' || from === 'none' || isFollowed;
}

export async function login(c: Context<Env>, web: WebContext): Promise<Response> {
  const code = c.req.query('code');
  if (code === undefined) return loginPage(null, 200);
  // A link preview's HEAD must not use up the code.
  const session = c.req.method === 'GET' ? web.logins.redeem(code) : null;
  if (session === null) return loginPage('That link has already been used, or is older than ten minutes.');
  return loggedIn(web, session);
}

const maxFormBytes = 4 * 1024;

/** A person pastes the API token into the login page. */
export async function loginByToken(c: Context<Env>, web: WebContext): Promise<Response> {
  if (!isAskedHere(c)) return problem(403, 'not_allowed', "This request did not come from one of Bosun's pages");
  const body = await readBody(c.req.raw, maxFormBytes);
  if (body instanceof Response) return body;
  const token = new URLSearchParams(body.toString('utf8')).get('token')?.trim() ?? '';
  if (!isSameSecret(token, web.services.home.apiToken)) return loginPage('That token is wrong.');
  return loggedIn(web, web.logins.begin());
}

/** Ends the session on the server too: a copied cookie is worthless. */
export async function logout(c: Context<Env>, web: WebContext): Promise<Response> {
  if (!isAskedHere(c)) return problem(403, 'not_allowed', "This request did not come from one of Bosun's pages");
  const session = sessionOf(c, web);
  if (session !== null && !hasPageKey(c, session)) return refuseWithoutPageKey();
  const shown = await loggedOutPage(session === null || isEndKept(web, session.id));
  shown.headers.set('set-cookie', cookieOf(web, '', 0));
  return shown;
}

function isEndKept({ logins, log }: WebContext, session: string): boolean {
  try {
    logins.end(session);
    return true;
  } catch (error) {
    log(`the end of a browser session could not be stored: ${String(error)}`, { level: 'error' });
    return false;
  }
}

async function loggedIn(web: WebContext, { id, pageKey }: NewSession): Promise<Response> {
  const shown = await loggedInPage(pageKey);
  shown.headers.set('set-cookie', cookieOf(web, id, sessionTtlMs / 1000));
  return shown;
}

function cookieOf(web: WebContext, session: string, maxAge: number): string {
  return generateCookie(cookieName(web), session, { httpOnly: true, sameSite: 'Strict', path: '/', maxAge });
}
