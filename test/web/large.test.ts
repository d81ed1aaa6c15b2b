// Ten thousand runs, one of them with 600 nodes and 50,000 events: a page costs what it shows, not what there is.
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import type { Given } from './given.js';
import { filled } from './large-given.js';

const pages = [
  '/',
  '/chat',
  '/inbox',
  '/history',
  '/history?status=failed',
  '/history?q=nothing-like-it',
  '/insights',
  '/projects/shop',
  '/runs/r12',
  '/costs',
  '/audit',
];

/** The best of some: whatever else the machine does makes a page slower, and never faster. */
async function bestMs({ get }: Given, path: string): Promise<{ readonly ms: number; readonly chars: number }> {
  const times: number[] = [];
  let chars = 0;
  for (let turn = 0; turn < 7; turn += 1) {
    const from = performance.now();
    const reply = await get(path);
    times.push(performance.now() - from);
    expect(`${path}: ${reply.status}`).toBe(`${path}: 200`);
    chars = reply.text.length;
  }
  return { ms: Math.min(...times), chars };
}

it('each page is as fast with ten thousand runs, 600 nodes and 50,000 events as with few', async () => {
  const small = await filled({ runs: 30, items: 30, events: 300 });
  const large = await filled({ runs: 10_000, items: 100, events: 50_000 });
  for (const path of pages) {
    const [few, many] = [await bestMs(small, path), await bestMs(large, path)];
    expect(`${path}: ${many.ms < 4 * few.ms + 60 || `${few.ms} ms, ${many.ms} ms`}`).toBe(`${path}: true`);
    expect(`${path}: ${many.chars < 1.3 * few.chars + 5_000 || `${few.chars}, ${many.chars}`}`).toBe(`${path}: true`);
  }
}, 60_000);

it('a long history is replayed in pieces without blocking other requests, up to a limit', async () => {
  const { get } = await filled({ runs: 10, items: 2, events: 30_000 });
  const replay = get('/runs/r12/history?at=15000');
  let answers = 0;
  let longestMs = 0;
  for (let isDone = false; !isDone; answers += 1) {
    const from = performance.now();
    isDone = await Promise.race([replay.then(() => true), get('/healthz').then(() => false)]);
    longestMs = Math.max(longestMs, performance.now() - from);
  }
  expect(answers).toBeGreaterThan(3);
  expect(longestMs).toBeLessThan(1_000);
  expect((await replay).text).toContain('Event 15000 of');
  expect((await get('/runs/r12/history?at=29000')).text).toContain('Only the first 20000 events');
  expect((await get('/runs/r12/history')).status).toBe(200);
}, 60_000);
