// A conversation goes back without losing its place: older messages stand above those that are seen already.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startWeb } from '../../../src/web/index.js';
import { givenBosun } from '../../e2e/bosun.js';
import { batchOf } from '../../empty-batch.js';
import { aMessage } from '../../store/values.js';
import { expectNoBarriers, inBrowser } from './given.js';

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** A chat of the page with this many messages about a run. */
async function talkative(count: number) {
  const bosun = await givenBosun({ projects: { shop: { workflow: 'one-step', tests: 'none' } } });
  await bosun.run('shop', 'Mend the cart');
  const run = bosun.status('shop').run?.id ?? '';
  const begin = Date.now();
  const post = (text: string, at: number) =>
    bosun.app.runtime.store.commit(batchOf({ messages: [aMessage('web', text, { run, at })] }));
  for (let n = 1; n <= count; n += 1) post(`message ${n}.`, begin + n);
  const web = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3', heartbeatMs: 200 });
  return {
    bosun,
    web: () => web,
    base: new URL(web.loginLink()).origin,
    post: (text: string) => post(text, Date.now()),
  };
}

const shown = async (page: Page, list: string) => {
  const texts = (await page.locator(list).allTextContents()).join('\n');
  return [...texts.matchAll(/message (\d+)\./g)].map(([, n]) => Number(n));
};

/** Every number from the first to the last once, in order. */
const isWhole = (numbers: readonly number[], last: number) =>
  numbers.every((n, index) => n === (numbers[0] ?? 0) + index) && numbers.at(-1) === last;

async function topOf(page: Page, text: string): Promise<number> {
  const box = await page.locator('li', { hasText: text }).first().boundingBox();
  return Math.round(box?.y ?? -1);
}

inBrowser('Earlier', (open) => {
  for (const [where, size] of [
    ['a wide screen', {}],
    ['a phone', phone],
  ] as const)
    it(`adds older messages above those of a project's conversation, on ${where}`, async () => {
      const { web, base, post } = await talkative(120);
      const page = await open({ web }, size);
      await page.goto(`${base}/projects/shop`);
      const lines = '#talk-lines';
      for (let press = 0; press < 2; press += 1) {
        const [first = 0] = await shown(page, lines);
        await page.locator(lines).evaluate((box) => box.scrollTo({ top: 0 }));
        await page.locator('#talk-earlier').scrollIntoViewIfNeeded();
        const before = await topOf(page, `message ${first}.`);
        await page.locator('#talk-earlier').click();
        await page.locator(lines, { hasText: `message ${first - 1}.` }).waitFor();
        expect(Math.abs((await topOf(page, `message ${first}.`)) - before)).toBeLessThan(3);
        expect(isWhole(await shown(page, lines), 120)).toBe(true);
      }
      const [first = 0] = await shown(page, lines);
      const seen = `message ${first + 30}.`;
      const before = await topOf(page, seen);
      post('message 121.');
      await page.locator(lines, { hasText: 'message 121.' }).waitFor();
      expect(await shown(page, lines)).toEqual(Array.from({ length: 122 - first }, (_, n) => first + n));
      expect(await topOf(page, seen)).toBe(before);
      await expectNoBarriers(page, base, [new URL(page.url()).pathname + new URL(page.url()).search]);
    });

  it('adds older messages above those of the chat, and falls back to pages after many', async () => {
    const { web, base } = await talkative(850);
    const page = await open({ web });
    await page.goto(`${base}/chat`);
    for (let press = 0; press < 5; press += 1) {
      const [first = 0] = await shown(page, '#chat');
      await page.evaluate('scrollTo({ top: 0 })');
      const before = await topOf(page, `message ${first}.`);
      await page.locator('#chat-earlier').click();
      await page.locator('#chat', { hasText: `message ${first - 1}.` }).waitFor();
      expect(Math.abs((await topOf(page, `message ${first}.`)) - before)).toBeLessThan(60);
      expect(isWhole(await shown(page, '#chat'), 850)).toBe(true);
    }
    await page.locator('#chat-earlier').click();
    await page.getByRole('link', { name: 'Newest' }).waitFor();
    expect(isWhole(await shown(page, '#chat'), 850)).toBe(false);
  });
});
