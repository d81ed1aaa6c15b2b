import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { beginFault, catchWriter } from '../faults/fault.js';
import { given } from './given.js';

const kiB = 1024;

it('broken, invalid and oversized bodies are refused with a problem that says why', async () => {
  const { post, get } = await given();
  const cases: readonly (readonly [string, string, number, RegExp])[] = [
    ['/api/say', '{"text":', 400, /not JSON/],
    ['/api/say', '', 400, /not JSON/],
    ['/api/say', '[]', 400, /the body/],
    ['/api/say', '{"text":1}', 400, /text/],
    ['/api/say', '{"text":"status","colour":"red"}', 400, /colour/],
    ['/api/say', '{"text":"status","wait":true,"timeout_s":604801}', 400, /timeout_s/],
    ['/api/say', JSON.stringify({ text: 'x'.repeat(200 * kiB) }), 400, /text/],
    ['/api/say', `{"text":"${'x'.repeat(1100 * kiB)}"}`, 413, /too large/],
    ['/api/press', '{}', 400, /press/],
    ['/api/requests', '{"do":"format the disk"}', 400, /do/],
    ['/api/requests', '{"do":"say","text":"status","timeoutMs":604800001}', 400, /timeoutMs/],
    ['/api/requests', `{"do":"say","text":"status"${' '.repeat(1100 * kiB)}}`, 413, /too large/],
    ['/api/requests', ' '.repeat(5300 * kiB), 413, /too large/],
    ['/hooks/shop', '{"status":', 400, /not JSON/],
    ['/hooks/shop', '{"status":5}', 400, /status/],
    ['/hooks/shop', `{"summary":"${'x'.repeat(70 * kiB)}"}`, 413, /too large/],
    ['/hooks/none', '{"status":"pass"}', 404, /none/],
  ];
  for (const [path, body, status, detail] of cases) {
    const reply = await post(path, body);
    const what = `${path} ${body.slice(0, 60)}`;
    expect(`${what}: ${reply.status}`).toBe(`${what}: ${status}`);
    expect(reply.headers['content-type']).toContain('application/problem+json');
    expect(reply.json()['detail']).toMatch(detail);
    expect(reply.text).not.toMatch(/\.ts:|\.js:|node_modules/);
  }
  expect((await get('/healthz')).status).toBe(200);
});

it('a chunked body without a content length is limited too', async () => {
  const { home, web } = await given();
  const piece = new TextEncoder().encode(' '.repeat(64 * kiB));
  let pieces = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (pieces++ < 32 ? controller.enqueue(piece) : controller.close()),
  });
  const headers = { authorization: `Bearer ${home.apiToken}` };
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  const status = await fetch(`${web.url}/api/say`, init).then(
    (reply) => reply.status,
    // Whoever goes on sending may be cut off before it reads the answer.
    () => 413,
  );
  expect(status).toBe(413);
});

it('an unknown path is answered with a problem', async () => {
  const { get, post } = await given();
  for (const reply of [await get('/nothing/here'), await post('/api/nothing', {}), await get('/api/runs/r1/none')]) {
    expect(reply.status).toBe(404);
    expect(reply.json()).toMatchObject({ status: 404, error: { code: 'not_found' } });
  }
});

it('a wrong method is answered with 405 and the allowed methods', async () => {
  const { call, home } = await given();
  const headers = { authorization: `Bearer ${home.apiToken}` };
  const cases = [
    ['POST', '/api/projects', 'GET, HEAD'],
    ['DELETE', '/api/runs/r1', 'GET, HEAD'],
    ['GET', '/api/say', 'POST'],
    ['OPTIONS', '/api/press', 'POST'],
    ['PUT', '/metrics', 'GET, HEAD'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['GET', '/hooks/shop', 'POST'],
  ] as const;
  for (const [method, path, allow] of cases) {
    const reply = await call(path, { method, headers });
    expect([method, path, reply.status, reply.headers.allow]).toEqual([method, path, 405, allow]);
    expect(reply.json()).toMatchObject({ status: 405, detail: `There is no route ${method} ${path}` });
  }
});

it('an internal error is answered without details, which are logged', async () => {
  const { app, get, post, logged } = await given();
  app.runtime.store.close();
  const failed = await get('/api/inbox');
  expect(failed.status).toBe(500);
  expect(failed.text).not.toMatch(/\.ts:|\.js:|at /);
  const ready = await get('/readyz');
  expect(ready.status).toBe(503);
  expect(ready.json()).toMatchObject({ ready: false, database: 'not readable' });
  expect((await get('/healthz')).status).toBe(200);
  expect((await post('/api/login-links', {})).status).toBe(200);
  expect(logged.join('\n')).toMatch(/web:/);
});

it('/readyz answers 503 while the database is not writable, and recovers by itself', async () => {
  const { opened, db } = await catchWriter(() => given());
  const { get, post, logged } = opened;
  const ready = async () => {
    const reply = await get('/readyz');
    return [reply.status, reply.json()['database']];
  };
  expect(await ready()).toEqual([200, 'readable']);
  const end = beginFault('full', db);
  const refused = await post('/api/say', { text: 'status' });
  expect([refused.status, refused.json()['detail']]).toEqual([expect.any(Number), expect.stringContaining('no space')]);
  expect(await ready()).toEqual([503, 'not writable']);
  expect((await get('/api/projects')).status).toBe(200);
  expect((await get('/metrics')).text).toMatch(/^bosun_database_problem 1$/m);
  expect(logged.join('\n')).toContain('cannot write the database');
  end();
  await expect.poll(ready, { interval: 50 }).toEqual([200, 'readable']);
});

it('/readyz answers 503 once the database file is gone, and the runtime reports itself broken', async () => {
  const { app, get, home } = await given();
  rmSync(home.dbPath);
  const reply = await get('/readyz');
  expect([reply.status, reply.json()['database']]).toEqual([503, 'gone or damaged']);
  expect((await app.runtime.broken).message).toContain('was deleted');
});
