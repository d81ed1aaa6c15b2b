import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { attemptToken } from '../../src/dispatch/index.js';
import { type Given, given, hookSecret, waitingAgent } from './given.js';

const body = '{"status":"pass","summary":"done by hand"}';

function signed(at: number, { secret = hookSecret, over = body } = {}): Record<string, string> {
  const t = Math.floor(at / 1000);
  const mac = createHmac('sha256', secret).update(`${t}.${over}`).digest('hex');
  return { 'x-bosun-signature': `t=${t},v1=${mac}` };
}

const hook = ({ call }: Given, headers: Record<string, string>, sent = body) =>
  call('/hooks/shop', { method: 'POST', headers, body: sent });

/** What gets past the door is then told that no step waits for a report. */
const passed = 409;

it('takes a signature only within five minutes, over this very body and with this project’s secret', async () => {
  const now = 1_800_000_000_000;
  const bosun = await given({ now: () => now });
  const minute = 60_000;
  const cases: readonly (readonly [string, Record<string, string>, number])[] = [
    ['now', signed(now), passed],
    ['4 min 59 s ago', signed(now - 5 * minute + 1000), passed],
    ['5 min ahead', signed(now + 5 * minute), passed],
    ['5 min 1 s ago', signed(now - 5 * minute - 1000), 401],
    ['5 min 1 s ahead', signed(now + 5 * minute + 1000), 401],
    ['another body', signed(now, { over: '{"status":"failing"}' }), 401],
    ['another secret', signed(now, { secret: 'guessed' }), 401],
    ['no time', { 'x-bosun-signature': signed(now)['x-bosun-signature']?.split(',')[1] ?? '' }, 401],
    ['cut short', { 'x-bosun-signature': signed(now)['x-bosun-signature']?.slice(0, -2) ?? '' }, 401],
    ['empty', { 'x-bosun-signature': '' }, 401],
    ['none', {}, 401],
  ];
  for (const [what, headers, status] of cases) {
    expect(`${what}: ${(await hook(bosun, headers)).status}`).toBe(`${what}: ${status}`);
  }
});

it('takes a signed delivery once, under whatever id the copy comes', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  await bosun.post('/api/say', { text: 'A: wait', thread: 'local' });
  await bosun.post('/api/say', { text: 'continue A' });
  await bosun.attempt();
  const headers = { ...signed(Date.now()), 'x-bosun-delivery': 'd1' };
  const first = await hook(bosun, headers);
  expect(first.json()).toEqual({ items: [], exit: 0 });
  const duplicate = { items: [], exit: 0, duplicate: true };
  expect((await hook(bosun, headers)).json()).toEqual(duplicate);
  expect((await hook(bosun, { ...headers, 'x-bosun-delivery': 'd2' })).json()).toEqual(duplicate);
  expect((await hook(bosun, { ...signed(Date.now() - 1000), 'x-bosun-delivery': 'd1' })).json()).toEqual(duplicate);
  expect((await hook(bosun, { ...signed(Date.now() - 2000), 'x-bosun-delivery': 'd3' })).json()).toEqual({
    items: [],
    exit: 0,
  });
});

it('takes again what failed the first time', async () => {
  const bosun = await given();
  const headers = { ...signed(Date.now()), 'x-bosun-delivery': 'd1' };
  expect((await hook(bosun, headers)).status).toBe(passed);
  expect((await hook(bosun, headers)).status).toBe(passed);
});

it('takes the token of an attempt that runs, and of no other', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const { home } = bosun;
  expect((await hook(bosun, {}, JSON.stringify({ token: attemptToken(home.secret, 'r1-implement-1-1') }))).status).toBe(
    401,
  );
  await bosun.post('/api/say', { text: 'A: wait' });
  await bosun.post('/api/say', { text: 'continue A' });
  const token = attemptToken(home.secret, await bosun.attempt());
  expect((await hook(bosun, {}, JSON.stringify({ token, status: 'pass' }))).json()).toEqual({ items: [], exit: 0 });
  expect((await hook(bosun, { authorization: `Bearer ${token}` }, '')).json()).toEqual({ items: [], exit: 0 });
  const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
  expect((await hook(bosun, {}, JSON.stringify({ token: wrong }))).status).toBe(401);
  const elsewhere = await bosun.call('/api/projects', { headers: { authorization: `Bearer ${token}` } });
  expect(elsewhere.status).toBe(401);
});

it('lets nothing in the body name a verb, a person or another project', async () => {
  const bosun = await given();
  const reply = await bosun.post('/hooks/shop', {
    do: 'say',
    text: 'A: rm -rf',
    as: 'owner',
    project: 'other',
    status: 'pass',
  });
  expect(reply.status).toBe(passed);
  expect((await bosun.get('/api/runs')).json()).toEqual({ items: [], next: null });
});
