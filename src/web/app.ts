// All routes, and what holds for each of them.
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { postAsk, postPermission, postProgress } from './agents.js';
import { callerOf, login, onlyKnownCallers, onlyOwnAddress } from './entrance.js';
import type { LoopDelay } from './event-loop.js';
import { postHook } from './hooks.js';
import { metricsText } from './metrics.js';
import { dashboard } from './pages/dashboard.js';
import { pageResponse } from './pages/page.js';
import { runPage } from './pages/run.js';
import { postedPaths, postToChannel } from './posted.js';
import { problem, problemOf } from './problem.js';
import { getEvents, getInbox, getProject, getProjects, getRun, getRuns, getStories } from './reads.js';
import { postRequest } from './requests.js';
import { postPress, postSay } from './say.js';
import type { Env, Site } from './site.js';
import { getStream } from './stream.js';

type Handler = (c: Context<Env>, site: Site) => Response | Promise<Response>;

export function webApp(site: Site, loopDelay: () => LoopDelay): Hono<Env> {
  const app = new Hono<Env>();
  const get = (path: string, handler: Handler) => app.get(path, (c) => handler(c, site));
  const post = (path: string, handler: Handler) => app.post(path, (c) => handler(c, site));

  app.onError((error) => {
    const refused = problemOf(error);
    if (refused.status === 500) site.log(`web: ${error.stack ?? error.message}`);
    return refused;
  });
  app.notFound((c) => problem(404, 'not_found', `There is no ${c.req.method} ${c.req.path.slice(0, 200)}`));
  app.use(safeHeaders(site), onlyOwnAddress(site));

  get('/healthz', () => Response.json({ alive: true }));
  get('/readyz', readiness);
  get('/login', login);
  post('/hooks/:project', postHook);
  for (const path of postedPaths) post(path, postToChannel);
  post('/agent/ask', postAsk);
  post('/agent/permission', postPermission);
  post('/agent/progress', postProgress);

  app.use(onlyKnownCallers(site));
  get('/', async () => pageResponse(await dashboard(site), 200));
  get('/runs/:run', (c, { desk }) => getRunPage(c, desk.room.store));
  get('/metrics', () => new Response(metricsText(site, loopDelay()), { headers: { 'content-type': metricsType } }));
  get('/api/projects', getProjects);
  get('/api/projects/:project', getProject);
  get('/api/runs', getRuns);
  get('/api/runs/:run', getRun);
  get('/api/runs/:run/stories', getStories);
  get('/api/runs/:run/events', getEvents);
  get('/api/inbox', getInbox);
  get('/api/stream', getStream);
  post('/api/requests', postRequest);
  post('/api/say', postSay);
  post('/api/press', postPress);
  post('/api/login-links', newLoginLink);
  return app;
}

async function getRunPage(c: Context<Env>, store: Site['desk']['room']['store']): Promise<Response> {
  const id = c.req.param('run') ?? '';
  const spine = store.spine(id);
  if (!spine) return problem(404, 'not_found', `No run "${id.slice(0, 200)}"`, 'GET /api/runs lists them.');
  return pageResponse(await runPage(store, spine), 200);
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

function readiness(_c: Context<Env>, { desk, log }: Site): Response {
  const worker = desk.room.isWorking ? 'working' : 'off';
  try {
    desk.room.store.run('r0');
    return Response.json({ ready: true, database: 'readable', worker });
  } catch (error) {
    log(`readyz: ${String(error)}`);
    return Response.json({ ready: false, database: 'not readable', worker }, { status: 503 });
  }
}

/** A browser's session makes no further ones: that takes the token. */
function newLoginLink(c: Context<Env>, site: Site): Response {
  if (callerOf(c, site) !== 'token') return problem(403, 'not_allowed', 'A link takes the token of this Bosun');
  return Response.json({ url: `${site.url()}/login?code=${site.logins.newCode()}` });
}

const apiPolicy = "default-src 'none'; frame-ancestors 'none'";

function safeHeaders(site: Site): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    const { headers, status } = c.res;
    headers.set('x-content-type-options', 'nosniff');
    headers.set('referrer-policy', 'no-referrer');
    headers.set('cross-origin-resource-policy', 'same-origin');
    headers.set('cross-origin-opener-policy', 'same-origin');
    headers.set('x-frame-options', 'DENY');
    headers.set('cache-control', 'no-store');
    if (!headers.has('content-security-policy')) headers.set('content-security-policy', apiPolicy);
    const code = `${Math.floor(status / 100)}xx`;
    site.answered.set(code, (site.answered.get(code) ?? 0) + 1);
  };
}
