// A Bosun that runs and hangs: whoever talks to it is not kept for ever.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { askLoginLink, sendToRunning } from '../../src/cli/service/remote-client.js';
import type { CliRequest } from '../../src/cli/service/speak.js';
import { acquireLock } from '../../src/config/home/lock.js';
import { openHome } from '../open-home.js';
import { bosun, newFolder } from './given.js';

async function hanging(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const silent: RequestListener = () => undefined;
const silenceMs = 300;

function speaking(home: ReturnType<typeof openHome>): CliRequest {
  const request = { do: 'say', thread: 'local', text: 'status' } as unknown as CliRequest['request'];
  const ignore = () => undefined;
  return { home, request, wait: false, timeoutMs: 60_000, print: ignore, warn: ignore };
}

const said = /The running Bosun on port \d+ has sent nothing for/;

it('a command sent to a running Bosun times out when no response comes', async () => {
  const home = openHome(newFolder());
  const sent = sendToRunning(home, silenceMs)(await hanging(silent), speaking(home));
  await expect(sent).rejects.toMatchObject({ code: 'timeout', message: expect.stringMatching(said) });
});

it('a command sent to a running Bosun times out when a response stalls, but not while keepalives arrive', async () => {
  const home = openHome(newFolder());
  let beats = 0;
  const port = await hanging((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => {
      beats += 1;
      response.write('\n');
      if (beats === 8) clearInterval(timer);
    }, silenceMs / 3);
  });
  const sent = sendToRunning(home, silenceMs)(port, speaking(home));
  await expect(sent).rejects.toMatchObject({ code: 'timeout', message: expect.stringMatching(said) });
  expect(beats).toBe(8);
});

it('bosun doctor reports a running Bosun that does not answer', async () => {
  const home = openHome(newFolder());
  const about = async () => (await bosun(['doctor'], { home: home.dir })).out.match(/^.* running: .*$/m)?.[0];
  expect(await about()).toBe('ok    running: Bosun is not running in this home');
  const port = await hanging((request, response) => {
    if (request.url === '/healthz') response.end('{}');
  });
  const got = await acquireLock(home, { waitMs: 0, info: { port, role: 'up' } });
  if (got.kind !== 'acquired') throw new Error('no lock');
  onTestFinished(() => got.lock.release());
  expect(await about()).toBe(`ok    running: pid ${process.pid}, port ${port}`);
  const other = await hanging(silent);
  got.lock.update({ port: other });
  expect(await about()).toBe(`bad   running: pid ${process.pid}, port ${other} does not answer`);
});

it.each([200, 500])('a command stops reading an endless response, HTTP %i', async (status) => {
  const home = openHome(newFolder());
  const line = `${'x'.repeat(1024 * 1024)}\n`;
  const port = await hanging((_, response) => response.writeHead(status).end(line.repeat(3)));
  await expect(askLoginLink(home, port, null)).rejects.toMatchObject({ code: 'limit' });
});
