// The page of a run: words for its step, the button that stops it, and its evidence.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startWeb } from '../../../src/web/index.js';
import { givenBosun } from '../../e2e/bosun.js';
import { expectNoBarriers, inBrowser } from './given.js';
import { type Lively, lively } from './lively.js';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const asked = (page: Page, words: string) =>
  page.getByRole('dialog', { name: 'Bosun asks' }).filter({ hasText: words });

inBrowser('the page of a run', (open) => {
  let world: Lively;
  beforeAll(async () => {
    world = await lively();
  });
  afterAll(() => world?.close());

  const runOf = (project: string) => world.bosun.status(project).run?.id ?? '';
  const notesOf = (run: string) => (world.bosun.app.runtime.store.chain(run, '')?.notes ?? []).map(({ text }) => text);

  it('gives words to the running step once its offer is pressed, and stops beside what works', async () => {
    const page = await open(world);
    await page.goto(`${world.base()}/runs/${runOf('api')}`);
    await page.getByText('Note to the agent…').click();
    const field = page.getByLabel('What should the running step know?');
    await field.fill('use Redis for the counters');
    await page.getByRole('button', { name: 'Note to the agent' }).click();
    const question = asked(page, 'Pass on “use Redis for the counters”?');
    await question.waitFor();
    expect(notesOf(runOf('api'))).toEqual([]);
    await question.getByRole('button', { name: 'With the next try' }).click();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => notesOf(runOf('api'))).toEqual(['use Redis for the counters']);
    expect(await page.locator('.at-work').getByRole('button', { name: 'Stop' }).count()).toBe(1);
  });

  it('sends what is typed in the conversation to the run that it is about', async () => {
    const page = await open(world);
    await page.goto(`${world.base()}/runs/${runOf('api')}`);
    await page.getByRole('link', { name: 'Conversation' }).click();
    await page.getByRole('radio', { name: /about r\d+: a note for implement/ }).waitFor();
    expect(await page.getByRole('radio', { checked: true }).getAttribute('value')).toBe('note for api');
    await page.getByLabel('Message about api').fill('and count per minute');
    await page.keyboard.press('Enter');
    await asked(page, 'Pass on “and count per minute”?').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('radio', { name: 'about api', exact: true }).check();
    await page.getByLabel('Message about api').fill('status');
    await page.keyboard.press('Enter');
    await page.locator(':is(#said, dialog)', { hasText: 'implement' }).first().waitFor();
  });

  it('shows what was measured of the work under review, and what the agent claimed against it', async () => {
    const page = await open(world);
    const shop = runOf('shop');
    await page.goto(`${world.base()}/runs/${shop}`);
    const evidence = page.locator('#evidence');
    expect(await evidence.locator('.panel > li').allTextContents()).toEqual([
      expect.stringMatching(/Tests.*214 passed · 0 failed/),
      expect.stringMatching(/echo no findings.*passed/),
      expect.stringMatching(/2 files.*\+8 −3/),
    ]);
    await evidence.getByText('Which files').click();
    expect(await evidence.locator('details').textContent()).toContain('src/checkout/redeem.ts');
  });

  it('goes to a place with g and its letter, within a second, and tells the key of each button', async () => {
    const page = await open(world);
    for (const [key, path] of Object.entries({ i: '/inbox', r: '/history', n: '/insights', p: '/#projects', h: '/' })) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.waitForURL(`${world.base()}${path}`);
    }
    await page.goto(`${world.base()}/runs/${runOf('api')}`);
    const stop = page.locator('#head').getByRole('button', { name: 'Stop' });
    await expect.poll(() => stop.getAttribute('title')).toBe('Key: s');
    await page.keyboard.press('s');
    expect(await page.evaluate('document.activeElement.value')).toBe('stop api');
    await page.clock.install();
    await page.keyboard.press('g');
    await page.clock.runFor(1_100);
    await page.keyboard.press('n');
    expect(await page.evaluate('document.activeElement.id')).toBe('new-task');
  });

  it('sets a claim beside what was found, with the failing tests and what such runs usually take', async () => {
    const bosun = await givenBosun({
      projects: { blog: { workflow: 'one-step', tests: 'none' }, shop: { workflow: 'one-step' } },
      plan: { task: { files: { '{item}.ts': 'done' }, tests: { pass: 3, fail: 0 } } },
    });
    for (const task of ['Sum in cents', 'Show the sum', 'Print the sum']) await bosun.run('shop', task);
    const failing = { files: { 'a.ts': 'a' }, tests: { pass: 3, fail: 1 }, summary: 'All tests pass.' };
    writeFileSync(join(bosun.folder, 'agent/plan.json'), JSON.stringify({ task: failing }));
    const web = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3', heartbeatMs: 200 });
    onTestFinished(() => web.close());
    await bosun.run('shop', 'Round to cents');
    const page = await open({ web: () => web });
    await page.goto(`${new URL(web.loginLink()).origin}/runs/${bosun.status('shop').run?.id}`);
    expect(await page.locator('#evidence .panel > li').allTextContents()).toEqual([
      expect.stringMatching(/^Claimed pass.*found failed/),
      expect.stringMatching(/^Tests3 passed · 1 failed.*test 4/),
      expect.stringMatching(/exit 1Its last words/),
      expect.stringMatching(/^1 file\+1 −0/),
    ]);
    expect(await page.locator('#cost').textContent()).toContain('Usually under a minute.');
    // The sheet for a new task tells it of the chosen project, which is that of the page at first.
    const usual = page.getByText('Usually under a minute.').and(page.locator('.sheet *'));
    await page.goto(`${new URL(page.url()).origin}/projects/shop#new`);
    await usual.waitFor();
    const outlook = page.locator('#new-outlook');
    await page.locator('#new-project').selectOption('blog');
    await expect.poll(() => outlook.textContent()).toBe('It can start at once.');
    await page.locator('#new-project').selectOption('shop');
    await usual.waitFor();
    await page.goto(`${new URL(page.url()).origin}/`);
    await page.getByRole('link', { name: 'New task', exact: true }).first().click();
    expect(await page.locator('#new-project').inputValue()).toBe('blog');
    await expect.poll(() => outlook.textContent()).toBe('It can start at once.');
  });

  it('says the place of a new task in the queue, and puts it first', async () => {
    const page = await open(world);
    await page.goto(`${world.base()}/projects/shop#new`);
    const outlook = page.locator('#new-outlook');
    await expect
      .poll(() => outlook.textContent())
      .toMatch(/^Now: “4 stories of prd.json”. This becomes 3rd in the queue./);
    await page.locator('#new-task').fill('Take a deposit');
    await page.getByRole('button', { name: 'Run first' }).click();
    const tasks = page.locator('#queue [data-queued] a.whole');
    await expect.poll(() => tasks.first().textContent()).toBe('Take a deposit');
    await page.goto(`${world.base()}/projects/docs#new`);
    await expect.poll(() => outlook.textContent()).toContain('It can start at once.');
    expect(await page.getByRole('button', { name: 'Run first' }).isVisible()).toBe(false);
  });

  // The tasks of this one stay in the queue.
  it.each([['a wide screen', {}] as const, ['a phone', phone] as const])(
    'starts a new task with a chosen workflow of its project, on %s',
    async (_where, size) => {
      const page = await open(world, size);
      await page.goto(`${world.base()}/projects/docs#new`);
      const workflow = page.locator('#new-workflow');
      await expect.poll(() => workflow.locator('option').first().textContent()).toMatch(/^quick: implement, /);
      expect(await workflow.inputValue()).toBe('');
      expect(await workflow.locator('option').allTextContents()).toContainEqual(expect.stringMatching(/^one-step: /));
      await expectNoBarriers(page, '', [page.url()]);
      await workflow.selectOption('one-step');
      await page.locator('#new-project').selectOption('shop');
      await expect.poll(() => workflow.locator('option').first().textContent()).toMatch(/^stories: story/);
      expect(await workflow.inputValue()).toBe('');
      await page.locator('#new-project').selectOption('docs');
      await expect.poll(() => workflow.locator('option').first().textContent()).toMatch(/^quick: implement, /);
      await workflow.selectOption('one-step');
      await page.locator('#new-task').fill('Correct a typo');
      await page.getByRole('button', { name: 'Propose' }).click();
      await page.waitForURL(/projects\/docs$/);
      const { store } = world.bosun.app.runtime;
      expect(store.drafts('docs').map(({ task, workflow: name }) => [task, name])).toContainEqual([
        'Correct a typo',
        'one-step',
      ]);
    },
  );
});
