import { expect, it } from 'vitest';
import { aWalk, batch } from '../store/values.js';
import { type Given, given, openLines, waitingAgent } from './given.js';

const open = ({ home, web }: Given, after: string, headers: Record<string, string> = {}) =>
  openLines(`${web.url}/live?after=${after}`, { headers: { authorization: `Bearer ${home.apiToken}`, ...headers } });

const versionOf = async ({ get }: Given) => /data-version="([^"]+)"/.exec((await get('/')).text)?.[1] ?? '';

it('a live page gets no event until something changes, and then the new version', async () => {
  const bosun = await given({ heartbeatMs: 600 });
  const before = await versionOf(bosun);
  const lines = await open(bosun, before);
  expect(await lines.next()).toBe('retry: 1000');
  expect(await lines.next()).toBe(': still here');
  await bosun.post('/api/say', { text: 'A: mend the cart', thread: 'web' });
  const id = await lines.until('id: ');
  expect(await lines.next()).toBe('event: changed');
  expect(id).toBe(`id: ${await versionOf(bosun)}`);
  expect(id).not.toContain(before);
  await lines.close();
});

it('a reconnecting page gets a change event only if it missed a change', async () => {
  const bosun = await given({ heartbeatMs: 600 });
  const before = await versionOf(bosun);
  await bosun.post('/api/say', { text: 'status', thread: 'web' });
  const after = await versionOf(bosun);
  const missed = await open(bosun, 'whatever', { 'last-event-id': before });
  expect(await missed.until('id: ')).toBe(`id: ${after}`);
  await missed.close();
  const same = await open(bosun, before, { 'last-event-id': after });
  await same.next();
  expect(await same.next()).toBe(': still here');
  await same.close();
});

it('pages show the activity of a running agent without any event', async () => {
  const agent = `echo "step one"\n${waitingAgent}`;
  const bosun = await given({ work: true, agent });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x' });
  await bosun.attempt();
  await expect.poll(async () => (await bosun.get('/')).text, { timeout: 10_000 }).toContain('step one');
  expect((await bosun.get('/workers')).text).toContain('step one');
});

it('a HEAD request to the live stream keeps no stream open', async () => {
  const { call, get, home } = await given();
  const reply = await call('/live', { method: 'HEAD', headers: { authorization: `Bearer ${home.apiToken}` } });
  expect(reply.headers['content-type']).toBe('text/event-stream');
  expect((await get('/metrics')).text).toMatch(/^bosun_http_open_streams 0$/m);
});

it('a running attempt is shown and streamed beside any number of waiting runs', async () => {
  const bosun = await given({ work: true, agent: `echo "step one"\n${waitingAgent}` });
  const waiting = Array.from({ length: 20 }, (_, n) => aWalk(n + 100, 1, { project: `a${n}` }));
  bosun.app.runtime.store.commit(batch({ states: waiting.map((after) => ({ before: null, after })) }));
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x' });
  await bosun.attempt();
  await expect.poll(async () => (await bosun.get('/')).text, { timeout: 10_000 }).toContain('step one');
  const [, , , lastSign] = (await versionOf(bosun)).split('.');
  expect(Number(lastSign)).toBeGreaterThan(0);
});

it('open pages share one database check, and all of them learn of a new message', async () => {
  const bosun = await given({ heartbeatMs: 2_000 });
  const { browsing } = bosun.app.runtime.store;
  const newestSeq = browsing.newestSeq.bind(browsing);
  let looks = 0;
  Object.assign(browsing, {
    newestSeq: () => {
      looks += 1;
      return newestSeq();
    },
  });
  const before = await versionOf(bosun);
  const pages = await Promise.all(Array.from({ length: 40 }, () => open(bosun, before)));
  await Promise.all(pages.map((lines) => lines.until('retry')));
  looks = 0;
  const from = performance.now();
  await Promise.all(pages.map((lines) => lines.until('still here')));
  // Each would look twice in a second.
  expect(looks).toBeLessThan((performance.now() - from) / 100);
  await bosun.post('/api/say', { text: 'status', thread: 'web' });
  const told = await Promise.all(pages.map((lines) => lines.until('id: ')));
  const after = `id: ${await versionOf(bosun)}`;
  expect(new Set(told)).toEqual(new Set([after]));
  await Promise.all(pages.map((lines) => lines.close()));
});
