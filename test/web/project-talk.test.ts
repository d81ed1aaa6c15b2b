// The conversation about a project: by day, and further back page by page, without reading everything.
import { expect, it, onTestFinished, vi } from 'vitest';
import type { SqliteStore } from '../../src/store/open-store.js';
import { batchOf } from '../empty-batch.js';
import { aMessage } from '../store/values.js';
import { given } from './given.js';

const dayMs = 24 * 3_600_000;

function shown(html: string) {
  const lines = /id="talk-lines"([\s\S]*?)<\/section>/.exec(html)?.[1] ?? '';
  const link = (text: string) =>
    new RegExp(`<a href="([^"#]*)[^"]*"[^>]*>${text}</a>`).exec(lines)?.[1]?.replaceAll('&amp;', '&');
  return {
    days: [...lines.matchAll(/class="day-line">([^<]*)/g)].map(([, day]) => day),
    texts: [...lines.matchAll(/<p dir="auto">([^<]*)/g)].map(([, text]) => text ?? ''),
    earlier: link('Earlier'),
    newest: link('Newest'),
  };
}

async function talkative() {
  const { app, call, get, home, post } = await given();
  await post('/api/say', { text: 'shop: draw the cart' });
  const store = app.runtime.store as SqliteStore;
  const say = (thread: string, text: string, run: string | null, at: number) =>
    store.commit(batchOf({ messages: [aMessage(thread, text, { run, at })] }));
  return { call, get, home, say, store };
}

it('goes back to the first message in pages that follow one another without a gap or a repetition', async () => {
  const { get, say } = await talkative();
  const now = Date.now();
  for (let n = 1; n <= 130; n += 1) {
    say('web', `message ${n}`, 'r1', now - dayMs + n);
    for (let other = 0; other < 3; other += 1) say('web', `elsewhere ${n}.${other}`, null, now - dayMs + n);
  }
  const seen: string[] = [];
  let path: string | undefined = '/projects/shop';
  let pages = 0;
  for (; path !== undefined && pages < 40; pages += 1) {
    const page = shown((await get(path)).text);
    expect(page.texts.length).toBeLessThan(60);
    seen.unshift(...page.texts.filter((text) => /^message \d+$/.test(text)));
    if (pages > 0) expect(page.newest).toBe('/projects/shop');
    path = page.earlier;
  }
  expect(seen).toEqual(Array.from({ length: 130 }, (_, n) => `message ${n + 1}`));
  expect(pages).toBeGreaterThan(5);
});

it('names the days, in the zone of the project', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 10, 12) });
  const { get, say } = await talkative();
  say('web', 'last year', 'r1', Date.UTC(2025, 11, 24, 12));
  say('web', 'on Friday', 'r1', Date.UTC(2026, 5, 5, 12));
  say('web', 'yesterday', 'r1', Date.UTC(2026, 5, 9, 12));
  say('web', 'today', 'r1', Date.UTC(2026, 5, 10, 11));
  const { days } = shown((await get('/projects/shop')).text);
  expect(days.map((day) => day?.replace(',', ''))).toEqual([
    'Wednesday 24 December 2025',
    'Friday 5 June',
    'Yesterday',
    'Today',
  ]);
});

it('words the times of a message in the zone of its reader', async () => {
  const { call, home, store } = await talkative();
  const headers = { authorization: `Bearer ${home.apiToken}` };
  const at = Date.UTC(2026, 5, 10, 11, 30);
  const quoted = { ...aMessage('web', 'approved by Ada, 09:17', { run: 'r1', at }) };
  const times = [{ text: '09:17', at, hasDate: false }];
  store.commit(batchOf({ messages: [{ ...quoted, view: { ...quoted.view, times } }] }));
  const read = async (zone: string) =>
    shown((await call('/projects/shop', { headers: { ...headers, cookie: `bosun_zone=${zone}` } })).text).texts;
  expect(await read('Asia/Tokyo')).toContain('approved by Ada, 20:30');
  expect(await read('America/St_Johns')).toContain('approved by Ada, 09:00');
  const found = await call('/history?q=approved&in=messages', {
    headers: { ...headers, cookie: 'bosun_zone=Asia/Tokyo' },
  });
  expect(found.text).toContain('by Ada, 20:30');
});
