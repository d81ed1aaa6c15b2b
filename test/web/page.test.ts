import { expect, it } from 'vitest';
import { given } from './given.js';

const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp.exe & {{x}} </title></style>';

it('shows projects, what needs a person and the last messages, and how to answer', async () => {
  const { get, post } = await given();
  await post('/api/say', { text: 'A: mend the cart' });
  const reply = await get('/');
  expect(reply.headers['content-type']).toContain('text/html');
  expect(reply.text).toMatch(/Needs a person[\s\S]*mend the cart[\s\S]*Projects[\s\S]*shop[\s\S]*Last messages/);
  expect(reply.text).toMatch(/bosun press i[\w.-]+/);
});

it('leaves hostile text inert and asks nobody else for anything', async () => {
  const { get, post } = await given();
  await post('/api/say', { text: `A: ${hostile}`, thread: '<b>t</b>' });
  const { text, headers } = await get('/');
  expect(text).toContain('&lt;script&gt;alert(1)');
  expect(text).not.toMatch(/<script|<img|<b>|<link|<iframe|<form/i);
  expect(text.replaceAll(/href="\/runs\/r\d+"/g, '')).not.toMatch(/<[^>]*\s(on\w+|src|href)=/i);
  expect(text).not.toContain('\u202e');
  expect(text.match(/<\/style>/g)).toHaveLength(1);
  expect(headers['content-security-policy']).not.toMatch(/unsafe|script-src|https?:|\*/);
});

it('tells whoever is not logged in how to log in, and nothing else', async () => {
  const { call, post } = await given();
  await post('/api/say', { text: 'A: a secret plan' });
  const reply = await call('/');
  expect(reply.status).toBe(401);
  expect(reply.text).toContain('bosun web');
  expect(reply.text).not.toMatch(/shop|secret plan/);
});

it('shows a run with its stories, what each must fulfil and how often it came back, and stays inert', async () => {
  const { get, post } = await given();
  const stories = [{ id: 'US-1', title: hostile, acceptanceCriteria: ['orders are listed', hostile] }];
  const said = { do: 'import', project: 'shop', file: 'prd.json', workflow: 'micro-waterfall', stories };
  await post('/api/requests', said);
  const { text, headers } = await get('/runs/r1');
  expect(headers['content-type']).toContain('text/html');
  expect(text).toMatch(/<strong>US-1<\/strong> <span class="mark">ready<\/span>[\s\S]*orders are listed[\s\S]*story /);
  expect(text).not.toMatch(/<script|<img|\u202e/i);
  expect((await get('/')).text).toContain('<a href="/runs/r1">r1</a>');
  expect((await get('/runs/r9')).json()).toMatchObject({ status: 404, detail: 'No run "r9"' });
});
