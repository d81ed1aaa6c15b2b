// Workflows that need nobody on their normal path: what a model does in each step, for any agent.
import { expect } from 'vitest';
import { call, type Move, run, type Script, say } from './model/talk.js';
import { put, rightCode } from './moves.js';
import type { Stage } from './stage.js';

const report = (status: string, more: object = {}) => call('report', { status, summary: 'It is done.', ...more });
const tests = run('node --test test/cart.spec.ts');

const plan = [{ id: 'US-001', title: 'Add up', description: 'Carts add up.', acceptanceCriteria: ['Tests pass'] }];
/** Longer than a subject line may be. */
export const longTitle = 'Carts add up the prices of all lines, also of those that were added twice by the same person';

export const featureDev: Script = {
  Plan: [report('done'), say(`STATUS: done\nREPO: .\nBRANCH: feature/cart\nSTORIES_JSON: ${JSON.stringify(plan)}`)],
  Implement: [
    ...put('src/cart.ts', rightCode),
    tests,
    call('progress_log', { text: '## US-001\nAdded up.\n---' }),
    call('note', { text: 'Carts are arrays.' }),
    report('pass', { review_digest: 'A cart adds up.' }),
    say('STATUS: pass\nCHANGES: src/cart.ts\nTESTS: node --test'),
  ],
  Verify: [tests, report('done'), say('STATUS: done\nVERIFIED: src/cart.ts:1')],
  Test: [tests, report('done'), say('STATUS: done\nRESULTS: 1 passed')],
  'Pull request': [report('pass'), say('STATUS: pass\nPR: Carts add up')],
  Review: [report('pass'), say('STATUS: pass\nDECISION: approved\nFEEDBACK: none')],
};

export async function expectFeature(stage: Stage, coAuthor: string): Promise<void> {
  await stage.run('let carts add up');
  const { run: ended, interactions } = await stage.ended();
  expect([ended?.status, interactions]).toEqual(['completed', []]);
  expect(stage.git('log', '-1', '--format=%s', 'feature/cart')).toBe('feat: US-001 - Add up');
  const body = stage.git('log', '-1', '--format=%b', 'feature/cart');
  expect(body).toMatch(/A cart adds up\./);
  expect(body).toContain(`Co-authored-by: ${coAuthor}`);
  // The checkout is given back after the run has ended.
  await expect.poll(() => stage.git('branch', '--show-current'), { timeout: 20_000 }).toBe('main');
  expect(stage.git('status', '--porcelain')).toBe('');
  expect(stage.model.asked.map(({ talk }) => talk.prompt).join('\n')).toContain('## US-001\nAdded up.');
}

/** One milestone with one phase, whose gates find what they want. Its stages write as their prompts tell them. */
const phaseFolder = '.workflow/scratch/20260101-phase-P1-cart';
const stageFile = (name: string, text: unknown) =>
  put(`${phaseFolder}/${name}`, typeof text === 'string' ? text : `${JSON.stringify(text)}\n`);

function lifecycleState(types: readonly string[], status = 'active'): readonly Move[] {
  const artifacts = types.map((type, at) => ({
    ...{ id: `ART-00${at + 1}`, type, milestone: 'M1', phase: 1, scope: 'phase', status: 'completed' },
    path: phaseFolder.slice('.workflow/scratch/'.length),
  }));
  const milestones = [{ id: 'M1', name: 'Cart', status, phases: [1] }];
  return put(
    '.workflow/state.json',
    JSON.stringify({ version: '1.0', current_milestone: 'M1', milestones, artifacts }),
  );
}

const stage = (files: readonly Move[], keys = '') => [
  ...files,
  report('pass'),
  say(`STATUS: pass\n${keys}SUMMARY: done`),
];

export const lifecycle: Script = {
  Init: stage([
    ...put('.workflow/project.md', 'A cart.\n'),
    ...put('.workflow/state.json', '{"version":"1.0","milestones":[],"artifacts":[]}'),
  ]),
  Roadmap: stage(
    [...put('.workflow/roadmap.md', '# Roadmap\n\n### Phase 1: Cart\n'), ...lifecycleState([])],
    'SPEC_SESSION_ID: roadmap-cart\n',
  ),
  Analyze: stage(
    [...stageFile('context.md', 'Sums.\n'), ...lifecycleState(['analyze'])],
    `ANALYSIS_DIR: ${phaseFolder}\nGAPS: none\n`,
  ),
  Plan: stage(
    [...stageFile('plan.json', { tasks: [] }), ...lifecycleState(['analyze', 'plan'])],
    `PLAN_DIR: ${phaseFolder}\nTASK_COUNT: 1\n`,
  ),
  Execute: stage(
    [...put('src/cart.ts', rightCode), ...lifecycleState(['analyze', 'plan', 'execute'])],
    'EXEC_STATUS: completed\n',
  ),
  Verify: stage([
    tests,
    ...stageFile('verification.json', { passed: true, gaps: [] }),
    ...lifecycleState(['analyze', 'plan', 'execute', 'verify']),
  ]),
  'Business test': stage([tests, ...stageFile('business-test-results.json', { passed: true, failures: [] })]),
  Review: stage(stageFile('review.json', { verdict: 'PASS', issues: [] })),
  'Test generation': stage(stageFile('.tests/test-gen.md', 'No gap.\n')),
  Test: stage([
    tests,
    ...stageFile(
      'uat.md',
      '---\nstatus: complete\npassed: true\n---\n\n## Results\n\n| test | result |\n| --- | --- |\n| sum | pass |\n',
    ),
  ]),
  'Milestone audit': stage([]),
  'Milestone complete': stage(lifecycleState(['analyze', 'plan', 'execute', 'verify'], 'completed')),
};

/** There are sources, so it needs no brainstorm. A person looks at each gate, and sees that all is well. */
export async function expectLifecycle(stage: Stage): Promise<void> {
  await stage.run('let carts add up');
  for (const gate of ['post-verify', 'post-business-test', 'post-review', 'post-test', 'post-milestone']) {
    const confirm = await stage.asked('confirm');
    expect(confirm.text).toContain(gate);
    await stage.press(confirm, 'Continue');
    await stage.until(`${gate} is passed`, ({ interactions }) => interactions.every(({ id }) => id !== confirm.id));
  }
  const { run: ended, interactions, nodes } = await stage.ended();
  expect([ended?.status, interactions]).toEqual(['completed', []]);
  const done = nodes.filter(({ kind, state }) => kind === 'task' && state === 'passed');
  expect(done.map(({ title }) => title)).toEqual(Object.keys(lifecycle));
  expect(stage.git('show', '--format=', '--name-only', 'HEAD').split('\n')).toContain('src/cart.ts');
  expect(stage.git('status', '--porcelain')).toBe('');
}

const ralphStep: readonly Move[] = [
  call('report', { status: 'pass', summary: 'One.\nTwo.\nThree.' }),
  say('STATUS: pass\nSUMMARY\nOne.\nTwo.\nThree.'),
];

export const dynamicRalph: Script = {
  'Explore codebase, DB schema, docs, and related code': [call('note', { text: 'Carts are arrays.' }), ...ralphStep],
  'Produce implementation plan based on gathered context': ralphStep,
  'Design code structure and identify files to modify': ralphStep,
  'Design test strategy and identify test files': ralphStep,
  'Implement the changes': [...put('src/cart.ts', rightCode), ...ralphStep],
  'Run formatters and lint checks': ralphStep,
  'Run tests and identify failures': [tests, ...ralphStep],
  'Self-review against acceptance criteria': ralphStep,
  'Remove redundant tests': ralphStep,
  'Final verification and commit': ralphStep,
};

export async function expectRalph(stage: Stage): Promise<void> {
  await stage.run(`US-001 ${longTitle}`);
  const { run: ended, interactions } = await stage.ended();
  expect([ended?.status, interactions]).toEqual(['completed', []]);
  const subject = stage.git('log', '-1', '--format=%s');
  // A subject ends with a whole word.
  expect(`feat(ralph): US-001 - ${longTitle} `.startsWith(`${subject.replace(/ ?…$/, '')} `)).toBe(true);
  expect(stage.read('src/cart.ts')).toBe(rightCode);
  expect(stage.model.asked.map(({ talk }) => talk.prompt).join('\n')).toContain('Carts are arrays.');
}

export const compound: Script = {
  Brainstorm: [
    ...put('docs/brainstorms/cart.md', 'A sum.\n'),
    report('pass'),
    say('STATUS: pass\nBRAINSTORM_OUTPUT: a sum'),
  ],
  Plan: [
    ...put('docs/plans/cart.md', 'Reduce.\n'),
    report('pass'),
    say('STATUS: pass\nPLAN_FILE: docs/plans/cart.md\nPLAN_SUMMARY: reduce'),
  ],
  Work: [...put('src/cart.ts', rightCode), tests, report('pass'), say('STATUS: pass\nFILES_CHANGED: src/cart.ts')],
  Review: [report('pass'), say('STATUS: pass\nDECISION: approved\nREVIEW_NOTES: none')],
  Compound: [
    ...put('docs/solutions/cart.md', 'Sums reduce.\n'),
    report('pass'),
    say('STATUS: pass\nLEARNINGS: sums reduce\nFILE_CREATED: docs/solutions/cart.md'),
  ],
};

export async function expectCompound(stage: Stage): Promise<void> {
  await stage.run('let carts add up');
  const { run: ended, interactions, nodes } = await stage.ended();
  expect([ended?.status, interactions, nodes.map(({ state }) => state)]).toEqual([
    'completed',
    [],
    ['passed', 'passed', 'passed', 'passed', 'passed'],
  ]);
  const files = stage.git('show', '--format=', '--name-only', 'HEAD').split('\n');
  expect(files).toEqual(expect.arrayContaining(['docs/solutions/cart.md', 'src/cart.ts']));
  expect(stage.git('status', '--porcelain')).toBe('');
}
