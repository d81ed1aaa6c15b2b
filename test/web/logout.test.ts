// Logging out: the session ends on Bosun's side, over restarts too.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import { Logins, sessionTtlMs } from '../../src/web/context/logins.js';
import { given, logIn, openLines, waitingAgent } from './given.js';

it('logout ends only the session of this browser, even for a kept cookie', async () => {
  const bosun = await given();
  const { call, home } = bosun;
  const [{ cookie, headers }, other] = [await logIn(bosun), await logIn(bosun)];
  const left = await call('/logout', { method: 'POST', headers });
  expect(left.status).toBe(200);
  expect(left.text).toContain('You are logged out');
  expect(left.headers['set-cookie']?.[0]).toMatch(/^bosun_\d+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
  const status = async (headers: Record<string, string>) => (await call('/api/projects', { headers })).status;
  expect(await status({ cookie })).toBe(401);
  expect(await status({ cookie: other.cookie })).toBe(200);
  expect(await status({ authorization: `Bearer ${home.apiToken}` })).toBe(200);
  const said = await call('/api/say', { method: 'POST', headers, body: '{"text":"status"}' });
  expect(said.status).toBe(401);
});

it('logout is accepted only from a page of Bosun', async () => {
  const bosun = await given();
  const { cookie, headers: own } = await logIn(bosun);
  const { origin: _, ...silent } = own;
  for (const headers of [
    silent,
    { ...own, origin: 'http://evil.example' },
    { ...own, origin: 'null' },
    { ...own, origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    { ...own, 'sec-fetch-site': 'cross-site' },
    { ...own, 'x-bosun-key': '' },
    { ...own, 'x-bosun-key': (await logIn(bosun)).pageKey },
  ])
    expect((await bosun.call('/logout', { method: 'POST', headers })).status).toBe(403);
  expect((await bosun.call('/logout', { headers: { cookie } })).status).toBe(405);
  expect((await bosun.call('/api/projects', { headers: { cookie } })).status).toBe(200);
});

it.each(['/live', '/api/stream'])('logout ends the open stream %s of that browser', async (path) => {
  const bosun = await given();
  const { cookie, headers } = await logIn(bosun);
  const lines = await openLines(`${bosun.web.url}${path}`, { headers: { cookie } });
  await lines.next();
  await bosun.call('/logout', { method: 'POST', headers });
  await lines.rest();
  expect((await bosun.call(path, { headers: { cookie } })).status).toBe(401);
});

it('logout ends a stream that is far behind', async () => {
  const bosun = await given();
  const { cookie, headers } = await logIn(bosun);
  const view = { kind: 'report', text: 'x'.repeat(50_000), buttons: [], offers: [], rings: false, file: null };
  const message = { ...{ thread: 'local', run: null, interaction: null, card: null, at: 1_000 }, view };
  await bosun.app.runtime.submit(() => ({ ...emptyPlan, messages: Array.from({ length: 600 }, () => message) }));
  const lines = await openLines(`${bosun.web.url}/api/stream?after=m0`, { headers: { cookie } });
  await lines.until('id: ');
  await bosun.call('/logout', { method: 'POST', headers });
  const rest = await lines.rest();
  // Some of it was on its way.
  expect(rest.filter((line) => line.startsWith('id: ')).length).toBeLessThan(500);
});

it.each(['/live', '/api/stream'])('session expiry ends the open stream %s', async (path) => {
  let at = Date.now();
  const bosun = await given({ now: () => at });
  const { cookie } = await logIn(bosun);
  at += sessionTtlMs - 1_000;
  const lines = await openLines(`${bosun.web.url}${path}`, { headers: { cookie } });
  expect(lines.status).toBe(200);
  await lines.rest();
  at += 1_000;
  expect((await bosun.call(path, { headers: { cookie } })).status).toBe(401);
});

it('logout ends waiting requests', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const browser = await logIn(bosun);
  await bosun.post('/api/say', { text: 'A: mend the cart', thread: 'web' });
  const headers = { ...browser.headers, 'content-type': 'application/json' };
  const said = (path: string, body: object) =>
    bosun.call(path, { method: 'POST', headers, body: JSON.stringify({ ...body, thread: 'web', wait: true }) });
  const waiting = [
    said('/api/say', { text: 'continue shop' }),
    said('/api/requests', { do: 'say', text: 'status', replyTo: null, as: null, cwd: '/' }),
  ];
  await bosun.attempt();
  await expect.poll(async () => (await bosun.get('/metrics')).text).toMatch(/^bosun_http_open_streams 2$/m);
  await bosun.call('/logout', { method: 'POST', headers });
  for (const reply of await Promise.all(waiting)) expect(reply.text).toContain('You are logged out');
});

function logins() {
  const dir = mkdtempSync(join(tmpdir(), 'bosun-logins-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const clock = { now: 1_000_000_000_000 };
  const home = { dir, secret: 'a'.repeat(64), apiToken: 'b'.repeat(64) };
  return { clock, dir, open: () => new Logins({ now: () => clock.now, home }) };
}

const isGood = (logins: Logins, session: string) => logins.sessionOf(session) !== null;

it('an ended session stays ended after a restart', () => {
  const { open, clock } = logins();
  const first = open();
  const [ended, other] = [first.begin().id, first.begin().id];
  clock.now += 1;
  first.end(ended);
  expect([isGood(first, ended), isGood(first, other)]).toEqual([false, true]);
  expect([isGood(open(), ended), isGood(open(), other)]).toEqual([false, true]);
});

it('ended sessions stay ended beyond the size of their list, and older sessions end with them', () => {
  const { open, clock } = logins();
  const here = open();
  const old = here.begin().id;
  const ended: string[] = [];
  for (let n = 0; n < 150; n += 1) {
    clock.now += 1_000;
    ended.push(here.begin().id);
  }
  const young = here.begin().id;
  for (const one of ended) here.end(one);
  const again = open();
  expect(ended.filter((one) => isGood(here, one) || isGood(again, one))).toEqual([]);
  expect([isGood(again, old), isGood(again, young)]).toEqual([false, true]);
  clock.now += sessionTtlMs - 1;
  const late = again.begin().id;
  again.end(late);
  expect(isGood(open(), late)).toBe(false);
});

it('an invalid session id ends no session', () => {
  const { open } = logins();
  const here = open();
  const session = here.begin().id;
  here.end(`${session.slice(0, -3)}abc`);
  here.end('');
  expect(isGood(open(), session)).toBe(true);
});

it('logout says that it cannot be stored and still ends the session', async () => {
  const bosun = await given();
  const { cookie, headers } = await logIn(bosun);
  rmSync(bosun.home.dir, { recursive: true });
  const left = await bosun.call('/logout', { method: 'POST', headers });
  expect(left.text).toContain('cannot write to its home');
  expect((await bosun.call('/api/projects', { headers: { cookie } })).status).toBe(401);
});
