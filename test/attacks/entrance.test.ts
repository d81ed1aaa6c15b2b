// Requests that no browser and no client of Bosun sends, byte by byte, against the whole web side.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Given, given, hookSecret } from '../web/given.js';

/** What comes back until the server closes, or has sent its headers where it goes on. */
function raw(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      if (answer.includes('text/event-stream') && answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(request, 'latin1');
  });
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`;

describe('a malformed request', () => {
  const api = 'GET /api/projects HTTP/1.1';
  it.each<[attack: string, request: (own: string, token: string) => string, statuses: readonly number[]]>([
    [
      'two Host headers, the own one first',
      (own, token) => lines(api, `Host: ${own}`, 'Host: evil.example', token),
      [400, 403],
    ],
    [
      'two Host headers, the own one last',
      (own, token) => lines(api, 'Host: evil.example', `Host: ${own}`, token),
      [400, 403],
    ],
    ['no Host at all', (_own, token) => lines(api, token), [400]],
    ['user information in Host', (own, token) => lines(api, `Host: evil@${own}`, token), [400, 403]],
    [
      'a foreign absolute address with the own Host',
      (own) => lines('GET http://evil.example/api/projects HTTP/1.1', `Host: ${own}`, 'Connection: close'),
      [401],
    ],
    [
      'the own absolute address with a foreign Host',
      (own, token) => lines(`GET http://${own}/api/projects HTTP/1.1`, 'Host: evil.example', token),
      [403],
    ],
    [
      'a length and chunks at once',
      (own, token) =>
        `${lines('POST /api/say HTTP/1.1', `Host: ${own}`, token, 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\nGET /metrics`,
      [400],
    ],
    ['70 KB of headers', (own, token) => lines(api, `Host: ${own}`, token, `X-Long: ${'x'.repeat(70_000)}`), [431]],
    ['TRACE', (own, token) => lines('TRACE /api/projects HTTP/1.1', `Host: ${own}`, token), [405]],
    ['CONNECT', (own) => lines('CONNECT 127.0.0.1:22 HTTP/1.1', `Host: ${own}`), [0, 400, 405]],
    [
      'an upgrade to a WebSocket without a proof',
      (own) => lines('GET /live HTTP/1.1', `Host: ${own}`, 'Upgrade: websocket', 'Connection: Upgrade, close'),
      [401],
    ],
  ])('gets no data: %s', async (_attack, request, statuses) => {
    const { home, web } = await given();
    const token = `Authorization: Bearer ${home.apiToken}\r\nConnection: close`;
    const answer = await raw(web.port, request(`127.0.0.1:${web.port}`, token));
    expect(statuses).toContain(statusOf(answer));
    expect(answer).not.toContain('shop');
  });

  it('with a WebSocket upgrade gets an event stream and no socket', async () => {
    const { home, web } = await given();
    const headers = [`Host: 127.0.0.1:${web.port}`, `Authorization: Bearer ${home.apiToken}`];
    const upgrade = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: YQ==',
    ];
    const answer = await raw(web.port, lines('GET /api/stream HTTP/1.1', ...headers, ...upgrade));
    expect([statusOf(answer), answer.includes('text/event-stream')]).toEqual([200, true]);
  });
});

it('path traversal finds no file, workflow or project', async () => {
  const { home, web } = await given();
  const token = `Authorization: Bearer ${home.apiToken}`;
  const up = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..\\', '....//', '..%5c', '..%00/'];
  const targets = up.flatMap((step) => [
    `/assets/${step.repeat(6)}etc/passwd`,
    `/assets/${step}${step}package.json`,
    `/workflows/${step.repeat(6)}etc/passwd`,
    `/projects/${step}config.yaml`,
    `/api/projects/${step}token`,
  ]);
  const more = [
    '/assets//etc/passwd',
    `/workflows/${encodeURIComponent(home.configPath)}`,
    '/assets/%',
    '/api/runs/%ff',
  ];
  for (const target of [...targets, ...more]) {
    const answer = await raw(
      web.port,
      lines(`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${web.port}`, token, 'Connection: close'),
    );
    expect([target, [400, 404].includes(statusOf(answer))]).toEqual([target, true]);
    for (const secret of ['root:', '"dependencies"', 'hook_secret', home.apiToken])
      expect(answer).not.toContain(secret);
  }
});

it('pages cannot be framed and share no process with another site', async () => {
  const { get } = await given();
  for (const path of ['/', '/api/projects', '/nothing'])
    expect((await get(path)).headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': expect.stringMatching(/^(no-referrer|same-origin)$/),
    });
});

describe('a forged hook delivery', () => {
  const body = '{"status":"pass","summary":"done by hand"}';
  const macOf = (over: string, secret = hookSecret) => createHmac('sha256', secret).update(over).digest('hex');
  const seconds = () => Math.floor(Date.now() / 1000);

  async function statusWith({ call, app }: Given, headers: Record<string, string>, sent: string | Buffer = body) {
    const { status } = await call('/hooks/shop', { method: 'POST', headers, body: sent });
    return [status, app.runtime.store.messages('local', null, 9).length];
  }

  it.each<[attack: string, signature: () => string]>([
    ['a zero before its time', () => `t=0${seconds()},v1=${macOf(`0${seconds()}.${body}`, 'guessed')}`],
    ['a signature with an empty secret', () => `t=${seconds()},v1=${macOf(`${seconds()}.${body}`, '')}`],
    ['a signature in capital letters', () => `t=${seconds()},v1=${macOf(`${seconds()}.${body}`).toUpperCase()}`],
    ['two signatures', () => `t=${seconds()},v1=${'0'.repeat(64)},v1=${macOf(`${seconds()}.${body}`)}`],
    [
      'two headers as one',
      () => `t=${seconds()},v1=${'0'.repeat(64)}, t=${seconds()},v1=${macOf(`${seconds()}.${body}`)}`,
    ],
    ['a body without its time', () => `t=${seconds()},v1=${macOf(body)}`],
    ['a negative time', () => `t=-${seconds()},v1=${macOf(`-${seconds()}.${body}`)}`],
  ])('is refused: %s', async (_attack, signature) => {
    expect(await statusWith(await given(), { 'x-bosun-signature': signature() })).toEqual([401, 0]);
  });

  it('is a duplicate under another alias or with a zero before its time', async () => {
    const bosun = await given();
    const t = seconds();
    const send = (path: string, stamp: string) =>
      bosun.call(path, {
        method: 'POST',
        headers: { 'x-bosun-signature': `t=${stamp},v1=${macOf(`${stamp}.${body}`)}`, 'x-bosun-delivery': 'd1' },
        body,
      });
    expect((await send('/hooks/shop', `${t}`)).json()).not.toHaveProperty('duplicate');
    expect((await send('/hooks/A', `${t}`)).json()).toMatchObject({ duplicate: true });
    expect((await send('/hooks/SHOP', `0${t}`)).json()).toMatchObject({ duplicate: true });
  });

  it('is not decompressed, and deep nesting and prototype keys do no harm', async () => {
    const bosun = await given();
    const token = { authorization: `Bearer ${bosun.home.apiToken}` };
    const packed = gzipSync(body);
    expect(await statusWith(bosun, { ...token, 'content-encoding': 'gzip' }, packed)).toEqual([400, 0]);
    const deep = `{"status":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(await statusWith(bosun, token, deep)).toEqual([400, 0]);
    const keys = '{"__proto__":{"status":"pass"},"constructor":{"prototype":{"status":"pass"}}}';
    const [status] = await statusWith(bosun, token, keys);
    expect([status, Object.hasOwn(Object.prototype, 'status')]).toEqual([409, false]);
  });
});
