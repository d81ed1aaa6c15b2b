// An agent's question in the inbox: answers by number, the time that it waits, and its earlier questions.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { attemptToken } from '../../../src/jobs/attempt-token.js';
import { startWeb } from '../../../src/web/index.js';
import { givenBosun, until } from '../../e2e/bosun.js';
import { expectNoBarriers, inBrowser } from './given.js';

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const options = ['A4', 'US Letter', 'By the country of the buyer, as the address says'];

/** An agent works, and asks what a test tells it to ask. */
async function askingAgent() {
  const bosun = await givenBosun({
    projects: { shop: { workflow: 'one-step', tests: 'none' } },
    plan: { task: { until: 'held' } },
  });
  const { store } = bosun.app.runtime;
  const web = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3', heartbeatMs: 200 });
  await bosun.say('start shop: Invoices as PDF', { hasty: true });
  await bosun.pressButton('Start', { hasty: true });
  await until('an agent works', () => store.openAttempts()[0]?.attempt.state === 'running');
  const authorization = `Bearer ${attemptToken(bosun.app.home.secret, store.openAttempts()[0]?.attempt.id ?? '')}`;
  const gone = new AbortController();
  onTestFinished(() => {
    gone.abort();
    bosun.openGate('held');
  });
  const ask = async (key: string, question: string) => {
    const reply = await fetch(`http://127.0.0.1:${web.port}/agent/ask`, {
      ...{ method: 'POST', signal: gone.signal, headers: { authorization, 'content-type': 'application/json' } },
      body: JSON.stringify({ key, question, options }),
    });
    return ((await reply.json()) as { readonly text?: string }).text;
  };
  return { bosun, web: () => web, base: new URL(web.loginLink()).origin, ask };
}

const answersOf = (page: Page) => page.locator('.card:visible .answers button');

inBrowser('the question of an agent', (open) => {
  it('is answered with the key of its answer on a wide screen, and stands below the next one', async () => {
    const { web, base, ask } = await askingAgent();
    const page = await open({ web });
    await page.goto(`${base}/inbox`);
    const answer = ask('k1', 'Which paper size do invoices use?');
    await answersOf(page).nth(2).waitFor();
    const boxes = await Promise.all((await answersOf(page).all()).map((one) => one.boundingBox()));
    // Below each other, each as wide as the card and large enough to press.
    expect(new Set(boxes.map((box) => box?.x)).size).toBe(1);
    for (const box of boxes) expect([(box?.width ?? 0) > 500, (box?.height ?? 0) >= 50]).toEqual([true, true]);
    expect(await page.getByText('If nobody answers').locator('+ dd').textContent()).toMatch(
      /^the agent waits until \d\d:\d\d.*; a later answer goes to its next try$/,
    );
    await page.keyboard.press('2');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('US Letter');
    await page.keyboard.press('Enter');
    expect(await answer).toBe('US Letter');
    void ask('k2', 'And receipts?').catch(() => undefined);
    await page.getByRole('heading', { name: /And receipts/ }).waitFor();
    expect(await page.getByText('Asked before').locator('+ dd li').allTextContents()).toEqual([
      expect.stringMatching(/^Which paper size do invoices use\? .* by Owner, page.*just now$/),
    ]);
    await expectNoBarriers(page, base, ['/inbox']);
  });

  it('is answered by touch on a phone, where its answers are buttons without numbers', async () => {
    const { web, base, ask } = await askingAgent();
    const page = await open({ web }, phone);
    await page.goto(`${base}/inbox`);
    const answer = ask('k1', 'Which paper size do invoices use?');
    const row = page.locator('.index li', { hasText: 'Which paper size' });
    await row.waitFor();
    expect(await row.locator('.quick > form > *, .quick summary').allTextContents()).toEqual([...options, 'Snooze…']);
    await row.locator('.hit').tap();
    await answersOf(page).first().waitFor();
    const before = `getComputedStyle(document.querySelector('.answers button'), '::before').content`;
    expect(await page.evaluate(before)).toBe('none');
    await answersOf(page).filter({ hasText: 'A4' }).tap();
    expect(await answer).toBe('A4');
    await page.getByText('Nothing is waiting for you').waitFor();
  });
});
