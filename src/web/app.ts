import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { DamagedError } from '../base/index.js';
import { slowWrongTokens } from './access/wrong-tokens.js';
import { isForReading, login, loginByToken, logout, onlyKnownCallers, onlyOwnAddress, onlyOwner } from './admission.js';
import { notThere, putUpApi } from './api/index.js';
import type { Env, WebContext } from './context/web-context.js';
import { problem, problemOf } from './http/problem.js';
import { postAsk, postPermission, postProgress, postWords } from './inbound/agent-routes.js';
import { postedPaths, postToChannel } from './inbound/channel-posts.js';
import { postHook } from './inbound/hooks.js';
import { type LoopDelay, metricsText } from './metrics/index.js';
import { noSuchPage } from './pages/failure.js';
import { addPages } from './pages/routes.js';
import { assetResponse } from './pages/shared/assets.js';

type Handler = (c: Context<Env>, web: WebContext) => Response | Promise<Response>;

export function webApp(web: WebContext, loopDelay: () => LoopDelay): Hono<Env> {
  const app = new Hono<Env>();
  const get = (path: string, handler: Handler) => app.get(path, (c) => handler(c, web));
  const post = (path: string, handler: Handler) => app.post(path, (c) => handler(c, web));

  app.onError((error) => {
    const refused = problemOf(error);
    if (refused.status === 500) web.log(`web: ${error.stack ?? error.message}`, { level: 'error' });
    return refused;
  });
  app.notFound((c) => {
    const refused = notThere(c.req.method, c.req.path, app.routes);
    const isPage = refused.status === 404 && isForReading(c) && !c.req.path.startsWith('/api/');
    return isPage ? noSuchPage(c.var.web, c.req.path) : refused;
  });
  app.use(safeHeaders(web), onlyOwnAddress(web), slowWrongTokens(web));

  get('/healthz', () => Response.json({ alive: true }));
  get('/readyz', readiness);
  get('/login', login);
  post('/login', loginByToken);
  post('/logout', logout);
  get('/assets/*', (c) => assetResponse(c.req.path) ?? problem(404, 'not_found', 'No such file'));
  post('/hooks/:project', postHook);
  for (const path of postedPaths) post(path, postToChannel);
  post('/agent/ask', postAsk);
  post('/agent/permission', postPermission);
  post('/agent/progress', postProgress);
  post('/agent/words', postWords);

  app.use(onlyKnownCallers(web));
  addPages(app);
  app.get('/metrics', onlyOwner, () => {
    return new Response(metricsText(web, loopDelay()), { headers: { 'content-type': metricsType } });
  });
  putUpApi(app);
  return app;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Ready: the database can be read and written. */
function readiness(_c: Context<Env>, { services, log }: WebContext): Response {
  const { runtime } = services;
  const worker = runtime.isWorking ? 'working' : 'off';
  const state = (ready: boolean, database: string) =>
    Response.json({ ready, database, worker, waiting: runtime.writeState.waiting }, { status: ready ? 200 : 503 });
  try {
    runtime.reader.run('r0');
    runtime.checkFile();
  } catch (error) {
    log(`readyz: ${String(error)}`, { level: 'error' });
    return state(false, error instanceof DamagedError ? 'gone or damaged' : 'not readable');
  }
  const failure = runtime.writeState.problem;
  if (failure === null) return state(true, 'readable');
  return state(false, 'not writable');
}

const apiPolicy = "default-src 'none'; frame-ancestors 'none'";

function safeHeaders(web: WebContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    const { headers, status } = c.res;
    headers.set('x-content-type-options', 'nosniff');
    if (!headers.has('referrer-policy')) headers.set('referrer-policy', 'no-referrer');
    headers.set('cross-origin-resource-policy', 'same-origin');
    headers.set('cross-origin-opener-policy', 'same-origin');
    headers.set('x-frame-options', 'DENY');
    headers.set('permissions-policy', 'camera=(), microphone=(), geolocation=()');
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    if (!headers.has('content-security-policy')) headers.set('content-security-policy', apiPolicy);
    const code = `${Math.floor(status / 100)}xx`;
    web.answered.set(code, (web.answered.get(code) ?? 0) + 1);
  };
}
