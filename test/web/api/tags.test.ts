// Whoever knows an answer already is told so, and it is not made again.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { emptyPlan } from '../../../src/dispatch/index.js';
import { type Given, given, waitingAgent } from '../given.js';

async function asked({ call, home }: Given, path: string, tag?: string, method = 'GET') {
  const known = tag === undefined ? {} : { 'if-none-match': tag };
  const { status, headers, text } = await call(path, {
    method,
    headers: { authorization: `Bearer ${home.apiToken}`, ...known },
  });
  return { status, tag: headers.etag, text };
}

const paths = [
  '/api/projects',
  '/api/projects/shop',
  '/api/runs',
  '/api/runs/r1',
  '/api/runs/r1/nodes',
  '/api/runs/r1/stories',
  '/api/runs/r1/events',
  '/api/runs/r1/attempts',
  '/api/inbox',
  '/api/audit',
  '/api/cost',
];

it('an ETag is answered with 304 until something changes, and then with the new state', async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: one' });
  const tags = new Map<string, string>();
  for (const path of paths) {
    const first = await asked(bosun, path);
    expect([path, first.status, first.tag]).toEqual([path, 200, expect.stringMatching(/^W\/"[^"]+"$/)]);
    expect([path, await asked(bosun, path, first.tag)]).toEqual([path, { status: 304, tag: first.tag, text: '' }]);
    expect((await asked(bosun, path, `"other", ${first.tag}`)).status).toBe(304);
    expect((await asked(bosun, path, '*')).status).toBe(304);
    expect((await asked(bosun, path, '"other"')).status).toBe(200);
    tags.set(path, first.tag ?? '');
  }
  await start(bosun);
  for (const [path, tag] of tags) {
    const later = await asked(bosun, path, tag);
    expect([path, later.status]).toEqual([path, 200]);
    expect(later.tag).not.toBe(tag);
  }
});

const start = ({ app }: Given) =>
  app.runtime.submit((now) => ({
    ...emptyPlan,
    events: [{ type: 'start', run: 'r1', chain: '', at: now.at, by: 'ada', behind: null }],
  }));

it('the ETag of a run changes only with its own events', async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: one' });
  const { tag } = await asked(bosun, '/api/runs/r1');
  await bosun.post('/api/say', { text: 'A: two' });
  expect((await asked(bosun, '/api/runs/r1', tag)).status).toBe(304);
  await start(bosun);
  expect((await asked(bosun, '/api/runs/r1', tag)).status).toBe(200);
});

it('a 304 response does not read the run', async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: one' });
  const { tag } = await asked(bosun, '/api/runs/r1');
  const spine = vi.spyOn(bosun.app.runtime.store, 'spine');
  expect((await asked(bosun, '/api/runs/r1', tag)).status).toBe(304);
  expect(spine).not.toHaveBeenCalled();
});

it('a running attempt removes the ETag, because its activity changes without an event', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: false });
  const id = await bosun.attempt();
  await expect.poll(() => bosun.app.runtime.store.attempt(id)?.attempt.state).toBe('running');
  for (const path of ['/api/projects', '/api/projects/shop', '/api/runs/r1']) {
    expect([path, (await asked(bosun, path)).tag]).toEqual([path, undefined]);
  }
  expect((await asked(bosun, '/api/runs')).tag).toBeDefined();
  writeFileSync(bosun.goPath, '');
});

it('a changed config.yaml changes the ETag', async () => {
  const bosun = await given();
  const { tag } = await asked(bosun, '/api/projects');
  const before = bosun.app.config();
  const text = JSON.parse(readFileSync(bosun.home.configPath, 'utf8'));
  text.projects.shop.aliases = ['A', 'B'];
  writeFileSync(bosun.home.configPath, JSON.stringify(text));
  bosun.app.freshConfig?.();
  await expect.poll(() => bosun.app.config() !== before).toBe(true);
  expect((await asked(bosun, '/api/projects', tag)).status).toBe(200);
});

it('HEAD answers like GET without the body and opens no stream', async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: one' });
  for (const path of [...paths, '/healthz', '/metrics']) {
    expect([path, await asked(bosun, path, undefined, 'HEAD')]).toMatchObject([path, { status: 200, text: '' }]);
  }
  expect((await asked(bosun, '/api/runs/r99', undefined, 'HEAD')).status).toBe(404);
  for (let n = 0; n < 3; n += 1) expect((await asked(bosun, '/api/stream', undefined, 'HEAD')).status).toBe(200);
  expect((await bosun.get('/metrics')).text).toContain('bosun_http_open_streams 0\n');
});
