// Insights: a project and a range are links, so that an address keeps both.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoBarriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

inBrowser('insights', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  });
  afterAll(() => world?.close());

  it.each([['a wide screen', {}] as const, ['a phone', phone] as const])(
    'are those of a chosen project, in every range, on %s',
    async (_where, size) => {
      const page = await open(world, size);
      await page.goto(`${world.base()}/insights`);
      await page.locator('#insights-project > summary').click();
      const menu = await page.locator('#insights-project .menu').boundingBox();
      const width = page.viewportSize()?.width ?? 0;
      expect([(menu?.x ?? -1) >= 0, (menu?.x ?? 0) + (menu?.width ?? width + 1) <= width]).toEqual([true, true]);
      await page.locator('#insights-project').getByRole('link', { name: 'docs' }).click();
      await page.waitForURL(/\/insights\?project=docs$/);
      await page.getByRole('link', { name: 'Week', exact: true }).click();
      await page.waitForURL(/\/insights\?range=week&project=docs$/);
      expect(await page.locator('#insights-project > summary').textContent()).toContain('docs');
      expect(await page.locator('#success-title').textContent()).toBe('1 of 1 run ended well');
      await expectNoBarriers(page, '', [page.url()]);
    },
  );
});
