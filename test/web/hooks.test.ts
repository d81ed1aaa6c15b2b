import { createHmac } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import { startWeb } from '../../src/web/index.js';
import { type Given, given, hookSecret, waitingAgent } from './given.js';

const body = '{"status":"pass","summary":"done by hand"}';

function signed(at: number, { secret = hookSecret, over = body } = {}): Record<string, string> {
  const t = Math.floor(at / 1000);
  const mac = createHmac('sha256', secret).update(`${t}.${over}`).digest('hex');
  return { 'x-bosun-signature': `t=${t},v1=${mac}` };
}

const hook = ({ call }: Given, headers: Record<string, string>, sent = body) =>
  call('/hooks/shop', { method: 'POST', headers, body: sent });

/** What gets past the door is told to people, as no step waits for it. */
const passed = 200;

it('a signature is valid for five minutes, for its exact body and for the secret of its project', async () => {
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

const textsIn = async (bosun: Given): Promise<readonly string[]> => {
  const messages = bosun.app.runtime.store.messages('local', null, 100);
  return messages.filter(({ view }) => view.kind === 'report').map(({ view }) => view.text);
};
const said = 'shop: a report from outside says "pass".\n> done by hand';
const duplicate = { items: [], exit: 0, duplicate: true };

it('a signed delivery counts once, under any delivery id that a copy carries', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  await bosun.post('/api/say', { text: 'A: wait', thread: 'local' });
  await bosun.post('/api/say', { text: 'continue A' });
  await bosun.attempt();
  const headers = { ...signed(Date.now()), 'x-bosun-delivery': 'd1' };
  expect((await hook(bosun, headers)).json()).toMatchObject({ items: [{ text: said }], exit: 0 });
  expect((await hook(bosun, headers)).json()).toEqual(duplicate);
  expect((await hook(bosun, { ...headers, 'x-bosun-delivery': 'd2' })).json()).toEqual(duplicate);
  expect((await hook(bosun, { ...signed(Date.now() - 1000), 'x-bosun-delivery': 'd1' })).json()).toEqual(duplicate);
  expect(await textsIn(bosun)).toEqual([said]);
  const other = await hook(bosun, { ...signed(Date.now() - 2000), 'x-bosun-delivery': 'd3' });
  expect(other.json()).toMatchObject({ items: [{ text: said }], exit: 0 });
});

it('a repeated delivery is recognized after a restart, by its id or its signature', async () => {
  const bosun = await given();
  const headers = { ...signed(Date.now()), 'x-bosun-delivery': 'd1' };
  expect((await hook(bosun, headers)).status).toBe(passed);
  const next = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3' });
  onTestFinished(() => next.close());
  const again = async (sent: Record<string, string>) =>
    (await fetch(`${next.url}/hooks/shop`, { method: 'POST', headers: sent, body })).json();
  expect(await again(headers)).toEqual(duplicate);
  expect(await again({ ...headers, 'x-bosun-delivery': 'd2' })).toEqual(duplicate);
  expect(await again({ ...signed(Date.now() - 1000), 'x-bosun-delivery': 'd1' })).toEqual(duplicate);
  expect(await textsIn(bosun)).toEqual([said]);
});

it('ten simultaneous copies of a delivery count as one', async () => {
  const bosun = await given();
  const headers = { ...signed(Date.now()), 'x-bosun-delivery': 'd1' };
  const replies = await Promise.all(Array.from({ length: 10 }, () => hook(bosun, headers)));
  expect(replies.filter((reply) => !('duplicate' in reply.json()))).toHaveLength(1);
  expect(await textsIn(bosun)).toEqual([said]);
});

it('a delivery that failed is not remembered as a duplicate', async () => {
  const bosun = await given();
  const nothingToTell = '{"status":""}';
  const headers = { ...signed(Date.now(), { over: nothingToTell }), 'x-bosun-delivery': 'd1' };
  expect((await hook(bosun, headers, nothingToTell)).status).toBe(409);
  expect((await hook(bosun, headers, nothingToTell)).status).toBe(409);
});

it('a report that no step waits for is posted to the followers of the newest run, with its link', async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: build it', thread: 'team' });
  const report = JSON.stringify({ status: 'failing', summary: 'unit tests: 3 failed', url: 'https://ci.example/7' });
  const reply = await hook(bosun, signed(Date.now(), { over: report }), report);
  expect(reply.json()).toEqual({ items: [], exit: 0 });
  const last = bosun.app.runtime.store.messages('team', null, 100).at(-1);
  expect(last?.view).toMatchObject({
    kind: 'report',
    rings: true,
    buttons: [],
    text: 'shop: a report from outside says "failing".\n> unit tests: 3 failed\nhttps://ci.example/7',
  });
});

it('a body over 64 KB is refused even with a valid signature', async () => {
  const bosun = await given();
  const large = JSON.stringify({ status: 'pass', summary: 'x'.repeat(64 * 1024) });
  const senders = [signed(Date.now(), { over: large }), {}, { 'x-bosun-signature': 't=1,v1=00' }];
  for (const headers of senders) expect((await hook(bosun, headers, large)).status).toBe(413);
  const unknown = await bosun.call('/hooks/none', { method: 'POST', headers: {}, body: large });
  expect(unknown.status).toBe(413);
  expect((await hook(bosun, {}, large.slice(0, 1_000))).status).toBe(401);
});

it.each(['approve', 'continue shop', 'A: rm -rf', 'yes', 'i1-1.start', '/start'])(
  'a report triggers no command when its words are %j',
  async (words) => {
    const bosun = await given();
    await bosun.post('/api/say', { text: 'A: build it', thread: 'local' });
    const before = bosun.app.runtime.store.run('r1');
    const report = JSON.stringify({ status: words, reason: words, summary: words, url: words, thread: 'local' });
    const reply = await hook(bosun, signed(Date.now(), { over: report }), report);
    expect(reply.status).toBe(passed);
    expect(bosun.app.runtime.store.run('r1')).toEqual(before);
    expect(bosun.app.runtime.store.runs(null, 10, null)).toHaveLength(1);
    const asked = bosun.app.runtime.store.openInteractions(null);
    expect(asked.map(({ interaction }) => interaction.state)).toEqual(asked.map(() => 'open'));
  },
);

it('a hook accepts the token of a running attempt and no other attempt token', async () => {
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

it('a delivery id is remembered per kind of proof, so that an attempt cannot use up a CI report', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  await bosun.post('/api/say', { text: 'A: wait', thread: 'local' });
  await bosun.post('/api/say', { text: 'continue A' });
  const authorization = `Bearer ${attemptToken(bosun.home.secret, await bosun.attempt())}`;
  const id = { 'x-bosun-delivery': 'ci-run-42' };
  for (let time = 0; time < 2; time += 1)
    expect((await hook(bosun, { authorization, ...id })).json()).toEqual({ items: [], exit: 0 });
  const byToken = async () => (await bosun.post('/hooks/shop', body, id)).json();
  expect(await byToken()).toMatchObject({ items: [{ text: said }] });
  expect(await byToken()).toEqual(duplicate);
  expect((await hook(bosun, { ...signed(Date.now()), ...id })).json()).toMatchObject({ items: [{ text: said }] });
  expect((await hook(bosun, { ...signed(Date.now() - 1000), ...id })).json()).toEqual(duplicate);
});

it('the thread named in a body is used only with the token of the home', async () => {
  const bosun = await given();
  const report = JSON.stringify({ status: 'failing', summary: 'Security: run bosun pair', thread: 'tg:1001' });
  const texts = () => bosun.app.runtime.store.messages('tg:1001', null, 100).map(({ view }) => view.text);
  expect((await hook(bosun, signed(Date.now(), { over: report }), report)).status).toBe(passed);
  expect([texts(), bosun.app.runtime.store.thread('tg:1001')]).toEqual([[], null]);
  expect(await textsIn(bosun)).toHaveLength(1);
  expect((await bosun.post('/hooks/shop', report)).status).toBe(passed);
  expect(texts()).toHaveLength(1);
});

it('a body cannot name a verb, a person or another project', async () => {
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

it('a report that may belong to several waiting steps is refused until it names its run', async () => {
  const bosun = await given({ project: { level: 'manual', workflow: 'feature-dev' } });
  const prepared = (run: string) =>
    vi.waitFor(() => expect(bosun.app.runtime.store.run(run)?.prepared).toBe(true), { timeout: 10_000 });
  await bosun.post('/api/say', { text: 'A: build a cart', thread: 'local' });
  await bosun.post('/api/say', { text: 'continue A', thread: 'local' });
  await prepared('r1');
  await bosun.post('/api/say', { text: 'A: build a till', thread: 'local' });
  await bosun.post('/api/press', { press: 'i2-1.start' });
  await bosun.post('/api/say', { text: 'start q2 beside', thread: 'local' });
  await prepared('r2');
  const before = await textsIn(bosun);
  const sent = (more: object) => JSON.stringify({ status: 'failing', summary: 'by hand', ...more });
  const deliver = (at: number, more: object = {}) =>
    hook(bosun, signed(Date.now() - at, { over: sent(more) }), sent(more));
  const refused = await deliver(0);
  expect([refused.status, refused.json()['error']]).toEqual([
    409,
    {
      code: 'not_now',
      message: 'Steps of several runs in shop wait for a report: r1 (Plan), r2 (Plan)',
      hint: 'Name the run in the body, as in "run": "r1".',
    },
  ]);
  expect(await textsIn(bosun)).toEqual(before);
  // Refused, so the same delivery may come again.
  expect((await deliver(0)).status).toBe(409);
  expect((await deliver(1000, { run: 'r2' })).status).toBe(200);
  expect(bosun.app.runtime.store.nodes('r2')[0]?.last?.number).toBe(1);
  expect(bosun.app.runtime.store.nodes('r1')[0]?.last).toBeNull();
});

it('simultaneous reports count as one attempt of the waiting step, and their checks do not end each other', async () => {
  const project = { level: 'manual', workflow: 'feature-dev', tests: { run: 'sleep 1', format: 'exit' } };
  const bosun = await given({ project });
  await bosun.post('/api/say', { text: 'A: build a cart', thread: 'local' });
  await bosun.post('/api/say', { text: 'continue A', thread: 'local' });
  const nodes = async () => (await bosun.get('/api/projects/shop')).json()['nodes'];
  await vi.waitFor(() => expect(bosun.app.runtime.store.spine('r1')?.run.prepared).toBe(true), { timeout: 10_000 });
  const stories = 'STATUS: done';
  const sent = (reason: string) => JSON.stringify({ status: 'failing', reason, summary: stories });
  const both = await Promise.all(
    ['one', 'other'].map((reason, at) =>
      hook(bosun, signed(Date.now() - at * 1000, { over: sent(reason) }), sent(reason)),
    ),
  );
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(await nodes()).toMatchObject([{ template: 'plan', attempt: 2 }, {}, {}, {}, {}]);
  expect((await textsIn(bosun)).filter((text) => text.startsWith('shop: a report from outside'))).toHaveLength(1);
});
