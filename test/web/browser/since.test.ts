// The strip of home after a night: what happened since the last visit, in the reader's zone.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoBarriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

inBrowser('home after a while', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  });
  afterAll(() => world?.close());

  it.each([['a wide screen', {}] as const, ['a phone', phone] as const])(
    'says what happened since the last visit, on %s',
    async (_where, size) => {
      const page = await open(world, { ...size, timezoneId: 'Asia/Tokyo' });
      await page.goto(`${world.base()}/history`);
      const name = `bosun_visit_${new URL(world.base()).port}`;
      const at = Date.now() - 26 * 3_600_000;
      await page.context().addCookies([{ name, value: `0.${at}`, url: world.base() }]);
      await page.goto(`${world.base()}/`);
      const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Tokyo' });
      const strip = page.locator('#today .strip');
      expect(await strip.locator('time').textContent()).toBe(clock.format(at));
      expect(await strip.textContent()).toMatch(/^Since .*1 done · \d reviews decided/);
      // The browser keeps the time while the visit lasts.
      await page.reload();
      expect(await strip.locator('time').textContent()).toBe(clock.format(at));
      await expectNoBarriers(page, '', [`${world.base()}/`]);
    },
  );
});
