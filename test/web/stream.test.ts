import { expect, it } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import { type Given, given, openLines } from './given.js';

function open({ home, web }: Given, query = '', headers: Record<string, string> = {}) {
  return openLines(`${web.url}/api/stream${query}`, {
    headers: { authorization: `Bearer ${home.apiToken}`, ...headers },
  });
}

const say = async ({ post }: Given, text: string, thread = 'local') => {
  const { items } = (await post('/api/say', { text, thread })).json() as { items: { id: string }[] };
  return items.map((message) => message.id);
};

it('sends each message with its id as it is posted', async () => {
  const bosun = await given();
  await say(bosun, 'help');
  const lines = await open(bosun);
  expect(await lines.next()).toBe('retry: 2000');
  const [id] = await say(bosun, 'status shop');
  expect(await lines.until('id: ')).toBe(`id: ${id}`);
  expect(await lines.next()).toBe('event: message');
  const data = JSON.parse((await lines.next())?.replace('data: ', '') ?? '');
  expect(data).toMatchObject({ id, message: id, thread: 'local', kind: 'answer' });
  await lines.close();
});

it('resumes after the last message that the client saw', async () => {
  const bosun = await given();
  const view = { kind: 'report', text: 'x', buttons: [], offers: [], rings: false, file: null };
  const about = { run: null, interaction: null, card: null, view, at: 1_000 };
  // Several pages of each thread.
  const messages = Array.from({ length: 130 }, (_, n) => ({ ...about, thread: n % 2 === 0 ? 'local' : 't2' }));
  const ids = (await bosun.app.runtime.submit(() => ({ ...emptyPlan, messages }))).messages.map(({ id }) => id);
  const seen = async (query: string, after: string, last: string) => {
    const lines = await open(bosun, query, { 'last-event-id': after });
    const found: string[] = [];
    while (found.at(-1) !== last) found.push((await lines.until('id: ')).slice(4));
    await lines.close();
    return found;
  };
  const newest = ids.at(-1) ?? '';
  expect(await seen('', ids[2] ?? '', newest)).toEqual(ids.slice(3));
  expect(await seen('?thread=t2', ids[2] ?? '', newest)).toEqual(ids.slice(3).filter((_, index) => index % 2 === 0));
  const lines = await open(bosun, '', { 'last-event-id': 'm999999' });
  const [next] = await say(bosun, 'status shop');
  expect(await lines.until('id: ')).toBe(`id: ${next}`);
  await lines.close();
  expect((await open(bosun, '', { 'last-event-id': 'x' })).status).toBe(400);
});

it('sends a comment as a heartbeat while there is no message', async () => {
  const bosun = await given({ heartbeatMs: 10 });
  const lines = await open(bosun);
  expect(await lines.until(':')).toBe('retry: 2000');
  expect(await lines.next()).toBe(': still here');
  expect(await lines.next()).toBe(': still here');
  await bosun.web.close();
  await lines.rest();
});

it('refuses streams beyond the limit and frees slots when clients disconnect', async () => {
  // Without a heartbeat in between: that a client is gone is seen by its connection alone.
  const bosun = await given();
  const opened = await Promise.all(Array.from({ length: 200 }, () => open(bosun)));
  expect(opened.every((lines) => lines.status === 200)).toBe(true);
  expect((await open(bosun)).status).toBe(503);
  await Promise.all(opened.map((lines) => lines.close()));
  await expect
    .poll(async () => (await bosun.get('/metrics')).text, { interval: 10, timeout: 15_000 })
    .toContain('bosun_http_open_streams 0');
});
