import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { emptyPlan, openRuntime } from '../../src/dispatch/index.js';
import type { OpenChannelRequest } from '../../src/store/messages/channel-requests.js';
import { openHome } from '../open-home.js';
import { runtimeParts } from '../runtime-parts.js';
import { plainly, tempFolder } from './given.js';

const want = (project: string) => ({ type: 'topic', chat: '-1001', project, thread: 'tg:-1001' }) as const;

function opened(folder: string) {
  const home = openHome(folder);
  const runtime = openRuntime({ ...runtimeParts, home, config: () => loadConfig(home, {}), present: plainly });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await runtime.close();
    isClosed = true;
  };
  onTestFinished(close);
  const heard: OpenChannelRequest[] = [];
  return { runtime, heard, close, listen: () => runtime.onWants((one) => heard.push(one)) };
}

it('delivers a channel request after its commit, including those left by an earlier process', async () => {
  const folder = tempFolder();
  const first = opened(folder);
  await first.runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'want', request: want('shop') }] }));
  first.listen();
  await first.runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'want', request: want('blog') }] }));
  expect(first.heard.map(({ project }) => project)).toEqual(['shop', 'blog']);
  await first.runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'want_done', row: first.heard[0]?.n ?? 0 }] }));
  await first.close();
  const second = opened(folder);
  second.listen();
  expect(second.heard.map(({ project }) => project)).toEqual(['blog']);
});

it('delivers each request once, even if a row reuses a finished row’s place', async () => {
  const { runtime, heard, listen } = opened(tempFolder());
  listen();
  for (const project of ['a', 'b', 'c']) {
    await runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'want', request: want(project) }] }));
    await runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'want_done', row: heard.at(-1)?.n ?? 0 }] }));
  }
  expect(heard.map(({ project }) => project)).toEqual(['a', 'b', 'c']);
  expect(runtime.store.wants.open()).toEqual([]);
});

it('delivers no request of a plan that failed', async () => {
  const { runtime, heard, listen } = opened(tempFolder());
  listen();
  const noSuchRun = { type: 'start', run: 'r9', chain: '', at: 1, by: 'ada', behind: null } as const;
  const good = runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'want', request: want('shop') }] }));
  await expect(
    runtime.submit(() => ({ ...emptyPlan, events: [noSuchRun], effects: [{ type: 'want', request: want('blog') }] })),
  ).rejects.toThrow('r9');
  await good;
  expect(heard.map(({ project }) => project)).toEqual(['shop']);
});
