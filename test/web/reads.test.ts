import { expect, it } from 'vitest';
import { given } from './given.js';

it('projects, runs, stories and events are listed page by page', async () => {
  const { get, post } = await given();
  for (const task of ['one', 'two', 'three']) {
    const stories = [{ id: 'US-1', title: task }];
    await post('/api/requests', { do: 'import', project: 'shop', file: 'prd.json', stories });
  }
  expect((await get('/api/projects')).json()).toMatchObject({ items: [{ id: 'shop', aliases: ['A'] }], next: null });
  const first = (await get('/api/runs?project=A&limit=2')).json();
  expect(first).toMatchObject({ items: [{ id: 'r3', project: 'shop', status: 'draft' }, { id: 'r2' }], next: 'r2' });
  expect((await get(`/api/runs?limit=2&before=${first['next']}`)).json()).toMatchObject({
    items: [{ id: 'r1' }],
    next: null,
  });
  expect((await get('/api/runs/r2')).json()).toMatchObject({
    id: 'r2',
    task: 'US-1 two',
    items: [],
    nodes: [{ template: 'implement', item: null }, { template: 'check' }, { template: 'review' }],
  });
  expect((await get('/api/runs/r2/stories')).json()).toMatchObject({ items: [], next: null });
  const events = (await get('/api/runs/r2/events?limit=1')).json();
  expect(events).toMatchObject({ items: [{ type: 'run_created', run: 'r2' }] });
});

it('the stories of a story workflow are listed', async () => {
  const { get, post } = await given();
  const stories = [
    { id: 'US-1', title: 'First' },
    { id: 'US-2', title: 'Second', depends_on: ['US-1'] },
  ];
  await post('/api/requests', {
    do: 'import',
    project: 'shop',
    file: 'prd.json',
    workflow: 'micro-waterfall',
    stories,
  });
  expect((await get('/api/runs/r1/stories')).json()).toMatchObject({
    items: [
      { id: 'US-1', title: 'First', depends_on: [], status: 'ready', retry_count: 0, acceptance_criteria: [] },
      { id: 'US-2', depends_on: ['US-1'] },
    ],
    next: null,
  });
});

it('paging through the events of a run loses and repeats none', async () => {
  const { get, post } = await given({ work: true });
  await post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  const whole = (await get('/api/runs/r1/events?limit=200')).json()['items'] as { id: string }[];
  const seen: string[] = [];
  for (let after: unknown = 0; after !== null; ) {
    const page = (await get(`/api/runs/r1/events?limit=2&after=${after}`)).json();
    seen.push(...(page['items'] as { id: string }[]).map((event) => event.id));
    after = page['next'];
  }
  expect(whole.length).toBeGreaterThan(3);
  expect(seen).toEqual(whole.map((event) => event.id));
});

it('a missing project or run is named in a 404, and an invalid query is a 400', async () => {
  const { get } = await given();
  const cases = {
    '/api/projects/none': 'No project "none"',
    '/api/runs?project=none': 'No project "none"',
    '/api/runs/r99': 'No run "r99"',
    '/api/runs/r99/stories': 'No run "r99"',
    '/api/runs/r99/events': 'No run "r99"',
  };
  for (const [path, detail] of Object.entries(cases)) {
    const reply = await get(path);
    expect(reply.headers['content-type']).toContain('application/problem+json');
    expect(reply.json()).toMatchObject({ status: 404, detail });
  }
  for (const path of [
    '/api/runs?limit=0',
    '/api/runs?limit=9999',
    '/api/runs?before=x',
    '/api/runs/r1/events?after=-1',
  ]) {
    expect(`${path}: ${(await get(path)).status}`).toBe(`${path}: 400`);
  }
});
