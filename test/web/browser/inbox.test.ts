// The inbox: on a wide screen a list and the card that is picked from it, on a phone one card after the other.
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

  it('puts the shown card off with z, lists it under Snoozed, and wakes it there', async () => {
    const { web, base } = await threeQuestions();
    const page = await open({ web });
    await page.goto(`${base}/inbox`);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await shownCards(page)).toEqual(['Mend the docs']);
    await page.keyboard.press('z');
    await page.locator('h2', { hasText: 'Snoozed' }).waitFor();
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
    expect(await page.locator('.card:visible .attention summary').getAttribute('title')).toBe('Key: h');
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

  it('hands a card over by touch on a phone', async () => {
    const { bosun, web, base } = await threeQuestions();
    const phone = await open({ web }, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await phone.goto(`${base}/inbox`);
    const card = phone.locator('.card', { hasText: 'Mend the shop' });
    await card.getByText('Hand over…').tap();
    await card.getByRole('button', { name: 'Bob' }).tap();
    await card.waitFor({ state: 'detached' });
    await phone.locator('#inbox .rest li', { hasText: 'Mend the shop' }).waitFor();
    expect(bosun.app.runtime.store.browsing.openInteractions('shop', 1)[0]?.interaction.handed).toMatchObject({
      to: 'bob',
    });
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

  it('shows all cards below each other on a phone, and the picked one of a link without script', async () => {
    const { web, base } = await threeQuestions();
    const phone = await open({ web }, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await phone.goto(`${base}/inbox`);
    expect(await shownCards(phone)).toEqual(['Mend the blog', 'Mend the docs', 'Mend the shop']);
    expect(await phone.locator('.index').isVisible()).toBe(false);
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
    await still?.close();
  });
});
