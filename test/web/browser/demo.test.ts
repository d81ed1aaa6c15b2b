// The demo, walked through in a browser as a person would.
import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { inBrowser, say, served } from './given.js';

process.env['DEMO_DELAY_MS'] = '20';

inBrowser('the page', (open) => {
  it('tells a visitor of an empty home how to begin', async () => {
    const page = await open(await served({ demo: false }));
    await expect.poll(() => page.textContent('#needs'), { timeout: 10_000 }).toContain('Nothing needs you right now');
    expect(await page.textContent('#projects')).toContain('bosun init');
    await page.locator('#menu-more summary').click();
    await page.getByRole('link', { name: 'Chat' }).click();
    expect(await page.textContent('#chat')).toContain('There is no project yet');
    for (const path of ['/inbox', '/history', '/costs', '/workers', '/queue', '/audit', '/workflows']) {
      expect((await page.goto(new URL(path, page.url()).href))?.status()).toBe(200);
    }
  });

  it('starts the demo from the chat, updates itself and takes a remark with the approval', async () => {
    const bosun = await served();
    const page = await open(bosun);
    const other = await page.context().newPage();
    await other.goto(`${bosun.base()}/runs/r1`);
    await other.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await page.goto(`${bosun.base()}/chat`);
    await say(page, 'continue demo');
    await page.locator('.asks').getByRole('button', { name: 'Approve' }).waitFor();
    const changes = page.locator('.asks').getByRole('link', { name: 'See changes' });
    expect(await changes.getAttribute('href')).toBe('/runs/r1/changes?item=US-001');
    await other.locator('.steps .ok', { hasText: 'contract' }).waitFor();
    await other.locator('#needs').getByRole('button', { name: 'Approve' }).waitFor();

    await page.goto(bosun.base());
    const card = page.locator('.card', { hasText: 'How long may an empty cart be remembered?' });
    await card.getByText('Request changes…').click();
    await card.getByRole('textbox').fill('30 seconds, others OK');
    await card.getByRole('button', { name: 'Approve' }).click();
    await page
      .locator('#said', { hasText: /Approved ·.*by Owner, \d\d:\d\d, page: “30 seconds, others OK”/s })
      .waitFor();
    await page.locator('.card', { hasText: 'Should orders be sorted newest first?' }).waitFor();

    await other.locator('#timeline', { hasText: 'failed' }).waitFor();
    expect(await other.evaluate(() => Reflect.get(globalThis, 'isSamePage'))).toBe(true);
    await other
      .locator('#timeline li', { hasText: 'failed' })
      .getByRole('link', { name: /attempt 1/ })
      .first()
      .click();
    await other.locator('.log', { hasText: 'scripted demo agent' }).waitFor();
    await other.getByRole('link', { name: 'Report', exact: true }).click();
    expect(await other.locator('#shown').textContent()).toMatch(/9 passed, 1 failed/);
    await other.getByRole('link', { name: 'Changes' }).click();
    await other.locator('.file .add').first().waitFor();
    await other.getByRole('link', { name: 'Prompt' }).click();
    expect(await other.locator('#shown pre').textContent()).toContain('US-001');

    await other.goto(`${bosun.base()}/runs/r1/history`);
    const held: Route[] = [];
    await other.route('**/history?at=*', (route) => void held.push(route));
    await other.getByRole('slider').fill('4');
    await other.locator('#said', { hasText: 'Loading…' }).waitFor();
    expect(await other.locator('main').getAttribute('aria-busy')).toBe('true');
    await expect.poll(() => held.length).toBe(1);
    await other.unrouteAll();
    await other.locator('#replay-place', { hasText: 'Event 4 of' }).waitFor();
    await other.locator('main:not([aria-busy])').waitFor();
    expect(await other.locator('#said').textContent()).toBe('');
    // A page that is left for one that takes long says so too.
    await other.evaluate(`dispatchEvent(new Event('beforeunload'))`);
    await other.locator('main[aria-busy]').waitFor();
    await other.getByRole('link', { name: 'Previous', exact: true }).click();
    await other.locator('#replay-place', { hasText: 'Event 3 of' }).waitFor();
    expect(new URL(other.url()).searchParams.get('at')).toBe('3');

    await page.locator('.card').getByText('Answer…').click();
    await page.locator('.card').getByRole('textbox').fill('yes, newest first');
    await page.locator('.card').getByRole('button', { name: 'Answer' }).click();
    await page.locator('.card', { hasText: 'Discount codes' }).waitFor();
  });

  it('asks for the text that an answer needs, and rejects with a reason', async () => {
    const bosun = await served();
    const page = await open(bosun);
    await page.goto(`${bosun.base()}/chat`);
    await say(page, 'continue demo');
    await page.goto(bosun.base());
    await page.getByRole('link', { name: 'See changes' }).click();
    await page.getByRole('heading', { name: 'Changes of US-001' }).waitFor();
    const spec = page.locator('.file', { hasText: 'docs/bdd/US-001.md' });
    await spec.getByRole('link', { name: 'As it reads' }).click();
    await spec.locator('.rendered h3').first().waitFor();
    expect(await spec.locator('.pair').count()).toBe(0);
    await spec.getByRole('link', { name: 'Its changes' }).click();
    await spec.locator('.pair').first().waitFor();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.getByText('Request changes…').click();
    await page.getByRole('button', { name: 'Request changes' }).click();
    await page.getByRole('alert').filter({ hasText: 'enter some text' }).waitFor();
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    await page.locator('.card').getByRole('textbox').fill('the carts are too large');
    await page.locator('.card').getByText('Reject…').click();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.locator('#card-i1-2').getByRole('button', { name: 'scope warning' }).click();
    await expect
      .poll(() => bosun.app().runtime.store.interaction('i1-1')?.interaction.answer, { timeout: 10_000 })
      .toMatchObject({ option: 'reject', text: 'the carts are too large' });
    await page.locator('#card-i1-3').waitFor();
  });

  it('works on a small screen', async () => {
    const bosun = await served();
    const page = await open(bosun, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await page.goto(`${bosun.base()}/chat`);
    await say(page, 'continue demo');
    await page.goto(bosun.base());
    const tests = await page.locator('.card .chip', { hasText: 'not checked' }).boundingBox();
    const approve = page.locator('.card').getByRole('button', { name: 'Approve' });
    expect((tests?.y ?? 0) + (tests?.height ?? 0)).toBeLessThanOrEqual((await approve.boundingBox())?.y ?? 0);
    // The field is there only for those who want words.
    expect(await page.locator('.card textarea').isVisible()).toBe(false);
    await page.locator('.card').getByRole('button', { name: 'Approve' }).tap();
    await page.locator('.card', { hasText: 'Should orders be sorted newest first?' }).waitFor();
  });
});
