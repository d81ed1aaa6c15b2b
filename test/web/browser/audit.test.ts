// The audit's filter: a menu of people, and the chosen one as a chip.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoBarriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

inBrowser('the audit', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  });
  afterAll(() => world?.close());

  it.each([['a wide screen', {}] as const, ['a phone', phone] as const])(
    'shows the acts of a chosen person, and of all again, on %s',
    async (_where, size) => {
      const page = await open(world, size);
      await page.goto(`${world.base()}/audit`);
      await page.getByText('Filter', { exact: true }).click();
      const box = await page.locator('.tokens .menu').boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 9_999) <= (page.viewportSize()?.width ?? 0)).toBe(
        true,
      );
      await page.locator('.tokens .menu').getByRole('link', { name: 'Bob' }).click();
      await page.waitForURL(/\/audit\?by=bob$/);
      await page.getByText('No events found').waitFor();
      await expectNoBarriers(page, '', [page.url()]);
      await page.getByRole('link', { name: 'person Bob' }).click();
      await page.waitForURL(/\/audit$/);
      expect(await page.locator('td.what').count()).toBeGreaterThan(3);
    },
  );
});
