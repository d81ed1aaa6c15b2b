// A single request through the whole chain, without a list of stories, that leaves nothing but its commit.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Bosun, givenBosun, test } from './bosun.js';
import { ralph, said } from './plans.js';

const shop = { shop: { tests: 'none' as const } };
const request = 'mend the rounding in the invoice';
const coded = said({}, { files: { 'src/invoice.txt': 'mended\n' }, commit: 'mend' });

function expectNothingLeft(bosun: Bosun): void {
  for (const path of [
    '.ai/STATE.json',
    '.ai/states',
    '.ai/runs/r1',
    '.ai/prd.json',
    'workflow_state.json',
    'workflow_edits',
    'archive',
  ]) {
    expect([path, bosun.has(path)]).toEqual([path, false]);
  }
  expect(bosun.git('shop', 'branch', '--format=%(refname:short)')).toBe('main');
  expect(bosun.git('shop', 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(bosun.git('shop', 'status', '--porcelain', '--ignored')).toBe('');
  expect(bosun.git('shop', 'stash', 'list')).toBe('');
  const worktrees = join(bosun.folder, 'home', 'worktrees', 'shop');
  expect(existsSync(worktrees) ? readdirSync(worktrees) : []).toEqual([]);
  expect(bosun.status()).toMatchObject({ run: null, items: [], nodes: [], health: 'idle' });
}

test('a one-shot request from chat runs the full chain and leaves nothing but its commit', async () => {
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, coding: coded } });
  const proposed = await bosun.say(`start shop with dynamic-ralph once: ${request}`);
  expect(proposed.text).toContain(request);
  await bosun.pressButton('Start');
  expect(bosun.calls().map((call) => call.step)).toEqual(Object.keys(ralph).slice(0, 10));
  expect(bosun.calls('coding')[0]?.prompt).toContain(request);
  expect(bosun.thread().at(-1)?.text).toMatch(/✅ Done · .*\nshop is done/);
  expect(bosun.commits()).toHaveLength(1);
  expect(bosun.read('src/invoice.txt')).toBe('mended\n');
  expectNothingLeft(bosun);
});

test('step edits apply in a one-shot request and leave nothing behind', async () => {
  const edits = [{ operation: 'skip', target_step_id: 'step-009', reason: 'no tests' }];
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, coding: coded, planning: said({}, { edits }) } });
  await bosun.run('shop', request, { workflow: 'dynamic-ralph', oneShot: true });
  expect(bosun.calls('prune_tests')).toEqual([]);
  expect(bosun.calls()).toHaveLength(9);
  expectNothingLeft(bosun);
});

test('a failed one-shot request is the shown run while it waits, and can be retried', async () => {
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, coding: [said({ STATUS: 'failing' }), coded] } });
  await bosun.run('shop', request, { workflow: 'dynamic-ralph', oneShot: true });
  expect(bosun.status().run?.status).toBe('paused');
  expect(bosun.has('.ai/STATE.json')).toBe(false);
  await bosun.say('retry');
  expect(bosun.commits()).toHaveLength(1);
  expectNothingLeft(bosun);
});

test('an aborted one-shot request leaves nothing behind', async () => {
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, coding: said({}, { until: 'never' }) } });
  await bosun.run('shop', request, { workflow: 'dynamic-ralph', oneShot: true, hasty: true });
  await bosun.called('coding');
  await bosun.say('abort', { hasty: true });
  await bosun.pressButton('Abort it');
  expect(bosun.commits()).toEqual([]);
  expectNothingLeft(bosun);
});

test('after a one-shot request the project shows the run before it', async () => {
  const bosun = await givenBosun({
    projects: { shop: { ...shop.shop, workflow: 'stories' } },
    plan: { ...ralph, coding: coded },
  });
  await bosun.run('shop', 'US-001 one');
  await bosun.reply('review', 'ok');
  await bosun.run('shop', request, { workflow: 'dynamic-ralph', oneShot: true });
  expect(bosun.status().run).toMatchObject({ id: 'r1', status: 'completed' });
  expect(JSON.parse(bosun.read('.ai/STATE.json'))).toMatchObject({ story: 'US-001', step: 'done' });
});
