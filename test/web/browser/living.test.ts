// A page that stays open: beside another, over a restart, with keys alone, without script.
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { inBrowser, say, served } from './given.js';

process.env['DEMO_DELAY_MS'] = '20';

inBrowser('an open page', (open) => {
  it('updates after an answer in another browser and keeps text that is being typed', async () => {
    const bosun = await served();
    const [one, two] = [await open(bosun), await open(bosun, { colorScheme: 'dark' })];
    const still = await one.context().newPage();
    await still.goto(`${bosun.base()}/audit`);
    const asked: string[] = [];
    still.on('request', (request) => asked.push(request.url()));
    await one.goto(`${bosun.base()}/chat`);
    await say(one, 'continue demo');
    await two.locator('#card-i1-1').getByText('Request changes…').click();
    await two.locator('#card-i1-1').getByRole('textbox').fill('half a thought');
    await two.locator('#card-i1-1').getByRole('textbox').dispatchEvent('compositionstart');
    await two.evaluate(`new MutationObserver((all) => {
      const added = all.flatMap(({ addedNodes }) => [...addedNodes]);
      if (added.some((node) => node instanceof Element)) globalThis.isSwapped = true; }).observe(
      document.querySelector('#main'), { childList: true, subtree: true })`);
    await say(one, 'demo: mend the cart');
    await one.locator('.asks', { hasText: 'mend the cart' }).waitFor();
    expect(await two.evaluate('globalThis.isSwapped ?? false')).toBe(false);
    await two.locator('#card-i1-1').getByRole('textbox').dispatchEvent('compositionend');
    await two.locator('.card', { hasText: 'mend the cart' }).waitFor();
    expect(await two.locator('#card-i1-1').getByRole('textbox').inputValue()).toBe('half a thought');
    await one.locator('.asks').getByRole('button', { name: 'Approve' }).click();
    await two.locator('#card-i1-2').waitFor();
    const late = two.locator('#card-i1-1');
    await late.getByRole('alert').filter({ hasText: 'Already answered' }).waitFor();
    expect(await late.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await two.keyboard.type(', and more');
    expect(await late.getByRole('textbox').inputValue()).toBe('half a thought, and more');
    await late.getByRole('textbox').fill('');
    await two.getByRole('link', { name: 'Bosun' }).focus();
    await say(one, 'status');
    await late.waitFor({ state: 'detached' });
    // A page that shows nothing of it asks for nothing.
    expect(asked.filter((url) => !url.includes('/assets/'))).toEqual([]);
  });

  it('reconnects after a restart, still logged in, without missing a change', async () => {
    const bosun = await served();
    const page = await open(bosun);
    await bosun.stop();
    await page.locator('#link[data-state="lost"]').waitFor();
    await page.locator('#cut-off', { hasText: /^Not live since \d/ }).waitFor();
    await bosun.start();
    await page.locator('#link[data-state="ok"]').waitFor();
    await page.locator('#cut-off').waitFor({ state: 'hidden' });
    let failures = 2;
    await page.route(`${bosun.base()}/`, (route) => {
      failures -= 1;
      return failures < 0 ? route.continue() : failures === 0 ? route.abort() : route.fulfill({ status: 503 });
    });
    const isStale = page.locator('#link[data-state="lost"]', { hasText: 'Not up to date' }).waitFor();
    await bosun
      .app()
      .door.hear({ thread: 'web', by: null, cwd: '/', body: { type: 'text', text: 'continue demo', replyTo: null } });
    await isStale;
    await page.locator('.card').getByRole('button', { name: 'Approve' }).waitFor();
    await page.locator('#link[data-state="ok"]').waitFor();
    expect(await page.title()).toBe('(1) Bosun');
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/icon-waiting\.svg$/);
  });

  it('holds no connection while hidden and catches up when shown', async () => {
    const bosun = await served({ demo: false });
    const seen = await open(bosun);
    const url = bosun.base();
    const turn = (page: Page, hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    const others: Page[] = [];
    // A browser opens six connections to one place, and no more.
    while (others.length < 7) {
      const other = await seen.context().newPage();
      await other.goto(`${url}/chat`);
      await turn(other, true);
      others.push(other);
    }
    await seen.goto(`${url}/chat`);
    await say(seen, 'help');
    await seen.locator('#chat', { hasText: 'reply to the card' }).waitFor();
    const [other] = others;
    if (!other) throw new Error('no other page');
    expect(await other.textContent('#chat')).not.toContain('reply to the card');
    await turn(other, false);
    await other.locator('#chat', { hasText: 'reply to the card' }).waitFor();
  });

  it('recognizes that a message arrived although its response was lost', async () => {
    const bosun = await served({ demo: false });
    const page = await open(bosun);
    await page.goto(`${bosun.base()}/chat`);
    let isLost = true;
    await page.route('**/api/say', async (route) => {
      if (!isLost) return route.abort();
      // Not every resolver knows *.localhost.
      await route.fetch({ url: `${bosun.web().url}/api/say` });
      isLost = false;
      return route.abort();
    });
    await say(page, ' help ');
    await page.locator('.mine', { hasText: 'help' }).waitFor();
    await expect.poll(() => page.locator('#say').inputValue(), { timeout: 10_000 }).toBe('');
    expect(await page.locator('.problem:visible').count()).toBe(0);
    await say(page, 'help');
    await page.locator('.problem', { hasText: 'Your text is still here' }).waitFor();
    expect(await page.locator('.mine').count()).toBe(1);
  });

  it('reports a lost key or session instead of sending, and keeps the typed text', async () => {
    const bosun = await served({ demo: false });
    const page = await open(bosun);
    await page.goto(`${bosun.base()}/chat`);
    const key = await page.evaluate(`localStorage.getItem('bosun-key')`);
    await page.evaluate(`localStorage.removeItem('bosun-key')`);
    await say(page, 'help');
    await page.locator('.problem', { hasText: 'Log in again with a new link' }).waitFor();
    expect(await page.locator('#say').inputValue()).toBe('help');
    await page.evaluate(`localStorage.setItem('bosun-key', ${JSON.stringify(key)})`);
    await page.context().clearCookies();
    await say(page, 'help');
    await page.locator('#said', { hasText: 'You are logged out here' }).getByRole('link', { name: 'Log in' }).waitFor();
    expect(await page.locator('#say').inputValue()).toBe('help');
    expect(await page.locator('.problem:visible').count()).toBe(0);
  });

  it('works with the keyboard alone', async () => {
    const bosun = await served();
    const page = await open(bosun);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent?.trim()')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.id')).toBe('main');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL('**/chat');
    // A key pressed before the page's scripts run is lost.
    const focusedByKey = async () => {
      await page.keyboard.press('/');
      return page.evaluate('document.activeElement?.id');
    };
    await expect.poll(focusedByKey).toBe('say');
    await page.keyboard.type('continue demo');
    const held: Route[] = [];
    await page.route('**/api/say', (route) => void held.push(route));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1);
    await page.keyboard.type(' and then');
    await Promise.all(held.map((route) => route.continue()));
    await page.locator('.asks').waitFor();
    expect(await page.locator('.mine').count()).toBe(1);
    expect(await page.locator('#say').inputValue()).toBe('continue demo and then');
    await page.locator('#say').fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    // Its cards are there before its scripts run: a key pressed in between would be lost.
    await page.waitForURL(`${bosun.base()}/`);
    await page.locator('.card').waitFor();
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement?.className')).toContain('card');
    await page.keyboard.press('c');
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    const presses: string[] = [];
    page.on('request', (request) => presses.push(...(request.url().endsWith('/api/press') ? ['pressed'] : [])));
    await page.keyboard.type('30 seconds');
    // Words alone approve nothing.
    await page.keyboard.press('Control+Enter');
    expect(presses).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Approve');
    // The number of an answer focuses it; the second `a` presses what the first one showed.
    await page.keyboard.press('2');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Request changes');
    expect(presses).toEqual([]);
    await page.keyboard.press('a');
    await page.keyboard.press('a');
    await page.locator('#said', { hasText: /Approved ·.*by Owner/s }).waitFor();
    await page.keyboard.press('?');
    expect(await page.locator('#keys').getAttribute('open')).not.toBeNull();
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.getByLabel('Enable single-key shortcuts').isVisible()).toBe(true);
    await page.getByLabel('Enable single-key shortcuts').press('Space');
    await page.reload();
    await page.keyboard.press('?');
    expect(await page.locator('#keys').getAttribute('open')).toBeNull();
    await page.locator('#account summary').press('Enter');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).press('Enter');
    await page.getByLabel('Enable single-key shortcuts').press('Space');
    await page.keyboard.press('Escape');
    await page.locator('#main').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.waitForURL('**/inbox');
  }, 60_000);

  it('finds a page, a project and the button of a card by typing, and presses nothing by that', async () => {
    const bosun = await served();
    const page = await open(bosun);
    await page.goto(`${bosun.base()}/chat`);
    await say(page, 'continue demo');
    await page.locator('.asks').waitFor();
    await page.goto(bosun.base());
    const palette = page.locator('#palette');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('demo');
    await palette.getByRole('link', { name: 'demo', exact: true }).waitFor();
    await page.locator('#palette input').fill('appro');
    await palette.getByRole('button', { name: /^Approve: / }).waitFor();
    const presses: string[] = [];
    page.on('request', (request) => presses.push(...(request.url().endsWith('/api/press') ? ['pressed'] : [])));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Approve');
    expect(presses).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('#said', { hasText: /Approved/ }).waitFor();
  });

  it('logs out at once, in other tabs too, and logs in again with the token', async () => {
    const bosun = await served({ demo: false });
    const page = await open(bosun);
    const [other, elsewhere] = [await page.context().newPage(), await open(bosun)];
    await other.clock.install();
    await other.goto(`${bosun.base()}/history`);
    const cookies = await page.context().cookies();
    await page.locator('#account summary').click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    await other.locator('#said', { hasText: 'You are logged out here' }).waitFor();
    await other.locator('#link[role="status"]', { hasText: 'Logged out' }).waitFor();
    const asked: string[] = [];
    other.on('request', (request) => asked.push(request.url()));
    await other.clock.runFor(20_000);
    expect(asked).toEqual([]);
    await page.context().addCookies(cookies);
    await page.goto(bosun.base());
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect((await elsewhere.reload())?.status()).toBe(200);
    const [label, word] = await Promise.all(['label', 'label code'].map((one) => page.locator(one).boundingBox()));
    expect(word?.x).toBeGreaterThan((label?.x ?? 0) + 50);
    await page.getByLabel(/paste/).fill(bosun.home.apiToken);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('#needs').waitFor();
  });

  it('can be read without JavaScript', async () => {
    const bosun = await served();
    await bosun
      .app()
      .door.hear({ thread: 'web', by: null, cwd: '/', body: { type: 'text', text: 'continue demo', replyTo: null } });
    await bosun.app().runtime.whenAtRest('demo', 40_000);
    const page = await open(bosun, { javaScriptEnabled: false });
    expect(await page.textContent('.card')).toContain('How long may an empty cart be remembered?');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await page.textContent('.foot')).toContain('Answering and logging out need it');
    await page.getByRole('link', { name: 'r1' }).first().click();
    expect(await page.textContent('#chain')).toContain('contract');
    await page.goto(`${bosun.base()}/runs/r1/history?at=1`);
    expect(await page.textContent('#then')).toContain('not started');
  });
});
