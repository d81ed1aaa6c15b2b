// One clock on every page: that of the reader.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoBarriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const zones = ['Asia/Tokyo', 'America/St_Johns'] as const;
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

inBrowser('the times of the page', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  });
  afterAll(() => world?.close());

  it.each(zones)('are those of a reader in %s, on the replay, the audit and the timeline', async (timezoneId) => {
    const page = await open(world, { timezoneId });
    const clock = (at: string | null) =>
      new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: timezoneId }).format(
        new Date(at ?? ''),
      );
    const isLocal = async (selector: string) => {
      const times = await page
        .locator(selector)
        .evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('datetime')] as const));
      return times.length > 0 && times.every(([text, at]) => text === clock(at));
    };
    await page.goto(`${world.base()}/runs/r1/history`);
    await expect.poll(() => isLocal('#events time')).toBe(true);
    expect(await isLocal('#replay-place time')).toBe(true);
    // From now on the first response is right.
    await page.goto(`${world.base()}/audit`);
    expect(await isLocal('td time')).toBe(true);
    const started = world.bosun.app.runtime.store.run('r1')?.startedAt ?? 0;
    await page.goto(`${world.base()}/runs/r1`);
    expect(await page.locator('.scale text').first().textContent()).toContain(
      new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: timezoneId }).format(started),
    );
  });

  it('stay those of the machine for an unknown zone', async () => {
    const page = await open(world);
    await page.context().addCookies([{ name: 'bosun_zone', value: 'Nowhere/<b>', url: world.base() }]);
    await page.goto(`${world.base()}/runs/r1/history`);
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(await page.locator('html').getAttribute('data-zone')).toBe(own);
  });
});

inBrowser('the replay of a run', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  });
  afterAll(() => world?.close());

  it('counts the events of its run without gaps, marks the shown one, and says each in a sentence', async () => {
    const page = await open(world, phone);
    await page.goto(`${world.base()}/runs/r1/history`);
    const place = page.locator('#replay-place');
    const [, at, count] = /Event (\d+) of (\d+)/.exec((await place.textContent()) ?? '') ?? [];
    expect(at).toBe(count);
    const rows = page.locator('#events li');
    const numbers = async () =>
      (await rows.allTextContents()).map((text) => Number(/event (\d+)$/.exec(text.trim())?.[1]));
    const shown = await numbers();
    expect(shown).toEqual(shown.map((_, index) => (shown[0] ?? 0) + index));
    const marked = page.locator('#events li[aria-current]');
    expect(await marked.textContent()).toMatch(new RegExp(`event ${at}$`));
    await page.getByRole('link', { name: 'Previous' }).tap();
    await expect.poll(() => marked.textContent()).toMatch(new RegExp(`event ${Number(at) - 1}$`));
    expect(await place.textContent()).toContain(`Event ${Number(at) - 1} of ${count}`);
    await expectNoBarriers(page, '', [page.url()]);
    await page.goto(`${world.base()}/audit`);
    const said = await page.locator('td.what summary').allTextContents();
    expect(said.filter((text) => /^(\S+ · )?Owner /.test(text)).length).toBe(said.length);
    expect(said.join()).not.toMatch(/_|by owner/);
    expect(await page.getByRole('columnheader', { name: 'Who' }).count()).toBe(0);
    await expectNoBarriers(page, '', [page.url()]);
  });
});
