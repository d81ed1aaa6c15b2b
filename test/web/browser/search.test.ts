// The search of the history: how much each kind finds, and searches that a person keeps.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoBarriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

inBrowser('the search', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  });
  afterAll(() => world?.close());

  it('says how much it finds among runs, messages, commits and logs, from each of them', async () => {
    const page = await open(world);
    const kinds = page.locator('.kinds a');
    await page.goto(`${world.base()}/history?q=images`);
    await expect
      .poll(() => kinds.allTextContents())
      .toEqual([/Runs 1/, /Messages [1-9]/, /Commits 0/, /Logs [1-9]/].map((one) => expect.stringMatching(one)));
    const counts = await kinds.allTextContents();
    await kinds.last().click();
    await page.locator('#found').waitFor();
    await expect.poll(() => kinds.allTextContents()).toEqual(counts);
    await page.goto(`${world.base()}/history?q=nothing-like-it`);
    await expect.poll(() => page.locator('.kinds b').allTextContents()).toEqual(['0', '0', '0', '0']);
  });

  it('keeps a search under its name in this browser, until the person drops it', async () => {
    const page = await open(world);
    await page.goto(`${world.base()}/history`);
    expect(await page.locator('#saved').isVisible()).toBe(false);
    await page.goto(`${world.base()}/history?status=failed&since=week`);
    await page.getByLabel('Name of this search').fill('Failed this week');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto(`${world.base()}/history`);
    await page.getByRole('link', { name: 'Failed this week' }).click();
    await page.waitForURL(/status=failed&since=week/);
    expect(await page.getByRole('link', { name: 'Failed this week' }).getAttribute('aria-current')).toBe('page');
    expect(await page.getByLabel('Name of this search').isVisible()).toBe(false);
    await expectNoBarriers(page, '', [page.url()]);
    await page.getByRole('button', { name: 'Forget Failed this week' }).click();
    await page.getByLabel('Name of this search').waitFor();
    await page.goto(`${world.base()}/history`);
    expect(await page.locator('#saved').isVisible()).toBe(false);
  });

  it.each([['a wide screen', {}] as const, ['a phone', phone] as const])(
    'takes filters among the typed words, as chips that go away alone, on %s',
    async (_where, size) => {
      const page = await open(world, size);
      await page.goto(`${world.base()}/history`);
      const field = page.locator('main input[type="search"]');
      await field.fill('project:blog images cost:<5 since:7d');
      await field.press('Enter');
      const chips = page.getByRole('listitem').filter({ has: page.locator('.token:not(.add)') });
      await expect
        .poll(async () => (await chips.allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim()))
        .toEqual([
          'project blog : remove this filter',
          'cost less than $5.00 : remove this filter',
          'since the last 7 days : remove this filter',
        ]);
      expect(await field.inputValue()).toBe('images');
      expect(await page.locator('#runs a.whole').allTextContents()).toEqual(['Migrate images to AVIF']);
      await expectNoBarriers(page, '', [page.url()]);
      await chips.first().getByRole('link').click();
      await expect.poll(() => chips.count()).toBe(2);
      await field.fill('images stat:failed');
      await field.press('Enter');
      await page.getByText('There is no filter “stat:”; did you mean “state:”?').waitFor();
      await expect.poll(() => chips.count()).toBe(2);
      await expectNoBarriers(page, '', [page.url()]);
    },
  );

  it('fits a phone with its counts and kept searches', async () => {
    const page = await open(world, phone);
    await page.goto(`${world.base()}/history?q=images`);
    await page.getByLabel('Name of this search').fill('Images of the blog');
    await page.getByRole('button', { name: 'Save', exact: true }).tap();
    await page.getByRole('link', { name: 'Images of the blog' }).waitFor();
    await expect.poll(() => page.locator('.kinds b').last().textContent()).not.toBe('');
    await expectNoBarriers(page, '', [page.url()]);
  });
});
