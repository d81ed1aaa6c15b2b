// Connections that show nothing do not keep others out.
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type Given, given, openLines } from './given.js';

const halfHeader = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ';

/** Resolves once it is connected and has sent that much. */
function client({ web }: Given, sent: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: web.port });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('connect', () => socket.write(sent, () => resolve(socket))));
}

const closed = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    if (socket.closed) resolve(text);
    socket.once('close', () => resolve(text));
  });

const warnings = ({ logged }: Given) => logged.filter((line) => line.startsWith('web: closed'));

it('1,100 connections with half a header keep out neither health checks, logins nor open streams', async () => {
  const bosun = await given();
  const authorization = `Bearer ${bosun.home.apiToken}`;
  const stream = await openLines(`${bosun.web.url}/api/stream`, { headers: { authorization } });
  await stream.next();
  for (let many = 0; many < 11; many += 1) {
    await Promise.all(Array.from({ length: 100 }, () => client(bosun, halfHeader)));
    expect((await bosun.call('/healthz')).status).toBe(200);
    expect((await bosun.call('/login')).status).toBe(200);
  }
  const { items } = (await bosun.post('/api/say', { text: 'help' })).json() as { items: { id: string }[] };
  expect(await stream.until('id: ')).toBe(`id: ${items[0]?.id}`);
  await stream.close();
  expect(warnings(bosun)).toEqual([
    expect.stringMatching(/^web: closed 1 connection .* from 127\.0\.0\.1; at most 600/),
  ]);
});

it('closed connections are logged once a minute with their number', async () => {
  let at = 1_000_000;
  const bosun = await given({ now: () => at, limits: { unprovenPerAddress: 2 } });
  const sockets = [];
  for (let many = 0; many < 6; many += 1) sockets.push(await client(bosun, halfHeader));
  await Promise.all(sockets.slice(0, 4).map(closed));
  at += 60_000;
  const oldest = closed(sockets[4] as Socket);
  await client(bosun, halfHeader);
  await oldest;
  expect(warnings(bosun)).toEqual([
    expect.stringContaining('closed 1 connection that'),
    expect.stringContaining('closed 4 connections that'),
  ]);
});

it('a connection whose headers, or whose body without proof, take too long is closed', async () => {
  const bosun = await given({ limits: { headersMs: 100, unprovenBodyMs: 100 } });
  const host = `127.0.0.1:${bosun.web.port}`;
  const post = `POST /hooks/shop HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\n{`;
  expect(await closed(await client(bosun, ''))).toMatch(/^HTTP\/1\.1 408|^$/);
  expect(await closed(await client(bosun, halfHeader))).toMatch(/^HTTP\/1\.1 408/);
  expect(await closed(await client(bosun, post))).toBe('');
});

it('an authenticated request may take as long as its body takes', async () => {
  const bosun = await given({ limits: { unprovenBodyMs: 50, unprovenPerAddress: 1 } });
  const body = '{"text":"status shop"}';
  const head = (way: string) =>
    `${way} HTTP/1.1\r\nHost: 127.0.0.1:${bosun.web.port}\r\nAuthorization: Bearer ${bosun.home.apiToken}\r\n`;
  const slow = await client(bosun, `${head('HEAD /api/projects')}\r\n`);
  await new Promise((resolve) => slow.once('data', resolve));
  slow.write(`${head('POST /api/say')}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  const answer = closed(slow);
  // Each of these takes the place of one that shows nothing, and is closed when its time is up.
  for (let many = 0; many < 3; many += 1)
    await closed(
      await client(bosun, `POST /login HTTP/1.1\r\nHost: 127.0.0.1:${bosun.web.port}\r\nContent-Length: 9\r\n\r\n`),
    );
  slow.write(body.slice(5));
  expect(await answer).toMatch(/^HTTP\/1\.1 200/);
});
