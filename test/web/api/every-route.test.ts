// Every way of the API, called on a Bosun in which much has happened. What comes back is held against the document by
// `call` itself (given.ts); here it is seen that no way is left out and that none of them has nothing to show.

import { expect, it } from 'vitest';
import { apiRoutes } from '../../../src/web/api/index.js';
import { batchOf } from '../../empty-batch.js';
import { wrongWith } from '../contract.js';
import { type Given, given, openLines, type Reply } from '../given.js';

const ways: Readonly<Record<string, string | object>> = {
  'get /api/openapi.json': '/api/openapi.json',
  'get /api/projects': '/api/projects',
  'get /api/projects/:project': '/api/projects/shop',
  'get /api/projects/:project/outlook': '/api/projects/shop/outlook',
  'get /api/runs': '/api/runs?project=shop&limit=2&before=r9',
  'get /api/runs/:run': '/api/runs/r1',
  'get /api/runs/:run/nodes': '/api/runs/r1/nodes?item=US-1&limit=2',
  'get /api/runs/:run/stories': '/api/runs/r1/stories',
  'get /api/runs/:run/events': '/api/runs/r1/events?limit=200',
  'get /api/runs/:run/attempts': '/api/runs/r1/attempts',
  'get /api/runs/:run/diff': '/api/runs/r1/diff',
  'get /api/attempts/:attempt': '/api/attempts/{attempt}',
  'get /api/attempts/:attempt/log': '/api/attempts/{attempt}/log',
  'get /api/inbox': '/api/inbox',
  'get /api/audit': '/api/audit',
  'get /api/cost': '/api/cost',
  'get /api/cost/days': '/api/cost/days',
  'get /api/workflows': '/api/workflows?project=shop',
  'post /api/say': { text: 'status shop' },
  'post /api/press': { press: '{interaction}.approve' },
  'post /api/remind': { interaction: '{interaction}' },
  'post /api/requests': { do: 'say', text: 'status shop', thread: 'local' },
  'post /api/login-links': {},
};
/** What never ends is opened and read from by itself. */
const endless = 'get /api/stream';

const agent = `cat > /dev/null
echo "a line"
echo hello > hello.txt
echo "STATUS: pass"
`;

/** A run with stories of which one waits for its review, and a draft behind it. */
async function lively(): Promise<Given> {
  const bosun = await given({ work: true, agent });
  const at = Date.now();
  const stories = ['US-1', 'US-2'].map((id) => ({ id, title: id, acceptance_criteria: ['it works'] }));
  const file = { file: 'prd.json', workflow: 'micro-waterfall' };
  await bosun.post('/api/requests', { do: 'import', project: 'shop', ...file, stories });
  await bosun.post('/api/say', { text: 'continue A', wait: true, timeout_s: 20 });
  await bosun.post('/api/say', { text: 'A: another one' });
  const spent = [{ project: 'shop', at, usd: 1, tokensIn: 2, tokensOut: 3 }];
  bosun.app.runtime.store.commit(batchOf({ spent }));
  return bosun;
}

async function asked({ app, get, post }: Given, name: string): Promise<Reply> {
  const { store } = app.runtime;
  const [attempt] = store.attemptsOfRun('r1', 1);
  const [open] = store.openInteractions('shop');
  const filled = (text: string) =>
    text.replace('{attempt}', attempt?.attempt.id ?? '').replace('{interaction}', open?.interaction.id ?? '');
  const [method = '', route = ''] = name.split(' ');
  const how = ways[name] ?? '';
  if (method === 'get') return get(filled(String(how)));
  return post(route, filled(JSON.stringify(how)));
}

it('every route answers as documented, with something to show', async () => {
  const bosun = await lively();
  for (const name of Object.keys(ways)) {
    const reply = await asked(bosun, name);
    expect([name, reply.status, reply.text.slice(0, 200)]).toEqual([name, 200, expect.anything()]);
    if (!reply.headers['content-type']?.startsWith('application/json')) continue;
    const { items } = reply.json() as { items?: readonly unknown[] };
    if (items !== undefined) expect([name, items.length > 0]).toEqual([name, true]);
  }
  const lines = await openLines(`${bosun.web.url}/api/stream?after=m0`, {
    headers: { authorization: `Bearer ${bosun.home.apiToken}` },
  });
  expect(await lines.until('id: ')).toBe('id: m1');
  await lines.close();
});

it('the list of routes in this test is complete', () => {
  const known = apiRoutes.map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(ways), endless].sort()).toEqual([...known].sort());
});

it('the response check detects an undocumented response', async () => {
  const bosun = await lively();
  for (const name of Object.keys(ways)) {
    const reply = await asked(bosun, name);
    const type = reply.headers['content-type'] ?? '';
    if (!type.startsWith('application/json')) continue;
    const [method = '', route = ''] = name.split(' ');
    const path = method === 'get' ? String(ways[name]).replace('{attempt}', 'a-1') : route;
    for (const change of [broken, lacking]) {
      const text = JSON.stringify(change(reply.json()));
      expect([name, wrongWith(method.toUpperCase(), path, { status: 200, type, text })]).not.toEqual([name, null]);
    }
  }
});

/** A key more, at the top and in the first of a list. */
function broken(value: Record<string, unknown>): unknown {
  const { items } = value;
  if (Array.isArray(items)) return { ...value, items: [{ id: 7 }, ...items.slice(1)] };
  return 'openapi' in value ? { ...value, openapi: 3 } : { ...value, unheard: true };
}

function lacking(value: Record<string, unknown>): unknown {
  const [, ...others] = Object.entries(value);
  return Object.fromEntries(others);
}

it.each([
  ['POST', '/api/runs', {}, 405],
  ['DELETE', '/api/runs/r1', {}, 405],
  ['PUT', '/api/say', {}, 405],
  ['GET', '/api/say', {}, 405],
  ['GET', '/api/nothing', {}, 404],
  ['GET', '/api/runs/r77/nodes', {}, 404],
  ['GET', '/api/runs', { accept: 'application/xml' }, 406],
  ['GET', '/api/stream', { accept: 'application/json' }, 406],
  ['GET', '/api/runs', { accept: 'application/json;q=0, */*' }, 406],
  ['POST', '/api/say', { accept: 'text/html' }, 406],
])('%s %s %j is answered %i, as a problem', async (method, path, headers, status) => {
  const { call, home, app } = await given();
  const reply = await call(path, {
    method,
    headers: { authorization: `Bearer ${home.apiToken}`, 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: JSON.stringify({ text: 'A: one' }) }),
  });
  expect([reply.status, reply.headers['content-type']]).toEqual([status, expect.stringContaining('problem+json')]);
  expect(reply.json()).toMatchObject({ status, error: { code: expect.any(String), message: expect.any(String) } });
  if (status === 405) expect(reply.headers.allow).toBeTruthy();
  expect(app.runtime.store.run('r1')).toBe(null);
});

it.each([
  '*/*',
  'application/*',
  'application/json',
  'text/html, application/xhtml+xml, */*;q=0.8',
  'Application/JSON; q=0.1',
  '',
])('an Accept header of "%s" gets JSON', async (accept) => {
  const { call, home } = await given();
  const reply = await call('/api/runs', { headers: { authorization: `Bearer ${home.apiToken}`, accept } });
  expect(reply.status).toBe(200);
});

it.each(['/api/say', '/api/press', '/api/requests'])('refuses a body for %s that is too large', async (path) => {
  const { post } = await given();
  const large = path === '/api/requests' ? 6 : 2;
  expect((await post(path, 'x'.repeat(large * 1024 * 1024))).json()).toMatchObject({ status: 413 });
});

it('the nodes of a run come in order, page by page and story by story', async () => {
  const bosun = await lively();
  const whole = (await bosun.get('/api/runs/r1')).json() as { nodes: { id: string; item: string | null }[] };
  expect(whole).toMatchObject({ node_count: whole.nodes.length, nodes_next: null });
  expect(new Set(whole.nodes.map(({ item }) => item)).size).toBeGreaterThan(1);
  expect((await bosun.get('/api/projects/shop')).json()).toMatchObject({ run: { id: 'r1' }, nodes: whole.nodes });
  const part = (await bosun.get('/api/runs/r1?nodes=2')).json() as { nodes: unknown[]; nodes_next: string };
  const seen: unknown[] = [...part.nodes];
  for (let next: string | null = part.nodes_next; next !== null; ) {
    const page = (await bosun.get(`/api/runs/r1/nodes?limit=3&after=${next}`)).json();
    seen.push(...(page['items'] as unknown[]));
    next = page['next'] as string | null;
  }
  expect(seen).toEqual(whole.nodes);
  const own = (await bosun.get('/api/runs/r1/nodes?item=US-1')).json();
  expect(own['items']).toEqual(whole.nodes.filter(({ item }) => item === 'US-1'));
  expect((await bosun.get('/api/runs/r1/nodes?item=US-9')).json()).toMatchObject({ status: 404 });
  expect((await bosun.get('/api/runs/r1/nodes?after=n999')).json()).toMatchObject({ status: 404 });
  expect((await bosun.get('/api/runs/r1?nodes=1001')).status).toBe(400);
});
