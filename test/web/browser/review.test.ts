// A reviewer and an operator at work, on a phone and at a desk, without typing a command.
import { writeFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { given } from '../given.js';
import { barriers, inBrowser, type Served, say, served } from './given.js';

process.env['DEMO_DELAY_MS'] = '0';

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

async function comment(page: Page, line: number, words: string): Promise<void> {
  const file = page.locator('.file', { hasText: 'US-001.md' }).first();
  await file.getByRole('link', { name: `Line ${line}`, exact: true }).click();
  await page.getByLabel(/^Comment on docs\/bdd\/US-001\.md/).fill(words);
  await page.getByRole('button', { name: 'Add to the request' }).click();
}

function answerOf(bosun: Served, id: string) {
  return bosun.app().runtime.store.interaction(id)?.interaction.answer ?? null;
}

inBrowser('a review on the page', (open) => {
  it.each([
    ['a desk', {}],
    ['a phone', phone],
  ] as const)(
    'takes comments on lines as one request, shows the second round and is approved, at %s',
    async (_, how) => {
      const bosun = await served();
      const page = await open(bosun, how);
      await page.goto(`${bosun.base()}/chat`);
      await say(page, 'continue demo');
      await page.getByRole('link', { name: 'See changes' }).click();
      await page.getByRole('heading', { name: 'Changes of US-001' }).waitFor();
      await comment(page, 9, 'say that nothing is kept');
      await comment(page, 15, 'newest first');
      // Drafts survive a reload, and the second can still be changed.
      await page.reload();
      await page.getByText('2 comments become the request').waitFor();
      expect(await page.locator('.thread p:not(.soft)').allTextContents()).toEqual([
        'say that nothing is kept',
        'newest first',
      ]);
      expect(await barriers(page)).toEqual([]);
      await page.getByLabel('A remark on all of it').fill('and thanks');
      await page.locator('#verdict').getByRole('button', { name: 'Request changes' }).click();
      await page.getByText('asked in round 1').waitFor();
      expect(answerOf(bosun, 'i1-1')).toMatchObject({
        option: 'changes',
        text: '1. docs/bdd/US-001.md:9: say that nothing is kept\n2. docs/bdd/US-001.md:15: newest first\nand thanks',
      });
      await page.locator('form[data-drafts]:not([data-drafts="i1-1"])').waitFor();
      expect(await page.locator('.thread').count()).toBe(0);
      // The second round opens with what changed since; each comment leads to its file.
      await page.locator('#facts .request a', { hasText: 'docs/bdd/US-001.md:9' }).waitFor();
      expect(await page.locator('#changes .seg [aria-current]').first().textContent()).toMatch(/^Since your review \d/);
      const since = await page.locator('.file').count();
      await page.getByRole('link', { name: /^Everything/ }).click();
      await page.locator('#f2').waitFor();
      expect(await page.locator('.file').count()).toBeGreaterThan(since);
      await page.locator('#f2 .tick').click();
      await page.getByText('1 viewed').waitFor();
      await page.locator('#verdict').getByRole('button', { name: 'Approve' }).click();
      await expect.poll(() => answerOf(bosun, 'i1-2')?.option, { timeout: 20_000 }).toBe('approve');
      await page.locator('#verdict:empty').waitFor({ state: 'attached' });
    },
  );

  it('lets an operator stop, continue and retry with a note, with buttons alone', async () => {
    const agent = 'cat > /dev/null\nwhile [ ! -e "$GO" ]; do sleep 0.05; done\nexit 3\n';
    const bosun = await given({ agent, work: true });
    const { store } = bosun.app.runtime;
    const page = await open({ web: () => bosun.web }, phone);
    await page.getByRole('link', { name: 'New task', exact: true }).last().click();
    await page.getByLabel('What should be done?').fill('paint the door');
    await page.getByRole('button', { name: 'Propose' }).click();
    await page.locator('.card', { hasText: 'paint the door' }).getByRole('button', { name: 'Start' }).click();
    await page.locator('#head').getByText('working').waitFor();
    await page.locator('#head').getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => store.run('r1')?.held, { timeout: 20_000 }).toBe(true);
    writeFileSync(bosun.goPath, '');
    await page.locator('#head').getByText('paused').waitFor();
    await page.locator('#head').getByRole('button', { name: 'Continue' }).click();
    await page.locator('#head').getByText('failed').waitFor();
    await page.locator('#head').getByText('Retry…').click();
    await page.getByLabel('A note for the agent').fill('use the green paint');
    await page.locator('.words').getByRole('button', { name: 'Retry' }).click();
    await expect
      .poll(() => store.newestEvents('r1', 20).find(({ event }) => event.type === 'retry')?.event, { timeout: 20_000 })
      .toMatchObject({ type: 'retry', note: 'use the green paint' });
  });

  it('lets an operator start and queue with buttons alone, and asks before what is lost', async () => {
    const bosun = await served();
    const page = await open(bosun, phone);
    const task = async (words: string) => {
      await page.getByRole('link', { name: 'New task', exact: true }).last().click();
      await page.getByLabel('What should be done?').fill(words);
      await page.getByRole('button', { name: 'Propose' }).click();
      await page.waitForURL('**/projects/demo');
    };
    await page.goto(`${bosun.base()}/projects/demo`);
    await page.locator('#queue').getByRole('button', { name: 'Start' }).click();
    await page.locator('.card', { hasText: 'Order history' }).waitFor();
    await task('mend the cart');
    await page.locator('.card', { hasText: 'mend the cart' }).getByRole('button', { name: 'Start' }).click();
    await page.locator('#queue', { hasText: 'mend the cart' }).getByText('queued behind').waitFor();
    await task('paint the door');
    await page.locator('.card', { hasText: 'paint the door' }).getByRole('button', { name: 'Start' }).click();
    await page.getByRole('button', { name: 'First: paint the door' }).click();
    await page.locator('#queue li').first().filter({ hasText: 'paint the door' }).waitFor();
    await page.getByRole('button', { name: 'Drop: mend the cart' }).click();
    await page.locator('#queue li', { hasText: 'mend the cart' }).waitFor({ state: 'detached' });
    await page.locator('#said').getByRole('button', { name: 'Put it back' }).click();
    await page.locator('#queue li', { hasText: 'mend the cart' }).waitFor();
    await page.goto(`${bosun.base()}/runs/r1`);
    await page.getByRole('button', { name: 'Abort' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(bosun.app().runtime.store.run('r1')?.status).toBe('paused');
    await page.getByText('Skip…').click();
    await page.locator('.words').getByRole('button', { name: 'Skip' }).click();
    await page.getByRole('alert').filter({ hasText: 'enter some text' }).waitFor();
  });
});
