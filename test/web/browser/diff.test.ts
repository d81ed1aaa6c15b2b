// The changes as a reviewer reads them, on a phone and at a desk.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const barHeight = 52;

const yOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN;

inBrowser('the changes', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  }, 180_000);
  afterAll(() => world?.close());

  const review = async (how: BrowserContextOptions) => {
    const page = await open(world, how);
    await page.goto(`${world.base()}/runs/r1/changes?item=US-003&show=all`);
    await page.locator('.file').nth(1).waitFor();
    return page;
  };

  it.each([
    ['a phone', phone],
    ['a desk', {}],
  ] as const)(
    'have a tree, line numbers, unfolding, viewed marks and their verdict in sight, at %s',
    async (_, how) => {
      const page = await review(how);
      const file = page.locator('.file', { hasText: 'redeem.ts' }).first();
      expect(await page.locator('.tree a .name').allTextContents()).toEqual(['redeem.ts', 'redeem.test.ts']);
      expect(await file.locator('.pair.change .add a.n').allTextContents()).toEqual(['4', '6', '7', '20']);
      // The verdict is in sight wherever the page is scrolled to.
      await page.locator('#verdict').getByRole('button', { name: 'Approve' }).waitFor();
      const foot = await page.locator('#verdict').boundingBox();
      expect((foot?.y ?? 0) + (foot?.height ?? 0)).toBe(page.viewportSize()?.height);

      await page.getByLabel('A remark on all of it').fill('half a thought');
      const gap = file.getByRole('link', { name: /unchanged line/ }).first();
      expect(await file.getByRole('link', { name: 'Line 14', exact: true }).count()).toBe(0);
      await gap.click();
      await file.getByRole('link', { name: 'Line 14', exact: true }).waitFor();
      expect(await file.locator('.gap', { hasText: /\d unchanged/ }).count()).toBe(0);
      expect(await page.getByLabel('A remark on all of it').inputValue()).toBe('half a thought');
      expect(new URL(page.url()).searchParams.getAll('gap')).toEqual(['17:src/checkout/redeem.ts']);
      // An unfolded line takes comments as any other one does.
      await file.getByRole('link', { name: 'Line 14', exact: true }).click();
      await page.getByLabel('Comment on src/checkout/redeem.ts:14').fill('and here');
      expect(await barriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.reload();
      await file.getByRole('link', { name: 'Line 14', exact: true }).waitFor();
      await file.getByRole('link', { name: /Fold \d+ lines/ }).click();
      await file.getByRole('link', { name: 'Line 14', exact: true }).waitFor({ state: 'detached' });
      await file.getByRole('link', { name: 'Whole file' }).click();
      await file.getByRole('link', { name: 'Line 14', exact: true }).waitFor();
      await file.getByRole('link', { name: 'Fold unchanged lines' }).click();
      await file.getByRole('link', { name: 'Line 14', exact: true }).waitFor({ state: 'detached' });

      await page.locator('.file').nth(1).getByLabel('Viewed').check();
      await page.getByText('1 viewed').waitFor();
      await page.reload();
      await page.getByText('1 viewed').waitFor();
      expect(await page.locator('.file').nth(1).locator('details').getAttribute('open')).toBeNull();
      expect(await page.locator('.tree a[data-seen] .name').textContent()).toBe('redeem.test.ts');
    },
  );

  it('keep the name of the file in sight below the bar', async () => {
    const page = await review({ viewport: { width: 390, height: 420 } });
    const head = '.file:has-text("redeem.ts") .fh';
    await page.evaluate(`document.querySelector('#f1 .new .ln:nth-child(3)').scrollIntoView({ block: 'start' })`);
    await page.evaluate(`scrollBy(0, 120)`);
    expect(await yOf(page, '#f1')).toBeLessThan(0);
    expect(await yOf(page, head)).toBeCloseTo(barHeight, 0);
    expect(await yOf(page, '#f1 .seen')).toBeCloseTo(barHeight, 0);
  });

  it('take a comment where a finger touches the line, and only at its number with a mouse', async () => {
    const touched = await review(phone);
    await touched.locator('#f1 .pair.change .add code').first().tap();
    await touched.getByLabel(/^Comment on src\/checkout\/redeem\.ts:4$/).waitFor();
    const clicked = await review({});
    await clicked.locator('#f1 .pair.change .add code').first().click();
    expect(await clicked.locator('.thread').count()).toBe(0);
  });

  it('have a link to their lines, which unfolds, marks and shows them elsewhere', async () => {
    const page = await review({ permissions: ['clipboard-read', 'clipboard-write'] });
    const file = page.locator('.file', { hasText: 'redeem.ts' }).first();
    const numbers = file.locator('.pair .new a.n');
    await numbers.nth(3).click({ modifiers: ['Shift'] });
    await numbers.nth(5).click({ modifiers: ['Shift'] });
    expect(await file.locator('.ln.here a.n').allTextContents()).toEqual(['4', '5', '6']);
    expect(await page.locator('.thread').count()).toBe(0);
    await file.getByRole('button', { name: 'Copy link to lines 4 to 6' }).click();
    await page.getByText('Link to lines 4 to 6 copied.').waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toBe(`${world.base()}/runs/r1/changes?item=US-003&show=all#lines=src%2Fcheckout%2Fredeem.ts:4-6`);
    expect(await barriers(page)).toEqual([]);

    const other = await open(world, phone);
    await other.goto(link.replace(':4-6', ':14-15'));
    await other.waitForURL(/open=src%2Fcheckout%2Fredeem\.ts#lines=/);
    const shown = other.locator('.ln.here a.n');
    await expect.poll(() => shown.allTextContents()).toEqual(['14', '15']);
    await expect.poll(async () => (await shown.first().boundingBox())?.y ?? 0).toBeGreaterThan(barHeight);
    expect((await shown.first().boundingBox())?.y).toBeLessThan(800);
    await other.getByRole('button', { name: 'Clear' }).tap();
    expect(await shown.count()).toBe(0);
    expect(await other.evaluate('location.hash')).toBe('');
  });

  it('copy the link of the focused line with y', async () => {
    const page = await review({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('#f1 .pair.change .cut a.n').first().focus();
    await page.keyboard.press('y');
    await page.getByText('Link to line 5 copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('#lines=src%2Fcheckout%2Fredeem.ts:o5');
    await page.reload();
    await expect.poll(() => page.locator('.ln.here').count()).toBe(1);
    expect(await page.locator('.ln.here').getAttribute('class')).toContain('cut');
  });

  it('stand beside each other on a wide screen, below each other where there is no room or on request', async () => {
    const beside = async (page: Page) => {
      const pair = page.locator('#f1 .pair.change:has(.cut):has(.add)').first();
      const [old, now] = await Promise.all([pair.locator('.old').boundingBox(), pair.locator('.new').boundingBox()]);
      return old?.y === now?.y;
    };
    const wide = await review({});
    expect(await beside(wide)).toBe(true);
    await wide.getByRole('link', { name: 'Unified' }).click();
    await wide.locator('.split.unified').waitFor();
    expect(await beside(wide)).toBe(false);
    expect(await beside(await review(phone))).toBe(false);
  });
});
