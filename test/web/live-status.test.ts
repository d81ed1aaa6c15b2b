// `bosun status` beside a Bosun that runs: what attempts at work tell is in its memory alone, and is asked for.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { statusText } from '../../src/bot/index.js';
import { withActivity } from '../../src/cli/service/live-status.js';
import { acquireLock, type Lock } from '../../src/config/home/lock.js';
import { projectStatus } from '../../src/dispatch/index.js';
import type { Home } from '../open-home.js';
import { openStore } from '../open-store.js';
import { type Given, given, waitingAgent } from './given.js';

const talking = `echo 'compiling the cart'\n${waitingAgent}`;
const held: Lock[] = [];
afterEach(() => {
  for (const lock of held.splice(0)) lock.release();
});

async function listenAs(home: Home, port: number): Promise<void> {
  const acquired = await acquireLock(home, { waitMs: 0, info: { port, role: 'up' } });
  if (acquired.kind !== 'acquired') throw new Error('the home is in use');
  held.push(acquired.lock);
}

async function atWork(): Promise<Given> {
  const bosun = await given({ agent: talking, work: true });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'Make it', wait: false });
  const attempt = await bosun.attempt();
  while (!bosun.app.runtime.lastSign(attempt)?.line) await new Promise((resolve) => setTimeout(resolve, 10));
  return bosun;
}

/** As another process reads it. */
function stored({ home, app }: Given) {
  const [shop] = app.config().projects;
  if (!shop) throw new Error('no project');
  const store = openStore(home.dbPath, { readonly: true });
  try {
    return projectStatus(store, shop, Date.now());
  } finally {
    store.close();
  }
}

it('status shows the live activity of an attempt', async () => {
  const bosun = await atWork();
  await listenAs(bosun.home, bosun.web.port);
  expect(statusText(stored(bosun))).not.toContain('compiling');
  const live = await withActivity(bosun.home, stored(bosun));
  expect(live.health).toBe('running');
  expect(statusText(live)).toContain('working, attempt 1 of 3, compiling the cart');
  const web = await (await bosun.get('/api/projects/shop')).json();
  expect(live.nodes).toEqual(web['nodes']);
});

it('status shows the stored state when no Bosun answers', async () => {
  const bosun = await atWork();
  const before = stored(bosun);
  expect(await withActivity(bosun.home, before)).toEqual(before);
  await listenAs(bosun.home, await deadPort());
  expect(await withActivity(bosun.home, before)).toEqual(before);
  for (const answer of ['{"health":"fine"}', 'hello', '']) {
    const other = createServer((_, response) => response.end(answer));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    held.at(-1)?.update({ port: (other.address() as AddressInfo).port });
    expect(await withActivity(bosun.home, before)).toEqual(before);
  }
});

/** One that was just given back. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('status stops reading an endless response', async () => {
  const bosun = await atWork();
  const before = stored(bosun);
  let sent = 0;
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const endless = createServer((_, response) => {
    const more = () => {
      sent += chunk.length;
      response.write(chunk, (error) => error ?? more());
    };
    more();
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void endless.close());
  await listenAs(bosun.home, (endless.address() as AddressInfo).port);
  expect(await withActivity(bosun.home, before)).toEqual(before);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(64 * chunk.length);
});
