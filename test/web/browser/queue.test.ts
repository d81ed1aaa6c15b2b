// The queue of a project: its tasks get other words, and start beside the run that has the folder.
import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import { startWeb } from '../../../src/web/index.js';
import { givenBosun, until } from '../../e2e/bosun.js';
import { expectNoBarriers, inBrowser } from './given.js';

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** An agent works on the first task; the second one waits. */
async function oneWaits() {
  const bosun = await givenBosun({
    projects: { shop: { workflow: 'one-step', tests: 'none' } },
    plan: { task: { until: 'held', files: { '{item}.txt': 'done' } } },
  });
  const web = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3', heartbeatMs: 200 });
  for (const task of ['Mend the cart', 'Paint the door']) {
    await bosun.say(`start shop: ${task}`, { hasty: true });
    await bosun.pressButton('Start', { hasty: true });
  }
  await until('an agent works', () => bosun.app.runtime.store.openAttempts().length === 1);
  return { bosun, web: () => web, base: new URL(web.loginLink()).origin };
}

inBrowser('the queue of a project', (open) => {
  for (const [where, path, size] of [
    ['home on a wide screen', '/', {}],
    ['its project on a phone', '/projects/shop', phone],
  ] as const)
    it(`gives a waiting task other words on ${where}, and puts the old ones back`, async () => {
      const { bosun, web, base } = await oneWaits();
      const page = await open({ web }, size);
      await page.goto(`${base}${path}`);
      const row = page.locator('#queue li');
      await row.getByText('Edit: Paint the door').locator('..').click();
      const field = row.getByLabel('The task');
      expect(await field.inputValue()).toBe('Paint the door');
      await field.fill('Paint the door red\nTwo coats');
      await row.getByRole('button', { name: 'Change the task' }).click();
      await row.getByRole('link', { name: 'Paint the door red' }).waitFor();
      expect(bosun.app.runtime.store.drafts('shop').map(({ task }) => task)).toEqual(['Paint the door red\nTwo coats']);
      expect(await field.isVisible()).toBe(false);
      await page.locator('#said').getByRole('button', { name: 'Undo' }).click();
      await row.getByRole('link', { name: 'Paint the door', exact: true }).waitFor();
      await row.getByText('Edit: Paint the door').locator('..').click();
      expect(await field.inputValue()).toBe('Paint the door');
      await expectNoBarriers(page, base, [path]);
      bosun.openGate('held');
    });

  for (const [where, size] of [
    ['a wide screen', {}],
    ['a phone', phone],
  ] as const)
    it(`starts a waiting task beside the run that has the folder, on ${where}`, async () => {
      const { bosun, web, base } = await oneWaits();
      const page = await open({ web }, size);
      await page.goto(`${base}/projects/shop`);
      await page.locator('#queue').getByRole('button', { name: 'Start beside' }).click();
      await page.locator('#queue li').waitFor({ state: 'detached' });
      await until('both agents work', () => bosun.app.runtime.store.openAttempts().length === 2);
      const runs = bosun.app.runtime.store.browsing
        .liveRuns('shop', 5)
        .map(({ task, beside }) => [task, beside ?? false]);
      expect(runs.sort()).toEqual([
        ['Mend the cart', false],
        ['Paint the door', true],
      ]);
      const read = `fetch('/api/runs?project=shop').then((reply) => reply.json())`;
      const { items } = await page.evaluate<{ readonly items: readonly { task: string; beside: boolean }[] }>(read);
      expect(items.map((run) => [run.task, run.beside])).toEqual([
        ['Paint the door', true],
        ['Mend the cart', false],
      ]);
      bosun.openGate('held');
    });
});
