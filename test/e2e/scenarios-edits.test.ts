// A step may change the steps that follow it: what is allowed is done as a whole, what is not is refused as a whole.
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Bosun, givenBosun, test } from './bosun.js';
import { ralph, said, story } from './plans.js';

// Each walks through dozens of steps, each a child process.
const shop = { shop: { tests: 'none' as const, workflow: 'dynamic-ralph' } };
const ofA = (bosun: Bosun) => bosun.calls().map((call) => `${call.env['BOSUN_LABEL']} ${call.step}`);
const order = (bosun: Bosun) => bosun.status().nodes.flatMap((node) => (node.item === null ? [] : [node.label]));
const label = (number: number) => `step-${String(number).padStart(3, '0')}`;

async function walk(bosun: Bosun): Promise<void> {
  await bosun.import('shop', [story('A')]);
  await bosun.say('continue shop');
}

const more = [
  { type: 'coding', description: 'Refuse an empty cart' },
  { type: 'linting', description: 'Lint it' },
  { type: 'initial_testing', description: 'Test it again' },
];
const addAfter = (target: string, steps: readonly object[] = more) => [
  { operation: 'add_after', target_step_id: target, reason: 'two tests are red', new_steps: steps },
];

test('testing inserts three steps that run before the review, and the history keeps both orders', async () => {
  const testing = [said({}, { edits: addAfter('step-007') }), said({})];
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, initial_testing: [...testing] } });
  await walk(bosun);
  expect(order(bosun)).toEqual([1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 8, 9, 10].map(label));
  expect(ofA(bosun).slice(6, 11)).toEqual([
    'step-007 initial_testing',
    'step-011 coding',
    'step-012 linting',
    'step-013 initial_testing',
    'step-008 review',
  ]);
  expect(bosun.calls('coding')[1]?.prompt).toContain('Refuse an empty cart');
  const told = bosun.calls('planning')[0];
  expect(told?.env['BOSUN_EDITS_FILE']).toContain(join('.ai', 'runs', 'r1', 'workflow_edits', 'A.json'));
  expect(told?.prompt).toContain(`operations to ${told?.env['BOSUN_EDITS_FILE']}`);
  expect(bosun.status().run?.status).toBe('completed');
  const { history } = JSON.parse(bosun.read('workflow_state.json')).stories['A'];
  const edit = history.find((entry: { action: string }) => entry.action === 'workflow_edit');
  expect(edit.details).toMatchObject({ operation: 'add_after', reason: 'two tests are red' });
  expect(edit.details.before).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(label));
  expect(edit.details.after).toEqual([1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 8, 9, 10].map(label));
  expect(bosun.posts().join('\n')).toContain(
    "shop: A's initial_testing changes the steps:\n- after step-007 come coding, linting, initial_testing: two tests are red",
  );
});

test('the final review inserts a fix, and the story is done only after a second review', async () => {
  const fix = [{ type: 'coding', description: 'Cite the missing test' }];
  const review = [said({}, { edits: addAfter('step-009', fix) }), said({})];
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, final_review: review } });
  await walk(bosun);
  expect(ofA(bosun).slice(-3)).toEqual(['step-010 final_review', 'step-011 coding', 'step-010 final_review']);
  const done = bosun.posts().findIndex((text) => text.includes('A done'));
  const second = bosun.posts().findLastIndex((text) => text.includes('executing A final_review'));
  expect(done).toBeGreaterThan(second);
  expect(bosun.node('final_review')).toMatchObject({ generation: 2, state: 'passed' });
  expect(bosun.status().run?.status).toBe('completed');
});

test('a step that restarts itself finds its files rolled back and gets the new description', async () => {
  const anew = [
    {
      operation: 'restart',
      target_step_id: 'step-005',
      reason: 'wrong table',
      new_description: 'Use the orders table',
    },
  ];
  const coding = [
    said({}, { files: { 'src/wrong.txt': 'x\n' }, commit: 'wrong', edits: anew }),
    said({}, { files: { 'src/right.txt': 'x\n' }, commit: 'right' }),
  ];
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, coding } });
  await walk(bosun);
  expect(ofA(bosun).filter((call) => call.endsWith('coding'))).toEqual(['step-005 coding', 'step-005 coding']);
  expect(bosun.calls('coding')[1]?.prompt).toContain('Use the orders table');
  expect([bosun.has('src/wrong.txt'), bosun.has('src/right.txt')]).toEqual([false, true]);
  expect(bosun.has('.ai/runs/r1/restarts/A-step-005-1.diff')).toBe(true);
  expect(bosun.status().run?.status).toBe('completed');
});

test('the fourth restart of a step fails its story', async () => {
  const anew = [
    { operation: 'restart', target_step_id: 'step-002', reason: 'no plan yet', new_description: 'Plan again' },
  ];
  const bosun = await givenBosun({ projects: shop, plan: { ...ralph, planning: said({}, { edits: anew }) } });
  await walk(bosun);
  expect(bosun.calls('planning')).toHaveLength(4);
  expect(bosun.status().items[0]?.status).toBe('failed');
  expect(bosun.node('planning')).toMatchObject({ state: 'failed', reason: 'restart_limit' });
  expect(bosun.asked().options.map((one) => one.label)).toEqual(['Retry A', 'Retry A with a note', 'Skip A', 'Abort']);
});

const skip = (target: string) => [{ operation: 'skip', target_step_id: target, reason: 'not needed' }];
const refused: readonly (readonly [string, string, unknown, string])[] = [
  ['a step that may not edit', 'context_gathering', skip('step-003'), 'rejected'],
  ['a skip of a mandatory step', 'planning', skip('step-006'), 'rejected'],
  ['a file of which one operation is wrong', 'planning', [...skip('step-003'), ...skip('step-099')], 'step-099'],
  ['half a file', 'planning', '[{"operation": "skip", ', 'rejected'],
  ['another name for a field', 'planning', [{ op: 'skip', step_id: 'step-003', reason: 'x' }], 'operation'],
];

test.each(refused)('%s changes nothing, its step passes, and the next prompt says why', async (_, step, edits, why) => {
  const next = step === 'planning' ? 'architecture' : 'planning';
  const plan = { ...ralph, [step]: said({}, { edits }), [next]: said({ STATUS: 'failing' }) };
  const bosun = await givenBosun({ projects: shop, plan });
  await walk(bosun);
  expect(order(bosun)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(label));
  expect(bosun.node(step).state).toBe('passed');
  const [told] = bosun.calls(next).map((call) => call.prompt);
  expect(told).toContain('rejected');
  expect(told).toContain(why);
  expect(
    bosun.thread().some((message) => message.text.startsWith(`shop: A's ${step} may not change the steps so.`)),
  ).toBe(true);
});

test('a step skipped by an edit keeps its reason and never runs', async () => {
  const bosun = await givenBosun({
    projects: shop,
    plan: { ...ralph, planning: said({}, { edits: skip('step-009') }) },
  });
  await walk(bosun);
  expect(bosun.calls('prune_tests')).toEqual([]);
  expect(bosun.node('prune_tests')).toMatchObject({ state: 'skipped', skip_reason: 'not needed' });
});
