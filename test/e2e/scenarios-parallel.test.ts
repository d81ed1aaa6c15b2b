// Stories side by side, each in a worktree of its own, brought onto the base one after another as one commit each.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { type Bosun, givenBosun, test, until } from './bosun.js';
import { ralph, said, story } from './plans.js';

// Each walks through dozens of steps, each a child process.
const shop = { shop: { tests: 'none' as const, workflow: 'dynamic-ralph' } };
const coded = said({}, { files: { 'src/{item}.txt': '{item}\n' }, commit: '{item} coding', print: 'SUMMARY:\ncoded' });
const good = { ...ralph, coding: coded };
const stories = (bosun: Bosun) => Object.fromEntries(bosun.status().items.map((item) => [item.key, item.status]));
const slots = (bosun: Bosun) => join(bosun.folder, 'home', 'worktrees', 'shop', 'r1');
const isLeftBehind = (bosun: Bosun) =>
  bosun.git('shop', 'branch', '--list', 'ralph/*') !== '' || bosun.git('shop', 'worktree', 'list').includes('agent-');

/** On whichever branch; an agent is called before it has done anything. */
const committed = (bosun: Bosun, subject: string) =>
  until(`${subject} is committed`, () => branchLogs(bosun).includes(`commit: ${subject}\n`));

/** Read as files, for it is looked at again and again. */
function branchLogs(bosun: Bosun): string {
  const folder = join(bosun.folder, 'shop', '.git', 'logs', 'refs', 'heads');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('');
}

test('stories run in parallel, each in its own worktree, and each is merged as one commit', async () => {
  const plan = { ...good, planning: said({}, { until: 'both' }) };
  const bosun = await givenBosun({ projects: shop, plan });
  await bosun.import('shop', [story('A'), story('B')]);
  await bosun.say('continue shop', { hasty: true });
  await bosun.called('planning', 2);
  const [one, other] = bosun.calls('planning').map((call) => call.env);
  expect([one, other].map((env) => basename(env?.['BOSUN_WORKDIR'] ?? '')).sort()).toEqual(['agent-1', 'agent-2']);
  expect(new Set([one?.['COMPOSE_PROJECT_NAME'], other?.['COMPOSE_PROJECT_NAME']])).toEqual(
    new Set(['ralph_agent_1', 'ralph_agent_2']),
  );
  expect(one?.['RALPH_SHARED_DIR']).toBe(other?.['RALPH_SHARED_DIR']);
  expect(bosun.git('shop', 'branch', '--list', 'ralph/*')).toMatch(/ralph\/A\n.*ralph\/B/);
  const cards = bosun.thread().filter((message) => message.kind === 'progress');
  expect(cards.map((card) => /executing (\w)/.exec(card.text)?.[1])).toEqual(['A', 'B']);
  bosun.openGate('both');
  await bosun.rest();
  expect(bosun.calls()).toHaveLength(20);
  expect([...bosun.commits()].sort()).toEqual(['feat(ralph): A - Title of A', 'feat(ralph): B - Title of B']);
  expect([bosun.read('src/A.txt'), bosun.read('src/B.txt')]).toEqual(['A\n', 'B\n']);
  expect(isLeftBehind(bosun)).toBe(false);
  const last = bosun.thread().at(-1)?.text;
  expect(last).toContain('shop is done');
  expect(last).toContain('2 of 2 stories done');
  const prd = JSON.parse(bosun.read('.ai/prd.json'));
  expect(JSON.stringify(prd)).toMatch(/"id":"A".*"passes":true.*"id":"B".*"passes":true/);
  const state = JSON.parse(bosun.read('workflow_state.json'));
  expect(state.prd_file).toBe('prd.json');
  expect([state.stories.A.agent_id, state.stories.B.agent_id].sort()).toEqual([1, 2]);
  expect(state.stories.B.history.map((entry: { agent_id: number }) => entry.agent_id)).not.toContain(null);
});

test('each step gets the notes of the steps before it and the notes that other stories share', async () => {
  const plan = { ...good, 'A coding': { ...coded, tells: 'port 5432 is taken', tellsStory: 'the schema is in db/' } };
  const bosun = await givenBosun({ projects: shop, plan });
  await bosun.import('shop', [story('A'), story('B', ['A'])]);
  await bosun.say('continue shop');
  const prompt = (item: string, step: string) => bosun.calls(step).find((call) => call.item === item)?.prompt ?? '';
  expect(prompt('A', 'planning')).toContain('notes of context_gathering');
  expect(prompt('A', 'review')).toContain('the schema is in db/');
  expect(prompt('B', 'planning')).toContain('port 5432 is taken');
  expect(prompt('B', 'planning')).not.toContain('the schema is in db/');
  expect(bosun.commits()).toEqual(['feat(ralph): A - Title of A', 'feat(ralph): B - Title of B']);
});

test('a failed story blocks its dependents while others continue, and a retry unblocks them', async () => {
  const broken = said(
    { STATUS: 'failing' },
    { files: { 'src/half.txt': 'x' }, print: 'SUMMARY:\nno database here', exit: 1 },
  );
  const bosun = await givenBosun({ projects: shop, plan: { ...good, 'A coding': [broken, coded] } });
  const imported = await bosun.import('shop', [story('A'), story('B'), story('C', ['A']), story('D', ['C'])]);
  expect(imported.text).toContain('D Title of D (after C)');
  await bosun.say('continue shop');
  expect(stories(bosun)).toEqual({ A: 'failed', B: 'done', C: 'blocked', D: 'blocked' });
  expect(bosun.commits()).toEqual(['feat(ralph): B - Title of B']);
  expect(bosun.has('src/half.txt')).toBe(false);
  expect(bosun.read('.ai/runs/r1/failures/A-step-005.diff')).toContain('src/half.txt');
  const failed = bosun.thread().find((message) => message.text.startsWith('❌ A failed'));
  expect(failed?.text).toBe(
    '❌ A failed · Title of A\nshop · failed at Implement the changes\nno database here\nBlocked by it: C, D.',
  );
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'failure' });
  const card = bosun.asked();
  expect(card.text).toContain('Nothing is left to do: 1 done, 1 failed (A), 2 blocked (C, D).\nA failed at coding');
  expect(card.text).toMatch(/C waits for A\nD waits for C$/);
  const labels = card.options.map((one) => one.label);
  expect(labels).toEqual(['Retry A', 'Retry A with a note', 'Skip A', 'Skip C', 'Skip D', 'Abort']);

  await bosun.say('retry A');
  expect(stories(bosun)).toEqual({ A: 'done', B: 'done', C: 'done', D: 'done' });
  expect(bosun.calls('coding').filter((call) => call.item === 'A')).toHaveLength(2);
  expect(bosun.calls('planning').filter((call) => call.item === 'A')).toHaveLength(1);
  expect(bosun.commits().slice(1)).toEqual(['A', 'C', 'D'].map((key) => `feat(ralph): ${key} - Title of ${key}`));
  expect(bosun.thread().at(-1)?.text).toContain('4 of 4 stories done');
  expect(isLeftBehind(bosun)).toBe(false);
});

test('a skipped story is reported as given up, and the run completes with the rest', async () => {
  const broken = said({ STATUS: 'failing' });
  const bosun = await givenBosun({ projects: shop, plan: { ...good, 'A planning': broken } });
  await bosun.import('shop', [story('A'), story('B'), story('C', ['A'])]);
  await bosun.say('continue shop');
  await bosun.pressButton('Skip A');
  await bosun.pressButton('Skip C');
  expect(stories(bosun)).toEqual({ A: 'cancelled', B: 'done', C: 'cancelled' });
  expect(bosun.status().run?.status).toBe('completed');
  expect(bosun.thread().at(-1)?.text).toMatch(
    /1 of 3 stories done, 2 given up.*\n– A .+, given up\n✓ B .+\n– C .+, given up/,
  );
  expect(isLeftBehind(bosun)).toBe(false);
});

test('of two stories that change the same line, the second is rebased by its own step and reviewed again', async () => {
  const file = 'src/price.txt';
  const writes = (text: string) => said({}, { files: { [file]: text }, commit: `coding ${text.trim()}` });
  const bosun = await givenBosun({
    projects: { shop: { ...shop.shop, files: { [file]: 'price: 1\n' } } },
    plan: {
      ...ralph,
      'A coding': writes('price: 2\n'),
      'B coding': writes('price: 3\n'),
      'B final_review': [said({}, { until: 'A landed' }), said({})],
      rebase_resolve: said({}, { rebase: { [file]: 'price: 5\n' } }),
    },
  });
  await bosun.import('shop', [story('A'), story('B')]);
  await bosun.say('continue shop', { hasty: true });
  await bosun.called('final_review', 2);
  await until('A is on the base', () => stories(bosun)['A'] === 'done');
  bosun.openGate('A landed');
  await bosun.rest();
  const ofB = bosun.calls().filter((call) => call.item === 'B');
  expect(ofB.slice(-3).map((call) => call.step)).toEqual(['final_review', 'rebase_resolve', 'final_review']);
  expect(ofB.at(-2)?.prompt).toContain(file);
  expect(bosun.posts().join('\n')).toContain(`B conflicts with the base: ${file}`);
  expect(bosun.commits()).toEqual(['feat(ralph): A - Title of A', 'feat(ralph): B - Title of B']);
  expect(bosun.read(file)).toBe('price: 5\n');
  expect(bosun.git('shop', 'status', '--porcelain')).toBe('');
  expect(
    bosun
      .status()
      .nodes.filter((node) => node.item === 'B')
      .map((node) => node.label)
      .slice(-2),
  ).toEqual(['step-011', 'step-010']);
  expect(existsSync(slots(bosun))).toBe(false);
});

test('an abort ends all parallel steps and keeps committed work on its branch', async () => {
  const coding = { ...coded, until: 'never' };
  const bosun = await givenBosun({
    projects: shop,
    plan: { ...good, 'A coding': coding, 'B planning': said({}, { until: 'never' }) },
  });
  await bosun.import('shop', [story('A'), story('B'), story('C', ['A'])]);
  await bosun.say('continue shop', { hasty: true });
  await committed(bosun, 'A coding');
  await bosun.called('planning', 2);
  const running = await bosun.say('continue', { hasty: true });
  expect(running.text).toMatch(
    /^[AB] is still running \((coding|planning)\), for .*\. So is [AB] \((coding|planning)\)\.$/,
  );
  expect((await bosun.say('why', { hasty: true })).text).toBe(
    'shop is working: A coding, attempt 1 (said nothing yet); B planning, attempt 1 (said nothing yet).',
  );
  await bosun.say('abort', { hasty: true });
  expect(bosun.asked().text).toContain('2 running, 1 story waiting.');
  await bosun.pressButton('Abort it');
  expect(stories(bosun)).toEqual({ A: 'cancelled', B: 'cancelled', C: 'cancelled' });
  expect(bosun.commits()).toEqual([]);
  expect(bosun.git('shop', 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(bosun.git('shop', 'branch', '--list', 'ralph/*').trim()).toBe('ralph/A');
  expect(bosun.git('shop', 'show', 'ralph/A:src/A.txt')).toBe('A');
  expect(bosun.thread().map((message) => message.text)).toContain('shop: Unfinished work stays on the branch ralph/A.');
});

test('a step interrupted by shutdown is rolled back with its edits and runs again', async () => {
  const edits = [{ operation: 'skip', target_step_id: 'step-009', reason: 'not needed' }];
  const half = said({}, { files: { 'src/half.txt': 'x' }, commit: 'half', edits });
  const bosun = await givenBosun({ projects: shop, plan: { ...good, coding: [{ ...half, until: 'never' }, coded] } });
  await bosun.import('shop', [story('A')]);
  await bosun.say('continue shop', { hasty: true });
  await committed(bosun, 'half');
  await bosun.close();
  await bosun.open();
  await bosun.rest();
  expect(bosun.calls().map((call) => call.step)).toEqual([
    ...Object.keys(ralph).slice(0, 5),
    ...Object.keys(ralph).slice(4, 10),
  ]);
  expect([bosun.has('src/half.txt'), bosun.read('src/A.txt')]).toEqual([false, 'A\n']);
  expect(bosun.read('.ai/runs/r1/failures/A-step-005.diff')).toContain('src/half.txt');
  expect(bosun.commits()).toEqual(['feat(ralph): A - Title of A']);
});

const badLists: readonly (readonly [string, readonly unknown[], RegExp])[] = [
  ['a circle', [story('A', ['C']), story('B', ['A']), story('C', ['B'])], /A.*→.*A|A, .*|circle|cycle/],
  ['an unknown name', [story('A', ['Z'])], /Z/],
];

test.each(badLists)('%s among the dependencies refuses the start and is named', async (_, list, named) => {
  const bosun = await givenBosun({ projects: shop });
  await expect(bosun.import('shop', list)).rejects.toThrow(named);
  expect(bosun.status().run).toBeNull();
  expect(bosun.calls()).toEqual([]);
});
