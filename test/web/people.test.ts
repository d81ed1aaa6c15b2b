// A link for one of the people: with his rights, and with nothing of projects that he has no role in.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import { type Browser, type Given, given, logIn, openLines, waitingAgent } from './given.js';

const people = { ada: { slack: 'U01ADA' }, bob: { slack: 'U01BOB' }, eve: { slack: 'U01EVE' } };

async function office(agent?: string) {
  const bosun = await given({
    ...(agent === undefined ? {} : { agent }),
    people,
    work: true,
    project: { members: { ada: 'viewer', bob: 'reviewer' } },
    bank: { members: { eve: 'owner' }, hook_secret: 'a secret of the bank' },
  });
  const as = async (name: string) => of(bosun, await logInAs(bosun, name));
  return { bosun, as };
}

async function logInAs(bosun: Given, name: string): Promise<Browser> {
  const { url } = (await bosun.post('/api/login-links', { as: name })).json();
  return logIn(bosun, String(url));
}

function of({ call }: Given, { cookie, headers: own }: Browser) {
  return {
    cookie,
    get: (path: string, headers: Record<string, string> = {}) => call(path, { headers: { cookie, ...headers } }),
    post: (path: string, body: unknown) =>
      call(path, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}

/** A run of a project that waits for its review. */
async function reviewed({ post }: Given, project: string): Promise<{ readonly run: string; readonly press: string }> {
  await post('/api/requests', { do: 'run', project, task: `Paint the ${project}`, wait: true });
  const { items } = (await post('/api/say', { text: `continue ${project}`, thread: project })).json();
  const [asked] = items as { buttons: { press: string }[] }[];
  const press = asked?.buttons[0]?.press ?? '';
  expect(press).toMatch(/^i\d+-\d+\.approve$/);
  return { run: `r${/^i(\d+)/.exec(press)?.[1]}`, press };
}

it('a person sees only the projects they have a role in, on every page and in every answer', async () => {
  const { bosun, as } = await office();
  const shop = await reviewed(bosun, 'shop');
  const bank = await reviewed(bosun, 'bank');
  const ada = await as('ada');
  const ids = async (path: string) => {
    const { items } = (await ada.get(path)).json();
    return (items as { id: string; project?: string }[]).map(({ id, project }) => project ?? id);
  };
  expect(await ids('/api/projects')).toEqual(['shop']);
  expect(await ids('/api/runs')).toEqual(['shop']);
  expect(await ids('/api/inbox')).toEqual(['shop']);
  expect(await ids('/api/cost')).toEqual(['shop']);
  const acts = (await ada.get('/api/audit')).json()['items'] as { run: string }[];
  expect(acts.length).toBeGreaterThan(0);
  expect(acts.filter(({ run }) => run !== shop.run)).toEqual([]);
  for (const path of ['', '/nodes', '/stories', '/events', '/attempts', '/diff']) {
    expect((await ada.get(`/api/runs/${shop.run}${path}`)).status).toBe(200);
    expect((await ada.get(`/api/runs/${bank.run}${path}`)).status).toBe(404);
  }
  const [attempt] = bosun.app.runtime.store.attemptsOfRun(bank.run, 1);
  const id = attempt?.attempt.id ?? '';
  expect((await ada.get(`/api/attempts/${id}`)).status).toBe(404);
  expect((await ada.get(`/api/attempts/${id}/log`)).status).toBe(404);
  const html = { accept: 'text/html' };
  for (const path of [
    '/',
    '/inbox',
    '/history',
    '/costs',
    '/insights',
    '/audit',
    '/chat',
    '/workflows',
    `/runs/${shop.run}`,
  ]) {
    const page = await ada.get(path, html);
    expect([path, page.status]).toEqual([path, 200]);
    expect([path, /bank/.test(page.text)]).toEqual([path, false]);
  }
  for (const path of ['', '/workflow', '/changes', '/history', `/attempts/${id}`])
    expect((await ada.get(`/runs/${bank.run}${path}`, html)).status).toBe(404);
  expect((await ada.get('/projects/bank', html)).status).toBe(404);
  expect((await ada.get('/projects/shop', html)).status).toBe(200);
});

it('only the owner of the home sees pages about all projects or acts past the chat', async () => {
  const { bosun, as } = await office();
  const eve = await as('eve');
  const html = { accept: 'text/html' };
  expect((await eve.get('/', html)).text).not.toContain('href="/workers"');
  for (const path of ['/workers', '/queue', '/metrics']) expect((await eve.get(path, html)).status).toBe(403);
  expect((await eve.get('/audit?check=1', html)).text).not.toContain('sealed with');
  const asked = { do: 'run', project: 'bank', task: 'Anything' };
  expect((await eve.post('/api/requests', asked)).status).toBe(403);
  expect((await eve.post('/api/login-links', { as: 'bob' })).status).toBe(403);
  expect((await eve.post('/hooks/bank', { status: 'pass', summary: 'It is fine' })).status).toBe(401);
  expect(bosun.app.runtime.store.runs(null, 10, null)).toEqual([]);
});

it('a person can do what their role allows, only in their own name and thread', async () => {
  const { bosun, as } = await office();
  const { run, press } = await reviewed(bosun, 'shop');
  const [ada, bob, eve] = [await as('ada'), await as('bob'), await as('eve')];
  const page = await ada.get(`/runs/${run}`, { accept: 'text/html' });
  expect(page.text).toContain('viewer in shop, and this needs the role reviewer');
  expect(page.text).not.toContain(`value="${press}"`);
  expect((await ada.post('/api/press', { press })).json()['exit']).toBe(3);
  expect((await eve.post('/api/press', { press })).json()['exit']).not.toBe(0);
  expect((await bob.post('/api/press', { press, as: 'eve' })).status).toBe(403);
  expect((await bob.post('/api/press', { press, thread: 'web' })).status).toBe(403);
  expect((await bob.post('/api/say', { text: 'start shop: more' })).json()['exit']).toBe(3);
  expect((await bob.get(`/runs/${run}`, { accept: 'text/html' })).text).toContain(`value="${press}"`);
  expect((await bob.post('/api/press', { press })).json()['exit']).toBe(0);
  const given = bosun.app.runtime.store.events(run, 0, 1_000).find(({ event }) => event.type === 'answered');
  expect(given?.event).toMatchObject({ by: 'bob', option: 'approve' });
  expect((await ada.get(`/runs/${run}`, { accept: 'text/html' })).text).toMatch(/Approved by Bob<.*· page</s);
});

it('a question shows its answer button to people who may answer, and abort to people who may end the step', async () => {
  const { bosun, as } = await office(waitingAgent);
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'Wait' });
  const token = attemptToken(bosun.home.secret, await bosun.attempt());
  await vi.waitFor(() => expect(bosun.app.runtime.store.openAttempts()[0]?.attempt.state).toBe('running'), 10_000);
  const asked = bosun.call('/agent/ask', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ key: 'k1', question: 'Which?', wait_s: 25 }),
  });
  await vi.waitFor(() => expect(bosun.app.runtime.store.openInteractions('shop')).toHaveLength(1), 10_000);
  const [open] = bosun.app.runtime.store.openInteractions('shop');
  const id = open?.interaction.id ?? '';
  const bob = await as('bob');
  const html = { accept: 'text/html' };
  const buttonsOf = (text: string) => ['answer', 'abort'].filter((option) => text.includes(`value="${id}.${option}"`));
  expect(buttonsOf((await bob.get('/', html)).text)).toEqual(['answer']);
  const authorization = `Bearer ${bosun.home.apiToken}`;
  const whole = (await bosun.call('/', { headers: { authorization, ...html } })).text;
  expect(buttonsOf(whole)).toEqual(['answer', 'abort']);
  expect((await bob.post('/api/press', { press: `${id}.answer`, text: 'The first' })).json()['exit']).toBe(0);
  expect((await asked).json()).toMatchObject({ state: 'answered', text: 'The first', by: 'bob' });
});

it("the threads of others stay out of a person's chat and stream", async () => {
  const { bosun, as } = await office();
  const bob = await as('bob');
  await bosun.post('/api/say', { text: 'projects', thread: 'web' });
  const lines = await openLines(`${bosun.web.url}/api/stream?after=m0`, { headers: { cookie: bob.cookie } });
  const own = (await bob.post('/api/say', { text: 'projects' })).json()['items'] as { id: string; thread: string }[];
  expect(own.map(({ thread }) => thread)).toEqual(['web-bob']);
  const seen: string[] = [];
  for (let line = await lines.next(); line !== null; line = await lines.next()) {
    if (line.startsWith('data: ')) seen.push(line);
    if (line.includes(`"id":"${own[0]?.id}"`)) break;
  }
  await lines.close();
  expect(seen).toHaveLength(1);
  expect(seen[0]).not.toContain('bank');
  const chat = await bob.get('/chat', { accept: 'text/html' });
  expect(chat.text).toContain('data-thread="web-bob"');
});

it('a session is bound to its person: a cookie that names another person is invalid', async () => {
  const { bosun, as } = await office();
  expect((await bosun.post('/api/login-links', { as: 'mallory' })).status).toBe(403);
  const { cookie } = await as('bob');
  const statusOf = async (sent: string) => (await bosun.call('/api/projects', { headers: { cookie: sent } })).status;
  const named = (name: string) =>
    cookie.replace(/\.[\w-]+\.([\w-]{43})$/, `.${Buffer.from(name).toString('base64url')}.$1`);
  expect(await Promise.all([cookie, named('bob'), named('eve'), named('')].map(statusOf))).toEqual([
    200, 200, 401, 401,
  ]);
  expect(await statusOf(cookie.replace(/\.[\w-]+(\.[\w-]{43})$/, '$1'))).toBe(401);
});

it('a session ends at once when its person is removed from config.yaml', async () => {
  const { bosun, as } = await office();
  const bob = await as('bob');
  expect((await bob.get('/api/projects')).status).toBe(200);
  const config = JSON.parse(readFileSync(bosun.home.configPath, 'utf8'));
  delete config.people.bob;
  delete config.projects.shop.members.bob;
  writeFileSync(bosun.home.configPath, JSON.stringify(config));
  await vi.waitFor(async () => expect((await bob.get('/api/projects')).status).toBe(401), { timeout: 10_000 });
});

it('a card names the people it waits for, and a project page lists its members and settings', async () => {
  const { bosun } = await office();
  const { run } = await reviewed(bosun, 'shop');
  expect((await bosun.get(`/runs/${run}`)).text).toMatch(/you or Bob/);
  const { text } = await bosun.get('/projects/shop');
  const facts = [...text.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>(?:<a[^>]*>)?([^<]+)/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  expect(facts).toEqual(
    expect.arrayContaining([
      ['viewer', 'ada'],
      ['reviewer', 'bob'],
      ['owner', 'the owner of this Bosun'],
      ['Chats', 'none: only the terminal and this page'],
      ['Aliases', 'A'],
      ['Workflow', 'quick'],
      ['Executor', 'agent'],
    ]),
  );
  expect(text).toMatch(/<dt>Budget<\/dt>\s*<dd>no limit/);
  expect(text).toContain(`href="/runs/${run}"`);
});

it('a card that a person put off or handed over leaves their inbox and its count, and comes back', async () => {
  const { bosun } = await office();
  const { press } = await reviewed(bosun, 'shop');
  const [id = ''] = press.split('.');
  const bob = of(bosun, await logInAs(bosun, 'bob'));
  const inbox = async () => (await bob.get('/inbox')).text;
  const say = (text: string) => bob.post('/api/say', { text, thread: 'web-bob' });
  expect(await inbox()).toContain(`id="card-${id}"`);
  for (const time of ['30m', '1h', '3h']) expect(await inbox()).toContain(`value="snooze ${id} ${time}"`);
  await say(`snooze ${id} 1h`);
  const snoozed = await inbox();
  expect(snoozed).not.toContain(`id="card-${id}"`);
  expect(snoozed).toContain('<h2>Snoozed</h2>');
  expect(snoozed).toContain('<title>Inbox · Bosun</title>');
  expect(snoozed).toContain(`value="wake ${id}"`);
  // The owner of the home has not put it off.
  expect((await bosun.get('/inbox')).text).toContain(`id="card-${id}"`);
  await say(`wake ${id}`);
  expect(await inbox()).toContain('<title>(1) Inbox · Bosun</title>');
  await bosun.post('/api/say', { text: `hand ${id} to bob`, thread: 'web' });
  expect((await bosun.get('/inbox')).text).not.toContain(`id="card-${id}"`);
  expect(await inbox()).toContain('from Owner');
  const { items } = (await bob.get('/api/inbox')).json();
  expect(items).toMatchObject([{ id, handed_to: 'bob', handed_by: 'owner' }]);
});

it('a person whom a card waits for is reminded from the inbox, which then says so for an hour', async () => {
  const { bosun, as } = await office();
  const { press } = await reviewed(bosun, 'shop');
  const [id = ''] = press.split('.');
  const others = async () => (await bosun.get('/inbox?show=others')).text;
  const button = `value="remind ${id}"`;
  // A viewer reminds nobody.
  expect((await (await as('ada')).get('/inbox?show=others')).text).not.toContain(button);
  await bosun.post('/api/say', { text: `hand ${id} to bob`, thread: 'web' });
  expect(await others()).toContain(button);
  const told = await bosun.post('/api/remind', { interaction: id });
  expect(JSON.stringify(told.json())).toContain('Reminded Bob');
  expect(await others()).toMatch(/Owner reminded\s*<time[^>]*>just now/);
  expect(await others()).not.toContain(button);
  expect((await bosun.get('/api/inbox')).json()['items']).toMatchObject([{ id, reminded_by: 'owner' }]);
  expect(JSON.stringify((await bosun.post('/api/remind', { interaction: id })).json())).toContain(
    'within the last hour',
  );
});
