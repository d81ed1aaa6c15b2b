// Three projects at once: what their pictures show, on a desk and on a phone.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Busy, busy } from './busy.js';
import { expectNoBarriers, inBrowser } from './given.js';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** All of one moment: a live page swaps its parts, and between two measurements they are others. */
async function boxesOf(page: Page, selectors: readonly string[]): Promise<readonly Box[]> {
  for (const one of selectors) await page.locator(one).waitFor();
  const boxes = `${JSON.stringify(selectors)}.map((one) => document.querySelector(one)?.getBoundingClientRect().toJSON())`;
  return page.evaluate<Box[]>(boxes);
}

const steps = (page: Page, item: string) => page.locator(`#item-${item} .steps`);
const runOf = ({ bosun }: Busy, project: string) => bosun.status(project).run?.id ?? '';

inBrowser('three projects at work', (open) => {
  let world: Busy;
  beforeAll(async () => {
    world = await busy();
  });
  afterAll(() => world.close());

  it('are accessible on a phone without sideways scrolling', async () => {
    const page = await open(world, { viewport: { width: 390, height: 844 }, isMobile: true, reducedMotion: 'reduce' });
    const [orders, shop] = [runOf(world, 'orders'), runOf(world, 'shop')];
    const [row] = world.bosun.app.runtime.store.openAttempts();
    await expectNoBarriers(page, world.base(), [
      ...[
        '/',
        '/chat',
        '/inbox',
        '/history',
        '/workflows',
        '/costs',
        '/insights',
        '/workers',
        '/queue',
        '/audit?check=1',
      ],
      ...['/projects/orders', `/runs/${orders}`, `/runs/${shop}`, `/runs/${orders}/history?at=40`, '/runs/none'],
      ...[`/runs/${shop}/workflow`, `/runs/${orders}/attempts/${encodeURIComponent(row?.attempt.id ?? '')}`, '/login'],
    ]);
  });

  it('show live on the workers page which worker joins, which is silent and what each runs', async () => {
    world.tellWorkers([]);
    const page = await open(world);
    await page.goto(`${world.base()}/workers`);
    await page.locator('#workers', { hasText: 'This process runs no agents' }).waitFor();
    // Either may have begun first.
    for (const story of ['US-2', 'US-3'])
      expect(await page.locator('#elsewhere').textContent()).toContain(`${story} coding`);
    const [row] = world.bosun.app.runtime.store.openAttempts();
    const self = { host: 'anvil', isAway: true, can: ['gpu'], version: '1.2.3', isForeign: false, isDraining: false };
    const name = '<b>anvil</b>';
    // It gives its next sign ahead of time, so that a slow browser does not find it silent.
    world.tellWorkers([{ name, seenAt: Date.now() + 60_000, self: { ...self, runs: [row?.attempt.id ?? ''] } }]);
    const anvil = page.locator('.worker', { hasText: name });
    await anvil.getByRole('link', { name: / coding$/ }).waitFor();
    expect(await anvil.textContent()).toMatch(/working.*last heartbeat just now.*on anvil.*can do gpu/);
    expect(await page.locator('#elsewhere').textContent()).toMatch(/US-[23] coding/);
    world.tellWorkers([{ name, seenAt: Date.now() - 60_000, self: { ...self, runs: [] } }]);
    await anvil.getByText('silent', { exact: true }).waitFor();
    expect(await anvil.textContent()).toMatch(/last heartbeat 1 min \d+ s ago/);
    await page.getByRole('link', { name: 'Queue' }).click();
    await page.locator('#at-work', { hasText: 'US-2 coding' }).waitFor();
  });

  it('are shown with inserted steps and parallel stories, and update without a reload', async () => {
    const url = world.base();
    const page = await open(world);
    expect(await page.locator('#projects li').allTextContents()).toEqual([
      expect.stringMatching(/shop.*waiting for you.*0 of 1 phase done/),
      expect.stringMatching(/orders.*working.*1 of 4 stories done/),
      expect.stringMatching(/blog.*waiting for you/),
    ]);
    expect(await page.locator('#needs .card').count()).toBe(2);

    await page.goto(`${url}/runs/${runOf(world, 'shop')}`);
    const gate = await steps(page, 'P1').locator('.inserted').allTextContents();
    expect(gate.map((one) => /[\w-]+/.exec(one)?.[0])).toEqual(['debug', 'plan', 'execute', 'verify', 'post-verify']);
    expect(await steps(page, 'P1').locator('.wait').textContent()).toContain('post-verify');
    const phases = '.chain > .full';
    const [above, below, arrow] = await boxesOf(page, [phases, `${phases} + li > .node`, `${phases} + li > .arrow`]);
    if (!above || !below || !arrow) throw new Error('no arrow after the phases');
    expect(arrow.x + arrow.width / 2).toBeCloseTo(above.x + above.width / 2, 0);
    expect([arrow.height > arrow.width, arrow.y + arrow.height <= below.y]).toEqual([true, true]);
    await page.getByRole('link', { name: 'Workflow', exact: true }).click();
    await page.locator('.picture .frame').first().waitFor();
    expect(await page.locator('.picture').textContent()).toMatch(/fragment fix.*post-verify/);

    await page.goto(`${url}/runs/${runOf(world, 'orders')}`);
    const waves = page.locator('.wave');
    expect(await waves.locator('.item h3').allTextContents()).toEqual(['US-1', 'US-2', 'US-3', 'US-4']);
    expect(await waves.nth(1).textContent()).toMatch(/Wave 2, 2 stories independent of each other/);
    expect(await page.getByRole('img', { name: /US-4 .*after US-2/ }).count()).toBe(1);
    expect(await steps(page, 'US-1').locator('.inserted').textContent()).toContain('coding');
    const beside = await boxesOf(page, ['#item-US-2', '#item-US-3']);
    expect(beside[0]?.y).toBe(beside[1]?.y);

    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    world.bosun.openGate('held');
    await steps(page, 'US-2').locator('.ok', { hasText: 'coding' }).waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'isSamePage'))).toBe(true);
  });
});
