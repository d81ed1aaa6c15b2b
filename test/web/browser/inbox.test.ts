// The inbox: on a wide screen a list and the card that is picked from it; on a phone the list, or one card.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startWeb } from '../../../src/web/index.js';
import { givenBosun } from '../../e2e/bosun.js';
import { expectNoBarriers, inBrowser } from './given.js';

async function threeQuestions() {
  const projects = ['blog', 'docs', 'shop'];
  const bosun = await givenBosun({
    projects: Object.fromEntries(
      projects.map((name) => [name, { workflow: 'one-step', tests: 'none' as const, members: { bob: 'operator' } }]),
    ),
    config: () => ({ people: { bob: {} } }),
  });
  const web = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3', heartbeatMs: 200 });
  for (const name of projects) await bosun.say(`start ${name}: Mend the ${name}`);
  return { bosun, web: () => web, base: new URL(web.loginLink()).origin };
}

const phoneScreen = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const shownCards = (page: Page) => page.locator('.card:visible h3').allTextContents();
const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

inBrowser('the inbox', (open) => {
  it('shows one card beside the list, moves with j and k, opens with Enter and answers there', async () => {
    const { bosun, web, base } = await threeQuestions();
    const page = await open({ web });
    await page.goto(`${base}/inbox`);
    expect(await shownCards(page)).toEqual(['Mend the blog']);
    expect(await page.locator('.card:visible').getByRole('button', { name: 'Start' }).getAttribute('title')).toBe(
      'Key: a',
    );
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await shownCards(page)).toEqual(['Mend the docs']);
    expect(await focused(page)).toContain('Mend the docs');
    await page.keyboard.press('k');
    expect(await shownCards(page)).toEqual(['Mend the blog']);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.className')).toContain('card');
    await page.keyboard.press('a');
    expect(await focused(page)).toBe('Start');
    await page.keyboard.press('a');
    // The answered card makes room for the next one.
    await expect.poll(() => page.locator('.index li').count()).toBe(2);
    await expect.poll(() => shownCards(page)).toEqual(['Mend the shop']);
    await bosun.rest('docs');
  });

  it('puts the shown card off with z and a choice, lists it under Snoozed, and wakes it there', async () => {
    const { web, base } = await threeQuestions();
    const page = await open({ web });
    await page.goto(`${base}/inbox`);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await shownCards(page)).toEqual(['Mend the docs']);
    await page.keyboard.press('z');
    expect(await focused(page)).toBe('30 min');
    await page.keyboard.press('Enter');
    await page.locator('h2', { hasText: 'Snoozed' }).waitFor();
    expect(await page.locator('#inbox-ways a', { hasText: 'Snoozed' }).getAttribute('href')).toBe(
      '/inbox?show=snoozed',
    );
    await expect.poll(() => page.locator('.index li').count()).toBe(2);
    await expect.poll(() => page.title()).toBe('(2) Inbox · Bosun');
    await page.locator('#inbox').getByRole('button', { name: 'Wake it now' }).click();
    await expect.poll(() => page.locator('.index li').count()).toBe(3);
    expect(await page.locator('h2', { hasText: 'Snoozed' }).count()).toBe(0);
    await expectNoBarriers(page, base, ['/inbox']);
  });

  it('hands the shown card to a member with h, and counts it no longer', async () => {
    const { bosun, web, base } = await threeQuestions();
    const page = await open({ web });
    await page.goto(`${base}/inbox`);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await shownCards(page)).toEqual(['Mend the docs']);
    expect(await page.locator('.card:visible .hand > summary').getAttribute('title')).toBe('Key: h');
    await page.keyboard.press('h');
    expect(await focused(page)).toBe('Bob');
    await page.keyboard.press('Enter');
    const others = page.locator('#inbox .rest li', { hasText: 'Mend the docs' });
    await others.getByText('waiting for Bob').waitFor();
    await expect.poll(() => page.locator('.index li').count()).toBe(2);
    await expect.poll(() => page.title()).toBe('(2) Inbox · Bosun');
    expect(bosun.app.runtime.store.browsing.openInteractions('docs', 1)[0]?.interaction.handed).toMatchObject({
      to: 'bob',
    });
    await expectNoBarriers(page, base, ['/inbox']);
  });

  it('opens a row by touch on a phone, hands its card over there, and goes back to the rows', async () => {
    const { bosun, web, base } = await threeQuestions();
    const phone = await open({ web }, phoneScreen);
    await phone.goto(`${base}/inbox`);
    await phone.locator('.hit', { hasText: 'Mend the docs' }).tap();
    await expect.poll(() => shownCards(phone)).toEqual(['Mend the docs']);
    expect(await phone.locator('.index').isVisible()).toBe(false);
    await phone.getByText('All questions').tap();
    await phone.locator('.hit', { hasText: 'Mend the shop' }).tap();
    await expect.poll(() => shownCards(phone)).toEqual(['Mend the shop']);
    const card = phone.locator('.card:visible');
    expect(await card.getByText('Waits for', { exact: true }).locator('+ dd').textContent()).toBe(
      'you, Bob (operator)',
    );
    await card.getByText('Snooze…').tap();
    const tomorrow = await card.getByRole('button', { name: 'Tomorrow 9:00' }).boundingBox();
    expect(tomorrow?.height).toBeGreaterThanOrEqual(44);
    expect((tomorrow?.x ?? 0) + (tomorrow?.width ?? 0)).toBeLessThanOrEqual(390);
    await card.getByText('Hand over…').tap();
    await card.getByRole('button', { name: 'Bob' }).tap();
    await phone.locator('#inbox .rest li', { hasText: 'Mend the shop' }).waitFor();
    await expect.poll(() => phone.locator('.index li:visible').count()).toBe(2);
    expect(bosun.app.runtime.store.browsing.openInteractions('shop', 1)[0]?.interaction.handed).toMatchObject({
      to: 'bob',
    });
  });

  it("puts a row off until nine of the reader's next morning", async () => {
    const { bosun, web, base } = await threeQuestions();
    const phone = await open({ web }, { ...phoneScreen, timezoneId: 'Asia/Tokyo' });
    // The first page says the zone; the second one is in it.
    await phone.goto(`${base}/inbox`);
    await phone.goto(`${base}/inbox`);
    const row = phone.locator('.index li', { hasText: 'Mend the docs' });
    await row.getByText('Snooze…').tap();
    await row.getByRole('button', { name: 'Tomorrow 9:00' }).tap();
    await phone.locator('#inbox-ways a', { hasText: 'Snoozed' }).waitFor();
    const [asked] = bosun.app.runtime.store.browsing.openInteractions('docs', 1);
    const until = asked?.interaction.snoozes?.[0]?.until ?? 0;
    const inTokyo = new Intl.DateTimeFormat('sv-SE', {
      ...{ dateStyle: 'short', timeStyle: 'medium', timeZone: 'Asia/Tokyo' },
    });
    const tomorrow = inTokyo.format(Date.now() + 24 * 3_600_000).slice(0, 10);
    expect(inTokyo.format(until)).toBe(`${tomorrow} 09:00:00`);
  });

  it('answers from its row with one tap on a phone, where nothing is cut off', async () => {
    const { bosun, web, base } = await threeQuestions();
    const phone = await open({ web }, phoneScreen);
    await phone.goto(`${base}/inbox`);
    const row = phone.locator('.index li', { hasText: 'Mend the blog' });
    expect(await row.locator('.where').textContent()).toBe('one-step · asked by Owner');
    const targets = row.locator('.quick').locator('button:visible, summary');
    const boxes = await Promise.all((await targets.all()).map((one) => one.boundingBox()));
    expect(boxes.map((box) => (box?.height ?? 0) >= 44)).toEqual([true, true]);
    await row.getByRole('button', { name: 'Start' }).tap();
    await expect.poll(() => phone.locator('.index li:visible').count()).toBe(2);
    await bosun.rest('blog');
    await expectNoBarriers(phone, base, ['/inbox', '/inbox?show=snoozed', '/inbox?show=others']);
  });

  it('picks the card of a link, keeps it while the page updates, and is accessible', async () => {
    const { bosun, web, base } = await threeQuestions();
    const page = await open({ web });
    await page.goto(`${base}/inbox`);
    await page.locator('.hit', { hasText: 'Mend the shop' }).click();
    await expect.poll(() => shownCards(page)).toEqual(['Mend the shop']);
    const { href } = new URL(page.url());
    await page.getByText('Add a remark…').locator('visible=true').click();
    await page.locator('.card:visible textarea').fill('half a thought');
    await bosun.say('start blog: Another task', { hasty: true });
    await page.locator('.index li').nth(3).waitFor();
    expect(await shownCards(page)).toEqual(['Mend the shop']);
    expect(await page.locator('.card:visible textarea').inputValue()).toBe('half a thought');
    const other = await open({ web });
    await other.goto(href);
    expect(await shownCards(other)).toEqual(['Mend the shop']);
    await expectNoBarriers(other, base, ['/inbox']);
  });

  it('shows the picked card of a link without script, on a phone in place of the rows', async () => {
    const { web, base } = await threeQuestions();
    const page = await open({ web });
    const cookies = await page.context().cookies();
    const still = await page.context().browser()?.newContext({ javaScriptEnabled: false });
    await still?.addCookies(cookies);
    const plain = await still?.newPage();
    if (plain === undefined) throw new Error('no page');
    await plain.setViewportSize({ width: 1280, height: 860 });
    await plain.goto(`${base}/inbox`);
    expect(await shownCards(plain)).toEqual(['Mend the blog']);
    await plain.locator('.hit', { hasText: 'Mend the docs' }).click();
    expect(await shownCards(plain)).toEqual(['Mend the docs']);
    await plain.setViewportSize({ width: 390, height: 844 });
    expect(await shownCards(plain)).toEqual(['Mend the docs']);
    expect(await plain.locator('.index').isVisible()).toBe(false);
    await plain.getByText('All questions').click();
    expect(await shownCards(plain)).toEqual([]);
    expect(await plain.locator('.index li').count()).toBe(3);
    await still?.close();
  });
});
