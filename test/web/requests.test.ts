import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Given, given, type Lines, openLines, waitingAgent } from './given.js';

async function ask({ home, web }: Given, body: unknown): Promise<Lines> {
  const headers = { authorization: `Bearer ${home.apiToken}` };
  return openLines(`${web.url}/api/requests`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const parsed = (line: string) => JSON.parse(line) as Record<string, Record<string, unknown>>;

it('streams what is posted in the thread while a run walks to where it needs a person', async () => {
  const bosun = await given({ work: true });
  const request = { do: 'run', project: 'shop', task: 'say hello', wait: true, timeoutMs: 20_000 };
  const lines = (await (await ask(bosun, request)).rest()).map(parsed);
  expect(lines.at(-1)).toEqual({ exit: 0 });
  const messages = lines.slice(0, -1).map((line) => line['message'] ?? {});
  for (const message of messages) expect(message).toMatchObject({ message: /^m\d+$/, thread: 'local' });
  const review = messages.find((message) => message['kind'] === 'review');
  expect(JSON.stringify(review?.['buttons'])).toMatch(/"press":"i[^"]+\.approve"/);
  const status = (await bosun.get('/api/projects/shop')).json();
  expect(status).toMatchObject({ project: 'shop', health: 'waiting', run: { status: 'paused' } });
});

it('keeps the line open, and a client that goes away stops nothing', async () => {
  const bosun = await given({ work: true, agent: waitingAgent, heartbeatMs: 20 });
  const request = { do: 'run', project: 'shop', task: 'wait', wait: true, timeoutMs: 20_000 };
  const { home, web, app } = bosun;
  const gone = new AbortController();
  const answer = await fetch(`${web.url}/api/requests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${home.apiToken}` },
    body: JSON.stringify(request),
    signal: gone.signal,
  });
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.endsWith('}\n\n\n')) break;
  }
  const attempt = await bosun.attempt();
  gone.abort();
  writeFileSync(bosun.goPath, '');
  expect(await app.runtime.whenAtRest('shop', 15_000)).toBe(true);
  expect(app.runtime.store.attempt(attempt)?.attempt.outcome).toBe('pass');
  expect(app.runtime.store.openInteractions('shop').map((open) => open.interaction.kind)).toEqual(['review']);
});

it('says 4 when the time is up, and the work goes on', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const lines = await (await ask(bosun, { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 50 })).rest();
  expect(lines.at(-1)).toBe('{"exit":4}');
  expect(await bosun.attempt()).toContain('r1');
});

it('ends with the exit of what was not understood, and with the error of what failed', async () => {
  const bosun = await given();
  const unclear = await (await ask(bosun, { do: 'say', text: 'colourless green ideas' })).rest();
  expect(unclear.at(-1)).toBe('{"exit":2}');
  const failed = await (await ask(bosun, { do: 'run', project: 'none', task: 'x' })).rest();
  expect(failed.map(parsed)).toMatchObject([{ error: { code: 'not_found', message: 'No project "none"' } }]);
  const stranger = await (await ask(bosun, { do: 'say', text: 'status', as: 'mallory' })).rest();
  expect(stranger.map(parsed)).toMatchObject([{ error: { code: 'not_allowed' } }]);
});

it('gives its place back at its end: after more than may be open at a time, the next one is served', async () => {
  const bosun = await given();
  for (let many = 0; many < 6; many += 1) {
    const asked = await Promise.all(
      Array.from({ length: 40 }, () => ask(bosun, { do: 'run', project: 'none', task: 'x' })),
    );
    for (const lines of asked) {
      expect(lines.status).toBe(200);
      expect((await lines.rest()).map(parsed)).toMatchObject([{ error: { code: 'not_found' } }]);
    }
  }
  expect((await bosun.get('/metrics')).text).toMatch(/^bosun_http_open_streams 0$/m);
});

it('ends open answers when it closes', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const lines = await ask(bosun, { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 60_000 });
  await bosun.attempt();
  await bosun.web.close();
  expect((await lines.rest()).map(parsed).at(-1)).toMatchObject({ error: { code: 'not_now' } });
  writeFileSync(bosun.goPath, '');
  await bosun.app.runtime.whenAtRest(null, 15_000);
});

it('takes a message and a press, and gives back what was posted', async () => {
  const { post, get } = await given({ work: true });
  const proposed = (await post('/api/say', { text: 'A: say hello' })).json();
  expect(proposed).toMatchObject({ exit: 0, items: [{ id: /^m\d+$/, thread: 'local', kind: 'confirm' }] });
  const inbox = (await get('/api/inbox')).json();
  const [open] = inbox['items'] as { id: string; options: { press: string }[] }[];
  expect(inbox).toMatchObject({ items: [{ project: 'shop', kind: 'confirm' }], next: null });
  const started = await post('/api/press', { press: open?.options[0]?.press, wait: true, timeout_s: 20 });
  expect(started.headers['content-type']).toContain('application/json');
  expect(started.json()).toMatchObject({ exit: 0 });
  expect(started.text).toContain('"kind":"review"');
  const elsewhere = (await post('/api/say', { text: 'status shop', thread: 't7' })).json();
  expect(elsewhere).toMatchObject({ exit: 0, items: [{ thread: 't7', kind: 'answer' }] });
  expect((await post('/api/say', { text: 'what is this' })).json()).toMatchObject({ exit: 2 });
});
