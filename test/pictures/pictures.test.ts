// Draws the pictures of docs/images from a Bosun in the middle of a day, and every page where PICTURES_TO names a folder.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sections } from '../bot/cards.js';
import { inBrowser } from '../web/browser/given.js';
import { type Lively, lively } from '../web/browser/lively.js';
import { slackSheet, telegramSheet } from './cards.js';

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const all = process.env['PICTURES_TO'];

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const wide: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };

function pagesOf({ bosun }: Lively): Readonly<Record<string, string>> {
  const { store } = bosun.app.runtime;
  const runs = store.browsing.runs({ project: null, status: null, before: null, limit: 50 });
  const runOf = (project: string, status: string) =>
    runs.find((run) => run.project === project && run.status === status)?.id ?? '';
  const shop = runOf('shop', 'paused');
  const blog = runs.find((run) => run.project === 'blog')?.id ?? '';
  const failed = store.browsing.newestAttempts(blog, 5)[0]?.attempt.id ?? '';
  const live = store.openAttempts()[0];
  return {
    home: '/',
    inbox: '/inbox',
    project: '/projects/shop',
    run: `/runs/${shop}`,
    review: `/runs/${shop}/changes?item=US-003`,
    history: '/history',
    insights: '/insights',
    attempt: `/runs/${blog}/attempts/${encodeURIComponent(failed)}`,
    live: `/runs/${live?.run}/attempts/${encodeURIComponent(live?.attempt.id ?? '')}`,
    failed: `/runs/${blog}`,
    working: `/runs/${live?.run}`,
    talk: '/projects/api',
    replay: `/runs/${shop}/history`,
    workflow: `/runs/${shop}/workflow`,
    answered: '/inbox?show=answered',
    chat: '/chat',
    costs: '/costs',
    workers: '/workers',
    audit: '/audit',
  };
}

async function draw(page: Page, url: string, path: string, fullPage = false): Promise<void> {
  await page.goto(url);
  await page.screenshot({ path, fullPage });
}

async function reviewWithComments(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}&show=all`);
  await page.locator('.pair.change .add a.n').nth(1).click();
  await page.getByLabel(/^Comment on/).fill('Say “expired” to the buyer, not “not found”.');
  await page.getByRole('button', { name: 'Add to the request' }).click();
  await page.locator('#changes').evaluate((part) => part.scrollIntoView());
  await page.screenshot({ path });
}

inBrowser('the pictures', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
    if (all !== undefined) mkdirSync(all, { recursive: true });
  });
  afterAll(() => world?.close());

  it('are those of the docs', async () => {
    const pages = pagesOf(world);
    const picture = async (name: string, page: string, options: BrowserContextOptions) => {
      const path = join(images, `${name}.png`);
      const shown = await open(world, { ...options, deviceScaleFactor: 1 });
      await draw(shown, `${world.base()}${pages[page]}`, path);
      await shown.close();
    };
    for (const name of ['home', 'inbox', 'project', 'run', 'history', 'insights', 'workflow'])
      await picture(name, name, wide);
    for (const name of ['home', 'inbox', 'project', 'run', 'review', 'history', 'insights', 'attempt'])
      await picture(`${name}-phone`, name, phone);
    await picture('run-dark', 'run', { ...wide, colorScheme: 'dark' });
    await picture('attempt', 'attempt', { ...wide, colorScheme: 'dark' });
    await reviewWithComments(await open(world, wide), `${world.base()}${pages['review']}`, join(images, 'review.png'));
  });

  it('show every message at the width of a phone', async () => {
    const inside = await open(world, { viewport: { width: 1250, height: 600 } });
    // A page of Bosun's takes no style from elsewhere.
    const page = await inside.context().newPage();
    for (const [title, samples] of sections)
      for (const [channel, sheet] of Object.entries({ telegram: telegramSheet, slack: slackSheet })) {
        await page.setContent(sheet(title, samples));
        const name = title.toLowerCase().replaceAll(' ', '-');
        await page.locator('main').screenshot({ path: join(images, `cards-${channel}-${name}.png`) });
      }
    expect(sections.length).toBeGreaterThan(3);
  });

  it('shows every page on a phone and wide, light and dark', async () => {
    if (all === undefined) return;
    for (const [size, options] of Object.entries({ phone, wide }))
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await open(world, { ...options, colorScheme, deviceScaleFactor: 1 });
        for (const [name, path] of Object.entries(pagesOf(world)))
          await draw(page, `${world.base()}${path}`, join(all, `${name}-${size}-${colorScheme}.png`), true);
      }
    expect(Object.keys(pagesOf(world)).length).toBeGreaterThan(10);
  });
});
