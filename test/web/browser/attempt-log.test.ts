// The log of an attempt: commands folded, one kind of line at a time, and links that lead to a line.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoBarriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

inBrowser('the log of an attempt', (open) => {
  let world: Lively;
  let path = '';
  beforeAll(async () => {
    world = await lively();
    const { store } = world.bosun.app.runtime;
    const run = store.browsing.runs({ project: 'blog', status: null, before: null, limit: 1 })[0]?.id ?? '';
    const attempt = store.browsing.newestAttempts(run, 1)[0]?.attempt.id ?? '';
    path = `${world.base()}/runs/${run}/attempts/${encodeURIComponent(attempt)}`;
  });
  afterAll(() => world?.close());

  it('folds commands to one line each, and unfolds what one printed', async () => {
    const page = await open(world);
    await page.goto(path);
    const command = page.locator('.log .command', { hasText: '--only hero.png' });
    expect(await command.locator('summary').textContent()).toMatch(
      /\$ npm run images -- --only hero.png6.0 s · 3 lines/,
    );
    expect(await command.getByText('1 picture, 0 errors').isVisible()).toBe(false);
    await command.locator('summary').click();
    await command.getByText('1 picture, 0 errors').waitFor();
    expect(await page.locator('.log .command', { hasText: '--all' }).locator('summary').textContent()).toContain(
      'exit 1',
    );
  });

  it('shows one kind of line, keeps the search inside it, and goes from hit to hit', async () => {
    const page = await open(world);
    await page.goto(path);
    const filters = page.getByRole('navigation', { name: 'Which lines' });
    expect(await filters.locator('a').allTextContents()).toEqual([
      ...[/^All 79$/, /^Commands 2$/, /^Edits 1$/, /^Messages 3$/, /^Errors 3$/].map((one) =>
        expect.stringMatching(one),
      ),
    ]);
    await filters.getByRole('link', { name: /Commands/ }).click();
    await page.getByRole('searchbox', { name: 'Search this log' }).fill('401');
    await page.keyboard.press('Enter');
    await page.getByText('2 hits in 79 lines').waitFor();
    expect(new URL(page.url()).searchParams.get('only')).toBe('commands');
    // The command of the hits is unfolded, and the others are not.
    expect(await page.locator('.log details[open]').count()).toBe(1);
    expect(await page.locator('.log .l').count()).toBe(69);
    await page.getByRole('link', { name: 'Only hits' }).click();
    await expect.poll(() => page.locator('.log .l').count()).toBe(3);
    const hit = () => page.evaluate('document.activeElement?.id');
    await page.locator('h1').click();
    await page.keyboard.press('.');
    expect(await hit()).toBe('L73');
    await page.getByRole('button', { name: 'Next hit' }).click();
    expect(await hit()).toBe('L75');
    await page.keyboard.press(',');
    expect(await hit()).toBe('L73');
  });

  for (const [where, size] of [
    ['a wide screen', {}],
    ['a phone', phone],
  ] as const)
    it(`marks hits beside the scroll bar, and shows the first one, on ${where}`, async () => {
      const page = await open(world, size);
      await page.goto(`${path}?find=401`);
      const marks = page.locator('.hit-marks i');
      await expect.poll(() => marks.count()).toBe(3);
      const [strip, box] = await Promise.all(
        ['.hit-marks', '#log-lines'].map((one) => page.locator(one).boundingBox()),
      );
      expect((strip?.x ?? 0) + (strip?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0));
      const tops = await Promise.all((await marks.all()).map(async (one) => (await one.boundingBox())?.y ?? 0));
      expect(tops).toEqual(tops.toSorted((one, other) => one - other));
      const first = await page.locator('#L73').boundingBox();
      expect((first?.y ?? 0) - (box?.y ?? 0)).toBeGreaterThan(0);
      expect((first?.y ?? 0) - (box?.y ?? 0)).toBeLessThan(box?.height ?? 0);
      await page.keyboard.press('.');
      await page.getByText('· 1 of 3').waitFor();
      expect(await page.locator('.hit-marks .now').count()).toBe(1);
      await expectNoBarriers(page, '', [page.url()]);
    });

  for (const [where, size] of [
    ['a wide screen', { viewport: { width: 1000, height: 800 } }],
    ['a phone', phone],
  ] as const)
    it(`wraps long lines, or scrolls them sideways once Wrap is off, on ${where}`, async () => {
      const page = await open(world, size);
      await page.goto(path);
      const log = page.locator('#log-lines');
      const isWide = () => log.evaluate((box) => box.scrollWidth > box.clientWidth);
      await log.waitFor();
      await log.evaluate((box) => {
        for (const all of box.querySelectorAll('details')) all.setAttribute('open', '');
      });
      expect(await isWide()).toBe(false);
      await page.getByLabel('Wrap').uncheck();
      await log.locator('#L73 bdi').evaluate((words) => words.append('x'.repeat(300)));
      expect(await isWide()).toBe(true);
      await page.reload();
      expect(await page.getByLabel('Wrap').isChecked()).toBe(false);
      await expectNoBarriers(page, '', [path]);
      await page.getByLabel('Wrap').check();
      await page.reload();
      expect(await page.getByLabel('Wrap').isChecked()).toBe(true);
    });

  for (const [where, size] of [
    ['a wide screen', {}],
    ['a phone', phone],
  ] as const)
    it(`sets two tries beside each other, on ${where}`, async () => {
      const page = await open(world, size);
      await page.goto(path);
      await page.getByRole('link', { name: 'Compare 2 and 3' }).click();
      const table = page.getByRole('table');
      expect(await table.locator('thead a').allTextContents()).toEqual(['attempt 2', 'attempt 3']);
      const row = async (name: string) => {
        const cells = await table.getByRole('row', { name }).locator('td').allTextContents();
        return cells.map((text) => text.trim());
      };
      expect(await row('Outcome')).toEqual([expect.stringContaining('crashed'), expect.stringContaining('crashed')]);
      expect(await row('Took')).toEqual([expect.stringMatching(/\d s/), expect.stringMatching(/\d s/)]);
      expect(await row('Changes')).toHaveLength(2);
      expect(await row('Report')).toEqual(['The agent exited with code 3.', 'The agent exited with code 3.']);
      const words = 'Error 401: IMAGE_CDN_KEY is not set';
      expect(await row('Last words')).toEqual([words, words]);
      await expectNoBarriers(page, '', [page.url()]);
      await table.getByRole('link', { name: 'attempt 2' }).click();
      await page.getByRole('heading', { name: /attempt 2/ }).waitFor();
      await page.getByRole('link', { name: 'Compare 1 and 2' }).waitFor();
    });

  it('has a link for each line that unfolds, marks and shows it, wherever it stands in the log', async () => {
    const page = await open(world);
    await page.goto(`${path}#L30`);
    const line = page.locator('#L30');
    await line.waitFor();
    const box = () =>
      page.evaluate<boolean>(`(() => {
      const [line, log] = ['#L30', '#log-lines'].map((one) => document.querySelector(one).getBoundingClientRect());
      return line.top >= log.top && line.bottom <= log.bottom; })()`);
    expect(await box()).toBe(true);
    expect(await line.getAttribute('class')).toContain('here');
    await page.locator('#L6 .no').click();
    expect(new URL(page.url()).hash).toBe('#L6');
    // The end of a log as long as this one does not hold the line: the page shows the part around it.
    await page.goto(`${path}?only=edits#L30`);
    await page.waitForURL(/\?line=30#L30$/);
    await line.waitFor();
    expect(await box()).toBe(true);
  });
});
