// The page while something is slow, refused or broken.
import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { BrowserContext, Route } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startWeb } from '../../../src/web/index.js';
import { givenBosun } from '../../e2e/bosun.js';
import { redisVersion, startRedis } from '../../redis/server.js';
import { barriers, inBrowser, say, served } from './given.js';

process.env['DEMO_DELAY_MS'] = '0';

inBrowser('in trouble, the page', (open) => {
  it('says on the pressed button what it does, and that it still tries after eight seconds', async () => {
    const bosun = await served();
    const page = await open(bosun);
    await page.goto(`${bosun.base()}/chat`);
    await say(page, 'continue demo');
    await page.locator('.asks').waitFor();
    await page.clock.install();
    await page.goto(bosun.base());
    const held: Route[] = [];
    await page.route('**/api/press', (route) => void held.push(route));
    await page.locator('.card').getByRole('button', { name: 'Approve' }).click();
    const pressed = page.locator('.card button', { hasText: 'Approving…' });
    await pressed.waitFor();
    expect(await pressed.getAttribute('aria-disabled')).toBe('true');
    expect(await pressed.evaluate('document.activeElement.textContent')).toBe('Approving…');
    await page.clock.runFor(8_100);
    await page.locator('.card button', { hasText: 'Still trying…' }).waitFor();
    await Promise.all(held.map((route) => route.abort()));
    await page.locator('.card').getByRole('button', { name: 'Approve' }).waitFor();
    await page.locator('.card .problem', { hasText: "Can't reach Bosun" }).waitFor();
  });

  it('keeps a red line for a refused config.yaml until it is valid again', async () => {
    const bosun = await served();
    const page = await open(bosun);
    const valid = readFileSync(bosun.home.configPath, 'utf8');
    writeFileSync(bosun.home.configPath, `${valid}\nprojets: {}\n`);
    const line = page.locator('#banners', { hasText: 'config.yaml is refused' });
    await line.waitFor();
    expect(await line.textContent()).toMatch(/projets.*The version before it stays in force/);
    await page.goto(`${bosun.base()}/history`);
    await line.waitFor();
    expect(await barriers(page)).toEqual([]);
    writeFileSync(bosun.home.configPath, valid);
    await line.waitFor({ state: 'detached' });
  });

  it('keeps a red line while the database refuses writes', async () => {
    const bosun = await served();
    const page = await open(bosun);
    const other = new Database(bosun.home.dbPath);
    other.exec('BEGIN IMMEDIATE');
    const answer = bosun
      .app()
      .door.hear({ thread: 'web', by: null, cwd: '/', body: { type: 'text', text: 'continue demo', replyTo: null } })
      .catch(() => undefined);
    const line = page.locator('#banners', { hasText: 'Bosun cannot write its database' });
    await line.waitFor();
    other.exec('ROLLBACK');
    other.close();
    await answer;
    await say(await chatOf(page.context(), bosun.base()), 'status');
    await line.waitFor({ state: 'detached' });
  });

  it.skipIf(redisVersion() === null && process.env['CI'] !== 'true')(
    'keeps a red line for the owner while Redis is away, until work goes on',
    async () => {
      const redis = await startRedis();
      const bosun = await givenBosun({ config: () => ({ queue: { redis: redis.url }, people: { ann: {} } }) });
      const web = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3', heartbeatMs: 200 });
      onTestFinished(async () => {
        await web.close();
        await bosun.close();
        await redis.end();
      });
      const page = await open({ web: () => web });
      const line = page.locator('#banners', { hasText: 'Redis does not answer' });
      expect(await page.locator('#banners').textContent()).toBe('');
      await redis.kill();
      await line.waitFor();
      expect(await line.textContent()).toMatch(/Nothing is lost: work continues by itself once Redis is back/);
      expect(await barriers(page)).toEqual([]);
      await redis.start();
      await line.waitFor({ state: 'detached' });
    },
  );

  it('answers in words, without the codes of the terminal', async () => {
    const bosun = await served();
    const page = await open(bosun);
    await page.goto(`${bosun.base()}/projects/demo`);
    await page.locator('#say').fill('start');
    await page.keyboard.press('Enter');
    await page.locator('#said', { hasText: /What should I do|idle/ }).waitFor();
    expect(await page.locator('#said').textContent()).not.toMatch(/[EW]00\d/);
  });
});

async function chatOf(context: BrowserContext, base: string) {
  const page = await context.newPage();
  await page.goto(`${base}/chat`);
  return page;
}
