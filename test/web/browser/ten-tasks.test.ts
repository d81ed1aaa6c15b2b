// Ten things that people come to the page for, each within the clicks that docs/page.md tells of.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const cardOf = (page: Page, words: string) => page.locator('.card', { hasText: words });

/** Plays a task from the home page on, and counts what is clicked. */
async function playedTask(page: Page, base: string, task: (click: (at: Locator) => Promise<void>) => Promise<void>) {
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
    done['what needs me now'] = await playedTask(page, base, () => cardOf(page, review).waitFor());
    done['why did it fail'] = await playedTask(page, base, () => page.getByText('IMAGE_CDN_KEY is not set').waitFor());
    done['its log'] = await playedTask(page, base, async (click) => {
      await click(cardOf(page, 'Migrate images').getByRole('link', { name: 'Open log' }));
      await page.locator('.log', { hasText: 'IMAGE_CDN_KEY' }).waitFor();
    });
    done['where did the time go'] = await playedTask(page, base, async (click) => {
      await click(
        page
          .locator('.project', { hasText: 'shop' })
          .getByRole('link', { name: /stories/ })
          .first(),
      );
      await page.locator('#timeline .sum', { hasText: 'in all: ' }).waitFor();
    });
    done['find the run that touched X'] = await playedTask(page, base, async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('avif');
      await page.keyboard.press('Enter');
      await page.locator('#runs li', { hasText: 'Migrate images to AVIF' }).waitFor();
    });
    done['how are we doing, what does it cost'] = await playedTask(page, base, async (click) => {
      await click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Insights' }));
      await page.locator('#success').or(page.getByText('Do runs end well?')).first().waitFor();
    });
    done['what changed since my review'] = await playedTask(page, base, async (click) => {
      await click(cardOf(page, review).getByRole('link', { name: 'See changes' }));
      await page.getByRole('link', { name: /^Since your review/, exact: false }).waitFor();
    });
    done['retry with other words'] = await playedTask(page, base, async (click) => {
      const card = cardOf(page, 'Migrate images');
      await click(card.getByText('Retry with a note…'));
      await card.getByRole('textbox').fill('the key is in the vault');
      await click(card.getByRole('button', { name: 'Retry with a note', exact: true }));
      await page.locator('#said', { hasText: /\S/ }).waitFor();
    });
    done['move or drop what waits'] = await playedTask(page, base, async (click) => {
      await click(page.getByRole('button', { name: 'First: Fix the login bug' }));
      await page.locator('#queue li').first().filter({ hasText: 'Fix the login bug' }).waitFor();
    });
    done['comment on a line, request changes'] = await playedTask(page, base, async (click) => {
      await click(cardOf(page, review).getByRole('link', { name: 'See changes' }));
      await click(page.locator('.pair.change .add a.n').first());
      await page.getByLabel(/^Comment on/).fill('a negative amount rounds the wrong way');
      await click(page.getByRole('button', { name: 'Add to the request' }));
      await click(page.locator('#verdict').getByRole('button', { name: 'Request changes' }));
      await page.locator('#facts', { hasText: 'a negative amount' }).waitFor();
    });
    done['approve on the phone'] = await playedTask(phone, base, async (click) => {
      await click(cardOf(phone, review).getByRole('button', { name: 'Approve' }));
      await phone.locator('.settled li', { hasText: review }).first().waitFor();
    });
    const typed = ['inbox', 'log blog', 'queue shop', 'cost'];
    const answered: Record<string, number> = {};
    for (const words of typed) {
      const from = performance.now();
      await world.bosun.say(words, { hasty: true });
      answered[words] = Number(((performance.now() - from) / 1000).toFixed(2));
    }
    process.stdout.write(`ten tasks: ${JSON.stringify(done)}, answers in chat: ${JSON.stringify(answered)}\n`);
    const told = tasksOfDocs();
    expect(told).toHaveLength(10);
    const played = Object.entries(done).map(([task, { clicks }]) => [task, clicks]);
    expect(played.sort()).toEqual(told.flatMap(({ plays }) => plays).sort());
  });

  it('take a person as many seconds as docs/page.md says', () => {
    const told = tasksOfDocs().map(({ task, seconds }) => [task, seconds]);
    const counted = tasksOfDocs().map(({ task, plays, chat }) => {
      const clicks = Math.max(...plays.map(([, count]) => count));
      const keys = Number(/(\d+) keys/.exec(chat)?.[1] ?? 0);
      const inChat = chat.startsWith('1') ? secondsOfClick : keys * secondsOfKey;
      const chatSeconds = chat === 'not there' ? '–' : inChat === 0 ? 'by hand' : inChat.toFixed(1);
      return [task, `${(clicks * secondsOfClick).toFixed(1)}, ${chatSeconds}`];
    });
    expect(told).toEqual(counted);
  });

  it('name in docs/page.md as many keys as their chat words have', () => {
    const commands = tasksOfDocs().flatMap(({ chat }) => [...chat.matchAll(/`([^`]+)`:? (\d+) keys/g)]);
    expect(commands.length).toBeGreaterThan(4);
    // Enter counts; after a colon the words follow instead.
    const counted = commands.map(([, words = '']) => [words, words.length + 1]);
    expect(commands.map(([, words, keys]) => [words, Number(keys)])).toEqual(counted);
  });
});

const secondsOfClick = 1.3;
const secondsOfKey = 0.2;

interface DocumentedTask {
  /** What the test plays, and its clicks: a row may name two. */
  readonly plays: readonly (readonly [string, number])[];
  readonly task: string;
  readonly chat: string;
  /** The person's, on the page and in chat. */
  readonly seconds: string;
}

/** The table of docs/page.md. */
function tasksOfDocs(): readonly DocumentedTask[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/page.md'), 'utf8');
  const [, table = ''] =
    /\| task \| clicks on the page \| in chat \|[^\n]+\n\|[^\n]+\n((?:\|[^\n]+\n)+)/.exec(page) ?? [];
  return table
    .trim()
    .split('\n')
    .map((row) => {
      const [task = '', clicks = '', chat = '', seconds = ''] = row.slice(2, -2).split(' | ');
      const [first = '', log] = clicks.split('; its log ');
      return {
        ...{ task, chat, seconds },
        plays: [[task, Number.parseInt(first, 10)], ...(log === undefined ? [] : [['its log', Number(log)] as const])],
      };
    });
}
