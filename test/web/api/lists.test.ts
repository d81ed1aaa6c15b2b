import { expect, it } from 'vitest';
import { batchOf } from '../../empty-batch.js';
import { type Given, given } from '../given.js';

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly next: string | null;
}

const page = async ({ get }: Pick<Given, 'get'>, path: string) => (await get(path)).json() as unknown as Page;

/** Three runs: one that waits for its review, two drafts with a proposal each; stories in a fourth. */
async function busy(): Promise<Given> {
  const bosun = await given({ work: true, project: {} });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'one', wait: true, timeoutMs: 20_000 });
  await bosun.post('/api/say', { text: 'A: two' });
  await bosun.post('/api/say', { text: 'A: three' });
  const stories = [1, 2, 3].map((n) => ({ id: `US-${n}`, title: `Story ${n}` }));
  const more = { do: 'import', project: 'shop', file: 'prd.json', workflow: 'micro-waterfall', stories };
  await bosun.post('/api/requests', more);
  const spent = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => {
    return { project: 'shop', at: new Date(`${day}T12:00:00`).getTime(), usd: 1, tokensIn: 2, tokensOut: 3 };
  });
  bosun.app.runtime.store.commit(batchOf({ spent }));
  return bosun;
}

it('paging returns each item once, even one per page, with a cursor for the next page', async () => {
  const bosun = await busy();
  const lists = {
    '/api/projects': 'after',
    '/api/runs': 'before',
    '/api/runs/r4/stories': 'after',
    '/api/runs/r1/events': 'after',
    '/api/runs/r1/attempts': 'after',
    '/api/inbox': 'after',
    '/api/audit': 'before',
    '/api/cost': 'after',
    '/api/cost/days?from=2026-01-01': 'after',
    '/api/workflows': 'after',
  };
  for (const [path, cursor] of Object.entries(lists)) {
    const joined = path.includes('?') ? '&' : '?';
    const whole = await page(bosun, `${path}${joined}limit=200`);
    expect([path, whole.next, whole.items.length > 0]).toEqual([path, null, true]);
    const seen: string[] = [];
    let next: string | null = null;
    for (let pages = 0; pages < 100; pages += 1) {
      const from: string = next === null ? '' : `&${cursor}=${encodeURIComponent(next)}`;
      const one: Page = await page(bosun, `${path}${joined}limit=1${from}`);
      expect(one.items.length).toBeLessThanOrEqual(1);
      seen.push(...one.items.map(({ id }) => id));
      next = one.next;
      if (next === null) break;
    }
    expect([path, seen]).toEqual([path, whole.items.map(({ id }) => id)]);
    expect([path, new Set(seen).size]).toEqual([path, seen.length]);
  }
  expect((await page(bosun, '/api/inbox')).items.length).toBeGreaterThan(1);
});

it('paging continues after an item that was settled meanwhile', async () => {
  const bosun = await busy();
  const [first, ...others] = (await page(bosun, '/api/inbox')).items;
  await bosun.post('/api/press', { press: `${first?.id}.approve` });
  await expect.poll(async () => (await page(bosun, '/api/inbox')).items.map(({ id }) => id)).not.toContain(first?.id);
  const rest = await page(bosun, `/api/inbox?after=${first?.id}`);
  expect(rest.items.map(({ id }) => id)).toEqual(expect.arrayContaining(others.map(({ id }) => id)));
});

it.each([
  ['/api/runs?limt=3', 'There is no query parameter "limt"; did you mean "limit"?'],
  ['/api/runs?projct=shop', 'There is no query parameter "projct"; did you mean "project"?'],
  ['/api/runs/r1/events?befor=3', 'There is no query parameter "befor"'],
  ['/api/projects/shop?limit=1', 'There is no query parameter "limit"'],
  ['/api/stream?thred=t1', 'There is no query parameter "thred"; did you mean "thread"?'],
  ['/api/openapi.json?x=1', 'There is no query parameter "x"'],
  ['/api/projects?constructor=1', 'There is no query parameter "constructor"'],
  ['/api/runs?limit=1&limit=2', '"limit" is given 2 times; give it once'],
  ['/api/runs?limit=0', 'limit: '],
  ['/api/runs?limit=201', 'limit: '],
  ['/api/runs?limit=2.5', 'limit: '],
  ['/api/runs?before=x', 'before: must be the id of a run'],
  ['/api/runs/r1/events?after=-1', 'after: '],
  ['/api/runs/r1/events?after=9007199254740993', 'after: '],
  ['/api/audit?before=0', 'before: '],
  ['/api/cost/days?from=yesterday', 'from: '],
])('refuses %s', async (path, detail) => {
  const { get } = await given();
  const reply = await get(path);
  expect(reply.status).toBe(400);
  expect(reply.headers['content-type']).toContain('application/problem+json');
  expect(reply.json()['detail']).toContain(detail);
});

it.each([
  ['/api/projects?after=none', 'No project "none"'],
  ['/api/inbox?after=i9-9', 'No interaction "i9-9"'],
  ['/api/runs/r1/attempts', 'No run "r1"'],
  ['/api/runs/r1/diff', 'No run "r1"'],
  ['/api/attempts/none', 'No attempt "none"'],
  ['/api/attempts/none/log', 'No attempt "none"'],
  ['/api/cost?after=none', 'No project "none"'],
  ['/api/cost/days?project=none', 'No project "none"'],
  ['/api/workflows?project=none', 'No project "none"'],
])('answers %s with 404 and the name of the missing thing', async (path, detail) => {
  const { get } = await given();
  expect((await get(path)).json()).toMatchObject({ status: 404, detail });
});
