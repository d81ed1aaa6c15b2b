// Streams that nobody takes from, streams that many take from, and what a client gets that was cut off.

import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { batchOf } from '../../empty-batch.js';
import { type Given, given, openLines } from '../given.js';

/** Messages that are long enough to fill whatever buffers lie between. */
function postMany({ app }: Given, count: number, chars: number): readonly string[] {
  const view = { kind: 'report', text: 'x'.repeat(chars), buttons: [], offers: [], rings: false, file: null };
  const message = { thread: 'local', run: null, interaction: null, card: null, view, at: 1_000 };
  const posted = app.runtime.store.commit(batchOf({ messages: Array.from({ length: count }, () => message) }));
  return posted.map(({ id }) => id);
}

/** A client that asks for a stream and takes nothing of it until it is told to. */
function silentClient({ web, home }: Given, path: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: web.port });
  onTestFinished(() => void socket.destroy());
  // What comes of it being cut off is looked at by what it got.
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\nAuthorization: Bearer ${home.apiToken}\r\n\r\n`);
  return socket;
}

const openStreams = async ({ get }: Given) =>
  Number(/^bosun_http_open_streams (\d+)$/m.exec((await get('/metrics')).text)?.[1]);

/** What came in before it was cut off lies with the system and can still be taken. */
async function idsThat(socket: Socket): Promise<readonly string[]> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await closed;
  // The last one may have come in part.
  return [...text.matchAll(/^id: (m\d+)\n(?=event: message\ndata: .*\n\n)/gm)].map(([, id = '']) => id);
}

it('a client that stops reading is disconnected and gets the rest when it reconnects', async () => {
  const bosun = await given({ stuckAfterMs: 1_000, heartbeatMs: 50 });
  const ids = postMany(bosun, 600, 50_000);
  const stuck = silentClient(bosun, '/api/stream?after=m0');
  await expect.poll(() => openStreams(bosun), { timeout: 10_000 }).toBe(1);
  await expect.poll(() => openStreams(bosun), { timeout: 10_000 }).toBe(0);
  const seen = await idsThat(stuck);
  expect(seen.length).toBeLessThan(ids.length);
  const lines = await openLines(`${bosun.web.url}/api/stream`, {
    headers: { authorization: `Bearer ${bosun.home.apiToken}`, 'last-event-id': seen.at(-1) ?? 'm0' },
  });
  const rest: string[] = [];
  while (rest.at(-1) !== ids.at(-1)) rest.push((await lines.until('id: ')).slice(4));
  await lines.close();
  expect([...seen, ...rest]).toEqual(ids);
}, 30_000);

it('an idle client that reads everything stays connected', async () => {
  const bosun = await given({ stuckAfterMs: 60, heartbeatMs: 10_000 });
  const lines = await openLines(`${bosun.web.url}/api/stream`, {
    headers: { authorization: `Bearer ${bosun.home.apiToken}` },
  });
  await lines.next();
  // So many other requests take longer than it is given.
  const begun = performance.now();
  while (performance.now() - begun < 200) await bosun.get('/healthz');
  const [id] = postMany(bosun, 1, 10);
  const said = (await bosun.post('/api/say', { text: 'help' })).json() as { items: { id: string }[] };
  expect(await lines.until('id: ')).toBe(`id: ${id}`);
  expect(await lines.until('id: ')).toBe(`id: ${said.items[0]?.id}`);
  await lines.close();
});

it('two hundred streams get a message at once without delaying other requests', async () => {
  const bosun = await given();
  const headers = { authorization: `Bearer ${bosun.home.apiToken}` };
  const open = (path: string) => openLines(`${bosun.web.url}${path}`, { headers });
  const half = Array.from({ length: 99 });
  const [streams, pages] = await Promise.all([
    Promise.all(half.map(() => open('/api/stream'))),
    Promise.all(half.map(() => open('/live?after=x'))),
  ]);
  await Promise.all(pages.map((lines) => lines.until('id: ')));
  await Promise.all(streams.map((lines) => lines.until('retry')));
  const begun = performance.now();
  const told = Promise.all([...streams, ...pages].map((lines) => lines.until('id: ')));
  const said = (await bosun.post('/api/say', { text: 'help' })).json() as { items: { id: string }[] };
  const from = performance.now();
  expect((await bosun.get('/healthz')).status).toBe(200);
  expect(performance.now() - from).toBeLessThan(1_500);
  const ids = await told;
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(new Set(ids.slice(0, 99))).toEqual(new Set([`id: ${said.items[0]?.id}`]));
  await Promise.all([...streams, ...pages].map((lines) => lines.close()));
  await expect.poll(() => openStreams(bosun)).toBe(0);
}, 30_000);

it('a database failure under streams frees their slots, and streams work again afterwards', async () => {
  const bosun = await given();
  const { browsing } = bosun.app.runtime.store;
  const fail = () => {
    throw new Error('disk I/O error');
  };
  const whole = { ...browsing };
  Object.assign(browsing, { newestSeq: fail, newestMessage: fail });
  const headers = { authorization: `Bearer ${bosun.home.apiToken}` };
  const tried = (path: string) =>
    fetch(`${bosun.web.url}${path}`, { headers }).then(
      (reply) => reply.text().catch(() => 'cut off'),
      () => 'cut off',
    );
  for (const path of ['/live', '/api/stream']) for (let n = 0; n < 201; n += 1) await tried(path);
  Object.assign(browsing, whole);
  for (const path of ['/live', '/api/stream']) {
    const lines = await openLines(`${bosun.web.url}${path}`, { headers });
    expect(lines.status).toBe(200);
    await lines.close();
  }
}, 30_000);
