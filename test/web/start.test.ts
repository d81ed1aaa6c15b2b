import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { takeOtherLoopback } from '../../src/web/http/loopbacks.js';
import { startWeb } from '../../src/web/index.js';
import { itWhere } from '../it-where.js';
import { given } from './given.js';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

it('refuses to listen on other addresses without hook secrets', async () => {
  const { app } = await given();
  const config = () => {
    const read = app.config();
    return { ...read, projects: read.projects.map((project) => ({ ...project, hookSecret: null })) };
  };
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'bosun.example']) {
    await expect(startWeb({ ...app, config }, { host, port: 0, version: '1' })).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining('shop'),
    });
  }
  const own = await startWeb({ ...app, config }, { host: '127.0.0.1', port: 0, version: '1' });
  await own.close();
});

it('listens on every address with hook secrets, and refuses a foreign Host', async () => {
  const { web, call, home } = await given({ host: '0.0.0.0' });
  expect(web.url).toBe(`http://127.0.0.1:${web.port}`);
  const authorization = `Bearer ${home.apiToken}`;
  expect((await call('/api/projects', { headers: { authorization } })).status).toBe(200);
  const foreign = { authorization, host: `rebound.example:${web.port}` };
  expect((await call('/api/projects', { headers: foreign })).status).toBe(403);
});

itWhere(hasIpv6, 'this machine has no ::1')(
  'listens on ::1 as well, where browsers look first for *.localhost',
  async () => {
    const { web } = await given();
    expect(new URL(web.loginLink()).hostname).toMatch(/\.localhost$/);
    expect((await fetch(`http://[::1]:${web.port}/healthz`)).status).toBe(200);
    await web.close();
    await expect(fetch(`http://[::1]:${web.port}/healthz`)).rejects.toThrow();
  },
);

itWhere(hasIpv6, 'this machine has no ::1')(
  'uses 127.0.0.1 in its links and warns when another program has that port on ::1',
  async () => {
    const stranger = createServer();
    await new Promise<void>((resolve) => stranger.listen(0, '::1', resolve));
    onTestFinished(() => void stranger.close());
    const address = stranger.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { web, logged } = await given({ port });
    expect(new URL(web.loginLink()).host).toBe(`127.0.0.1:${port}`);
    expect(logged.join('\n')).toContain(`[::1]:${port} first, and another program uses it`);
  },
);

it.each([
  ['127.0.0.1', null, true, 1],
  ['0.0.0.0', 'EADDRNOTAVAIL', true, 1],
  ['127.0.0.1', 'EAFNOSUPPORT', true, 1],
  ['127.0.0.1', 'EADDRINUSE', false, 1],
  ['127.0.0.1', 'EACCES', false, 1],
  ['::1', null, true, 0],
  ['127.0.0.9', null, false, 0],
])('on %s, asks for its port of ::1, gets %s: its name is its own: %s', async (address, code, isOwn, asks) => {
  const asked: unknown[] = [];
  const other = createHttpServer();
  Object.assign(other, {
    listen: (at: unknown, done: () => void) => {
      asked.push(at);
      if (code === null) done();
      else other.emit('error', Object.assign(new Error(code), { code }));
    },
  });
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  expect(await takeOtherLoopback({ address, port: 7420, family: 'x' }, other, log)).toBe(isOwn);
  expect(asked).toEqual(Array(asks).fill({ port: 7420, host: '::1' }));
  expect(logged).toHaveLength(asks === 1 && !isOwn ? 1 : 0);
});

it('uses its address in its links when no name below .localhost leads there', async () => {
  const { web } = await given({ host: '127.0.0.9' });
  expect(new URL(web.loginLink()).host).toBe(`127.0.0.9:${web.port}`);
});

it('says which port is taken', async () => {
  const { app, web } = await given();
  await expect(startWeb(app, { host: '127.0.0.1', port: web.port, version: '1' })).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining(String(web.port)),
  });
});

it('stops listening once closed', async () => {
  const { web } = await given();
  await web.close();
  await expect(fetch(`${web.url}/healthz`)).rejects.toThrow();
});
