import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Given, given, type Lines, openLines, waitingAgent } from './given.js';

async function ask({ home, web }: Given, body: unknown): Promise<Lines> {
  const headers = { authorization: `Bearer ${home.apiToken}` };
  return openLines(`${web.url}/api/requests`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const parsed = (line: string) => JSON.parse(line) as Record<string, Record<string, unknown>>;

it('the messages of a thread are streamed while a run walks to its review', async () => {
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

it('a heartbeat keeps the stream open, and a client that disconnects stops nothing', async () => {
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

it('a timeout ends the stream with exit 4 while the work continues', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const lines = await (await ask(bosun, { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 50 })).rest();
  expect(lines.at(-1)).toBe('{"exit":4}');
  expect(await bosun.attempt()).toContain('r1');
});

it('an unclear message ends with its exit code, and a failed request with its error', async () => {
  const bosun = await given();
  const unclear = await (await ask(bosun, { do: 'say', text: 'colourless green ideas' })).rest();
  expect(unclear.at(-1)).toBe('{"exit":2}');
  const failed = await (await ask(bosun, { do: 'run', project: 'none', task: 'x' })).rest();
  expect(failed.map(parsed)).toMatchObject([{ error: { code: 'not_found', message: 'No project "none"' } }]);
  const stranger = await (await ask(bosun, { do: 'say', text: 'status', as: 'mallory' })).rest();
  expect(stranger.map(parsed)).toMatchObject([{ error: { code: 'not_allowed' } }]);
});

it('ended requests free their slots, so that later ones are served', async () => {
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

it('shutdown ends open responses with an error', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const lines = await ask(bosun, { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 60_000 });
  await bosun.attempt();
  await bosun.web.close();
  expect((await lines.rest()).map(parsed).at(-1)).toMatchObject({ error: { code: 'not_now' } });
  writeFileSync(bosun.goPath, '');
  await bosun.app.runtime.whenAtRest(null, 15_000);
});

it('/api/say and /api/press return the posted messages', async () => {
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
