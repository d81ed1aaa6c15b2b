// Ten things that people come to the page for, each within the clicks that docs/page.md tells of.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const cardOf = (page: Page, words: string) => page.locator('.card', { hasText: words });

/** Plays a task from the home page on, and counts what is clicked. */
async function played(page: Page, base: string, task: (click: (at: Locator) => Promise<void>) => Promise<void>) {
  let clicks = 0;
  await page.goto(base);
  const from = performance.now();
  await task(async (at) => {
    clicks += 1;
    await at.click();
  });
  return { clicks, seconds: Number(((performance.now() - from) / 1000).toFixed(1)) };
}

inBrowser('ten tasks', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  }, 180_000);
  afterAll(() => world?.close());

  it('take few clicks from the home page', async () => {
    const page = await open(world);
    const phone = await open(world, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    const base = world.base();
    const done: Record<string, { readonly clicks: number; readonly seconds: number }> = {};
    const review = 'Redeem a gift card';
    done['what needs me now'] = await played(page, base, () => cardOf(page, review).waitFor());
    done['why did it fail'] = await played(page, base, () => page.getByText('IMAGE_CDN_KEY is not set').waitFor());
    done['its log'] = await played(page, base, async (click) => {
      await click(cardOf(page, 'Migrate images').getByRole('link', { name: 'Open log' }));
      await page.locator('.log', { hasText: 'IMAGE_CDN_KEY' }).waitFor();
    });
    done['where did the time go'] = await played(page, base, async (click) => {
      await click(
        page
          .locator('.project', { hasText: 'shop' })
          .getByRole('link', { name: /stories/ })
          .first(),
      );
      await page.locator('#timeline .sum', { hasText: 'in all: ' }).waitFor();
    });
    done['find the run that touched X'] = await played(page, base, async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('avif');
      await page.keyboard.press('Enter');
      await page.locator('#runs li', { hasText: 'Migrate images to AVIF' }).waitFor();
    });
    done['how are we doing'] = await played(page, base, async (click) => {
      await click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Insights' }));
      await page.locator('#success').or(page.getByText('Do runs end well?')).first().waitFor();
    });
    done['what changed since my review'] = await played(page, base, async (click) => {
      await click(cardOf(page, review).getByRole('link', { name: 'See changes' }));
      await page.getByRole('link', { name: /^Since your review/, exact: false }).waitFor();
    });
    done['retry with other words'] = await played(page, base, async (click) => {
      const card = cardOf(page, 'Migrate images');
      await click(card.getByText('Retry with a note…'));
      await card.getByRole('textbox').fill('the key is in the vault');
      await click(card.getByRole('button', { name: /with this note/ }));
      await page.locator('#said', { hasText: /\S/ }).waitFor();
    });
    done['comment on a line'] = await played(page, base, async (click) => {
      await click(cardOf(page, review).getByRole('link', { name: 'See changes' }));
      await click(page.locator('.pair.change .add a.n').first());
      await page.getByLabel(/^Comment on/).fill('a negative amount rounds the wrong way');
      await click(page.getByRole('button', { name: 'Add to the request' }));
      await click(page.locator('#verdict').getByRole('button', { name: 'Request changes' }));
      await page.locator('#facts', { hasText: 'a negative amount' }).waitFor();
    });
    done['approve on the phone'] = await played(phone, base, async (click) => {
      await click(cardOf(phone, review).getByRole('button', { name: 'Approve' }));
      await phone.locator('.settled li', { hasText: review }).first().waitFor();
    });
    process.stdout.write(`ten tasks: ${JSON.stringify(done)}\n`);
    expect(Object.fromEntries(Object.entries(done).map(([task, { clicks }]) => [task, clicks]))).toEqual({
      'what needs me now': 0,
      'approve on the phone': 1,
      'what changed since my review': 1,
      'comment on a line': 4,
      'why did it fail': 0,
      'its log': 1,
      'retry with other words': 2,
      'where did the time go': 1,
      'find the run that touched X': 0,
      'how are we doing': 1,
    });
  });
});
