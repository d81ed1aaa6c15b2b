// The lifecycle: it begins where the project stands, its gates judge files and add work, and it ends once.
import { expect } from 'vitest';
import { type Bosun, givenBosun, test } from './bosun.js';
import { lifecycle, phaseFiles, said, stages, uat, workflowState } from './plans.js';

// Some walk through dozens of steps, each a child process.
const milestone = [{ id: 'M1', name: 'Cart', status: 'active', phases: [1] }];

/** A project whose only phase has these stages behind it, and these result files. */
function standing(done: readonly string[], results: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return {
    'src/cart.ts': 'export {};\n',
    '.workflow/roadmap.md': '# Roadmap\n',
    '.workflow/state.json': workflowState(milestone, done.length > 0 ? [[1, done]] : []),
    ...phaseFiles(1, results),
  };
}

const verified = { 'verification.json': { passed: true, gaps: [] } };
const tested = { ...verified, 'business-test-results.json': { passed: true, failures: [] } };
const reviewed = { ...tested, 'review.json': { verdict: 'WARN', issues: [{ severity: 'low', title: 'a name' }] } };

async function start(bosun: Bosun): Promise<void> {
  await bosun.say('start shop with lifecycle: build a shop');
  await bosun.pressButton('Start');
}

/** Says "continue" at each gate's verdict, until something else is asked or the run is over. */
async function goOn(bosun: Bosun): Promise<void> {
  for (let turn = 0; turn < 60 && bosun.status().interactions[0]?.kind === 'confirm'; turn++)
    await bosun.say('continue');
}

const chain = (bosun: Bosun) => bosun.status().nodes.flatMap((node) => (node.item === 'P1' ? [node.template] : []));
const told = (bosun: Bosun) =>
  bosun
    .posts()
    .filter((text) => text.includes('◆'))
    .join('\n');

interface Standing {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly at: string;
  readonly begins: string;
}

const source = { 'src/cart.ts': 'export {};\n' };
const roadmapped = { ...source, '.workflow/roadmap.md': '# Roadmap\n' };
const blocked = { verdict: 'BLOCK', issues: [{ severity: 'critical', title: 'a hole' }] };
const standings: readonly Standing[] = [
  { name: 'nothing', files: {}, at: 'brainstorm', begins: 'brainstorm' },
  { name: 'sources and no folder', files: source, at: 'init', begins: 'init' },
  {
    name: 'a folder without a state',
    files: { ...source, '.workflow/project.md': 'A shop.\n' },
    at: 'init',
    begins: 'init',
  },
  {
    name: 'a state without milestones',
    files: { ...roadmapped, '.workflow/state.json': workflowState([]) },
    at: 'roadmap',
    begins: 'roadmap',
  },
  {
    name: 'milestones without a roadmap',
    files: { ...source, '.workflow/state.json': workflowState(milestone) },
    at: 'roadmap',
    begins: 'roadmap',
  },
  { name: 'a phase that nothing was done for', files: standing([]), at: 'analyze', begins: 'analyze' },
  { name: 'an analysis', files: standing(['analyze']), at: 'plan', begins: 'plan' },
  { name: 'a plan', files: standing(stages.slice(0, 2)), at: 'execute', begins: 'execute' },
  { name: 'an execution', files: standing(stages.slice(0, 3)), at: 'verify', begins: 'verify' },
  {
    name: 'a verification with gaps',
    files: standing(stages, { 'verification.json': { passed: false, gaps: ['no tests'] } }),
    at: 'verify-failed',
    begins: 'post-verify',
  },
  {
    name: 'a verification that passed',
    files: standing(stages, verified),
    at: 'business-test',
    begins: 'business-test',
  },
  {
    name: 'business tests that failed',
    files: standing(stages, { ...verified, 'business-test-results.json': { passed: false, failures: ['order'] } }),
    at: 'business-test-failed',
    begins: 'post-business-test',
  },
  { name: 'business tests that passed', files: standing(stages, tested), at: 'review', begins: 'review' },
  {
    name: 'a review that blocks',
    files: standing(stages, { ...tested, 'review.json': blocked }),
    at: 'review-failed',
    begins: 'post-review',
  },
  { name: 'a review that warns', files: standing(stages, reviewed), at: 'test', begins: 'test' },
  {
    name: 'an acceptance test that failed',
    files: standing(stages, { ...reviewed, 'uat.md': uat(false) }),
    at: 'test-failed',
    begins: 'post-test',
  },
  {
    name: 'an acceptance test that passed',
    files: standing(stages, { ...reviewed, 'uat.md': uat(true) }),
    at: 'milestone-audit',
    begins: 'milestone-audit',
  },
];

test.each(standings)('a project with $name stands at $at and begins with $begins', async ({ files, at, begins }) => {
  const bosun = await givenBosun({ projects: { shop: { tests: 'none', level: 'manual', files } } });
  await start(bosun);
  expect(bosun.posts().join('\n')).toContain(`it stands at ${at}; it begins with ${begins}.`);
  const first = bosun.status().nodes.find((node) => node.state !== 'skipped' && node.kind !== 'loop');
  expect(first?.template).toBe(begins);
  const before = bosun.status().nodes.filter((node) => node.state === 'skipped');
  expect(before.every((node) => node.skip_reason === 'inferred done')).toBe(true);
  expect(bosun.calls()).toEqual([]);
});

test('all phases of a milestone precede its audit and its completion, and the run ends once', async () => {
  const bosun = await givenBosun({ projects: { shop: { tests: 'none' } }, plan: lifecycle() });
  await start(bosun);
  await goOn(bosun);
  const phase = (key: string) =>
    ['analyze', 'plan', 'execute', 'verify', 'business-test', 'review', 'test-gen', 'test'].map(
      (step) => `${key} ${step}`,
    );
  const end = [' milestone-audit', ' milestone-complete'];
  expect(bosun.calls().map((call) => `${call.item} ${call.step}`)).toEqual([
    ...[' brainstorm', ' init', ' roadmap', ...phase('P1'), ...phase('P2'), ...end],
    ...[...phase('P3'), ...end],
  ]);
  expect(told(bosun)).toContain('◆ post-milestone: Cart done → advancing to Orders Phase 3');
  expect(told(bosun)).toContain('◆ post-milestone: all milestones complete!');
  expect(bosun.calls('milestone-audit')[1]?.prompt).toContain('Milestone: Orders');
  expect(told(bosun)).toContain('◆ Decision: post-verify → pass');
  const [last = '', ...others] = bosun.posts().filter((text) => text.includes('\nshop is done'));
  expect(others).toEqual([]);
  expect(bosun.thread().at(-1)?.text).toContain('3 of 3 phases done');
  const counts = /^(\d+) of \1 steps done in (\d+) waves$/m.exec(last);
  const { text } = await bosun.say('status shop');
  expect(text).toContain(
    `RALPH COMPLETE\nWaves: ${counts?.[2]} · ${counts?.[0].split(' in ')[0]}\n[✓] 1. maestro-brainstorm`,
  );
});

test('a gate shows its verdict and adds no work until a person answers', async () => {
  const files = standing(stages.slice(0, 3));
  const plan = {
    verify: said({}, { files: phaseFiles(1, { 'verification.json': { passed: false, gaps: ['no index'] } }) }),
  };
  const bosun = await givenBosun({ projects: { shop: { tests: 'none', files } }, plan });
  await start(bosun);
  expect(bosun.calls().map((call) => call.step)).toEqual(['verify']);
  expect(bosun.asked().text).toContain('◆ post-verify: gaps detected, inserting debug+fix loop (retry 1/2)');
  expect(bosun.asked().options.map((one) => one.label)).toEqual(['Continue', 'Go on without it', 'Abort']);
  expect(chain(bosun)).not.toContain('debug');
  await bosun.pressButton('Go on without it');
  expect(bosun.node('post-verify').state).toBe('passed');
  expect(bosun.calls().at(-1)?.step).toBe('business-test');
});

const gaps = said(
  {},
  { files: phaseFiles(1, { 'verification.json': { passed: false, gaps: [{ description: 'no index' }] } }) },
);
const noGaps = said({}, { files: phaseFiles(1, verified) });
const fix = ['debug', 'plan', 'execute', 'verify', 'post-verify'];

test('two rounds of gaps insert the same five steps each time, with an increasing retry count', async () => {
  const files = standing(stages.slice(0, 3));
  const bosun = await givenBosun({
    projects: { shop: { tests: 'none', files } },
    plan: { verify: [gaps, gaps, noGaps] },
  });
  await start(bosun);
  for (let turn = 0; turn < 3; turn++) await bosun.say('continue');
  expect(chain(bosun).slice(3, 16)).toEqual(['verify', 'post-verify', ...fix, ...fix, 'business-test']);
  expect(bosun.calls('debug')[0]?.prompt).toContain('no index');
  expect(bosun.calls('plan')[0]?.prompt).toContain('--gaps 1');
  const [session] = bosun.git('shop', 'ls-files', '--others', '.workflow/.ralph/*/status.json').split('\n');
  const { steps } = JSON.parse(bosun.read(session ?? ''));
  const counts = steps.filter(
    (one: { type: string; args: string }) => one.type === 'decision' && one.args.includes('"post-verify"'),
  );
  expect(counts.map((one: { args: string }) => JSON.parse(one.args).retry_count)).toEqual([0, 1, 2]);
  expect(told(bosun)).toContain('(retry 1/2)');
  expect(told(bosun)).toContain('(retry 2/2)');
  expect(told(bosun)).toContain('◆ post-verify: passed');
});

test('a third round of gaps escalates to debug and then asks, and the answer decides how the run continues', async () => {
  const files = standing(stages.slice(0, 3));
  const bosun = await givenBosun({
    projects: { shop: { tests: 'none', files } },
    plan: { verify: [gaps, gaps, gaps, noGaps] },
  });
  await start(bosun);
  await goOn(bosun);
  expect(bosun.calls().map((call) => call.step)).toEqual([
    ...['verify', 'debug', 'plan', 'execute', 'verify', 'debug', 'plan', 'execute', 'verify', 'debug'],
  ]);
  expect(told(bosun)).toContain('◆ post-verify: max retries reached, escalating to debug');
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'escalation' });
  const card = bosun.asked();
  expect(card.text).toContain('max retries reached');
  expect(card.text).toContain('no index');
  expect(card.options.map((one) => one.label)).toEqual(['Continue: check again', 'Retry', 'Skip', 'Rollback', 'Abort']);
  await bosun.pressButton('Continue: check again');
  expect(bosun.calls().at(-1)?.step).toBe('verify');
  await bosun.say('continue');
  expect(bosun.calls().at(-1)?.step).toBe('business-test');
});

const round = ['debug', 'plan', 'execute', 'verify', 'post-verify'];
const additions: readonly (readonly [string, Record<string, string>, Parameters<typeof said>[1], readonly string[]])[] =
  [
    [
      'post-business-test',
      standing(stages, verified),
      { files: phaseFiles(1, { 'business-test-results.json': { passed: false, failures: ['order'] } }) },
      [...round, 'business-test', 'post-business-test'],
    ],
    [
      'post-review',
      standing(stages, tested),
      { files: phaseFiles(1, { 'review.json': { ...blocked, verdict: 'PASS' } }) },
      ['debug', 'plan', 'execute', 'review', 'post-review'],
    ],
    [
      'post-test',
      standing(stages, reviewed),
      { files: phaseFiles(1, { 'uat.md': uat(false) }) },
      [...round, 'business-test', 'post-business-test', 'review', 'post-review', 'test-gen', 'test', 'post-test'],
    ],
  ];

test.each(additions)('%s inserts its own steps when its file reports a failure', async (gate, files, move, added) => {
  const step = gate.slice('post-'.length);
  const bosun = await givenBosun({ projects: { shop: { tests: 'none', files } }, plan: { [step]: said({}, move) } });
  await start(bosun);
  await bosun.say('continue');
  const at = chain(bosun).indexOf(gate) + 1;
  expect(chain(bosun).slice(at, at + added.length)).toEqual(added);
  expect(told(bosun)).toMatch(new RegExp(`◆ ${gate}: .*\\(retry 1/2\\)`));
});

test('a stage without a result file is reported and counts as failed', async () => {
  const files = standing(stages.slice(0, 3));
  const bosun = await givenBosun({ projects: { shop: { tests: 'none', files } }, plan: { verify: said({}) } });
  await start(bosun);
  expect(bosun.posts().join('\n')).toMatch(/E004: post-verify: no result file.*verification\.json/);
  expect(bosun.asked().text).toContain('(retry 1/2)');
});

test('a failed stage pauses the run with later steps waiting, and a retry continues it', async () => {
  const plan = { ...lifecycle(), 'P1 execute': [said({ STATUS: 'failing' }), lifecycle()['P1 execute'] ?? {}].flat() };
  const bosun = await givenBosun({ projects: { shop: { tests: 'none' } }, plan });
  await start(bosun);
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'failure' });
  expect(bosun.node('verify').state).toBe('waiting');
  expect(bosun.asked().options.map((one) => one.label)).toEqual([
    'Retry',
    'Retry with a note',
    'Skip',
    'Rollback',
    'Abort',
  ]);
  await bosun.pressButton('Retry');
  expect(bosun.asked().text).toContain('◆ post-verify: passed');
});
