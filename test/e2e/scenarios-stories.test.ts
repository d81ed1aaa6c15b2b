// A task becomes stories; each is implemented and verified before the next, then tests, pull request and review.
import { expect } from 'vitest';
import { type Bosun, givenBosun, test } from './bosun.js';
import { featureDev, planned, said, story } from './plans.js';

// Each walks through dozens of steps, each a child process.
const shop = { shop: { tests: 'none' as const } };
const three = planned(['US-001', 'US-002', 'US-003'].map((id) => story(id)));
const retry = (issues: string) => said({ STATUS: 'retry', ISSUES: issues });
const wrongTwice = 'no index on orders\n- the empty cart is not refused';

async function start(bosun: Bosun, task = 'customers can see their orders'): Promise<void> {
  await bosun.say(`start shop with feature-dev: ${task}`);
  await bosun.pressButton('Start');
}

const walked = (bosun: Bosun) => bosun.calls().map(({ item, step }) => (item === '' ? step : `${item} ${step}`));

test('three stories run in order, each verified before the next, then test, pull request and review', async () => {
  const bosun = await givenBosun({ projects: shop, plan: { ...featureDev, plan: three } });
  const proposed = await bosun.say('start shop with feature-dev: customers can see their orders');
  expect(proposed.text).toContain('shop · feature-dev · asked by');
  expect(bosun.calls()).toEqual([]);
  await bosun.pressButton('Start');
  const stories = ['US-001', 'US-002', 'US-003'].flatMap((id) => [`${id} implement`, `${id} verify`]);
  expect(walked(bosun)).toEqual(['plan', ...stories, 'test', 'pr', 'review']);
  expect(bosun.transcript()).toContain('✅ US-003 done');
  const last = bosun.thread().at(-1)?.text;
  expect(last).toMatch(/Done · customers can see their orders\nshop is done/);
  expect(last).toContain('3 of 3 stories done');
  expect(bosun.status()).toMatchObject({ run: { status: 'completed' }, health: 'idle' });
  expect(bosun.status().items.map((item) => item.status)).toEqual(['done', 'done', 'done']);
});

test('the progress log reaches the later steps and is archived when the run ends', async () => {
  const bosun = await givenBosun({ projects: shop, plan: featureDev });
  await start(bosun);
  const prompt = (step: string, nth = 0) => bosun.calls(step)[nth]?.prompt ?? '';
  expect(prompt('implement', 1)).toContain('learnt from US-001');
  for (const step of ['test', 'pr', 'review']) expect(prompt(step)).toContain('learnt from US-002');
  const archived = bosun.read('archive/r1/progress.txt');
  expect(archived).toMatch(/Run: r1\n(.*\n)*## Codebase Patterns\n(.*\n)*learnt from US-001\nlearnt from US-002\n/);
  expect(bosun.read('.ai/runs/r1/progress.txt')).toBe('');
  const onBranch = bosun.git('shop', 'log', '--format=%s', '--reverse', 'main..orders').trim().split('\n');
  expect(onBranch).toEqual(['feat: US-001 - Title of US-001', 'feat: US-002 - Title of US-002']);
  expect(bosun.thread().at(-1)?.text).toContain('on the branch orders');
});

test('a rejected story is implemented again with the issues, which the next story does not see', async () => {
  const verify = [retry(wrongTwice), said({ VERIFIED: 'all' })];
  const bosun = await givenBosun({ projects: shop, plan: { ...featureDev, 'US-001 verify': verify } });
  await start(bosun);
  expect(walked(bosun).slice(0, 7)).toEqual([
    ...['plan', 'US-001 implement', 'US-001 verify', 'US-001 implement', 'US-001 verify'],
    ...['US-002 implement', 'US-002 verify'],
  ]);
  const [first, again, next] = bosun.calls('implement').map((call) => call.prompt);
  expect(first).not.toContain('no index on orders');
  expect(again).toContain('no index on orders');
  expect(again).toContain('- the empty cart is not refused');
  expect(next).not.toContain('no index on orders');
  expect(bosun.posts().join('\n')).toContain('US-001 verify failing (attempt 1), back to implement');
  expect(bosun.status().run?.status).toBe('completed');
});

test('a story rejected three times fails its loop and its run, and a card offers the ways out', async () => {
  const bosun = await givenBosun({
    projects: shop,
    plan: {
      ...featureDev,
      plan: three,
      'US-002 verify': [retry('one'), retry('two'), retry('the cart is still open')],
    },
  });
  await start(bosun);
  expect(bosun.calls('verify').filter((call) => call.item === 'US-002')).toHaveLength(3);
  expect(bosun.calls('implement').filter((call) => call.item === 'US-002')).toHaveLength(3);
  expect(bosun.calls('implement').some((call) => call.item === 'US-003')).toBe(false);
  for (const step of ['test', 'pr', 'review']) expect(bosun.calls(step)).toEqual([]);
  const { run, items } = bosun.status();
  expect(run?.status).toBe('failed');
  expect(items.map((item) => item.status)).toEqual(['done', 'failed', 'ready']);
  expect(bosun.node('stories').state).toBe('failed');
  const card = bosun.asked();
  expect(card.kind).toBe('escalation');
  expect(card.text).toContain('the cart is still open');
  expect(card.options.map((one) => one.label)).toEqual(['Retry', 'Retry with a note', 'Skip', 'Rollback', 'Abort']);
});

test('a failed story can be retried from its card, and the run completes', async () => {
  const verify = [retry('one'), retry('two'), retry('three'), said({ VERIFIED: 'all' })];
  const bosun = await givenBosun({ projects: shop, plan: { ...featureDev, 'US-001 verify': verify } });
  await start(bosun);
  await bosun.pressButton('Retry');
  expect(bosun.status().run?.status).toBe('completed');
  expect(bosun.has('archive/r1/progress.txt')).toBe(true);
  expect(bosun.read('archive/r1/progress.txt')).toContain('learnt from US-002');
});

test('a failing verifier counts as one rejection and hands the story back', async () => {
  const verify = [said({ STATUS: 'fail', ISSUES: 'it does not compile' }), said({ VERIFIED: 'all' })];
  const bosun = await givenBosun({ projects: shop, plan: { ...featureDev, 'US-001 verify': verify } });
  await start(bosun);
  expect(bosun.calls('implement').filter((call) => call.item === 'US-001')).toHaveLength(2);
  expect(bosun.calls('implement')[1]?.prompt).toContain('it does not compile');
  expect(bosun.status().run?.status).toBe('completed');
});

test('stories are read from a fenced, indented block with colons in its texts', async () => {
  const stories = [
    { ...story('US-001'), description: 'See https://example.invalid/a: then "US-001: the first"' },
    { ...story('US-002'), acceptanceCriteria: ['TITLE: is a word of its own', 'Typecheck passes'] },
  ];
  const text = `STORIES_JSON:\n\`\`\`json\n${JSON.stringify(stories, null, 2)}\n\`\`\``;
  const bosun = await givenBosun({ projects: shop, plan: { ...featureDev, plan: planned(text) } });
  await start(bosun);
  expect(bosun.status().items.map((item) => item.key)).toEqual(['US-001', 'US-002']);
  expect(bosun.calls('implement')[0]?.prompt).toContain('https://example.invalid/a: then "US-001: the first"');
  expect(bosun.calls('implement')[1]?.prompt).toContain('TITLE: is a word of its own');
});

const many = Array.from({ length: 21 }, (_, index) => story(`US-${100 + index}`));
const badPlans: readonly (readonly [string, unknown])[] = [
  ['ids that come twice', [story('US-001'), story('US-001')]],
  ['more stories than twenty', many],
  ['a story without criteria', [{ ...story('US-001'), acceptanceCriteria: [] }]],
];

test.each(badPlans)(
  '%s fail the plan and create no story, and a corrected plan creates each once',
  async (_, stories) => {
    const bosun = await givenBosun({
      projects: shop,
      plan: { ...featureDev, plan: [planned(stories), planned([story('US-001')])] },
    });
    await start(bosun);
    expect(bosun.calls('plan')).toHaveLength(2);
    expect(bosun.node('plan').state).toBe('passed');
    expect(bosun.status().items.map((item) => item.key)).toEqual(['US-001']);
    expect(bosun.posts().join('\n')).toMatch(
      /plan failing \(attempt 1\), trying again\n.*(two stories have the id|20|criteria|acceptanceCriteria)/,
    );
    expect(bosun.status().run?.status).toBe('completed');
  },
);

test('tests and reviews that keep finding faults add work up to the limit, then the run fails with a card', async () => {
  const bosun = await givenBosun({
    projects: shop,
    plan: {
      ...featureDev,
      verify: [retry('once'), retry('twice'), said({ VERIFIED: 'all' })],
      test: [
        said({ STATUS: 'retry', FAILURES: 'cart.test red' }),
        said({ STATUS: 'retry', FAILURES: 'cart.test still red' }),
        said({ RESULTS: '12 passed' }),
      ],
      review: said({ DECISION: 'changes_requested', FEEDBACK: 'names say nothing' }),
    },
  });
  await start(bosun);
  expect(walked(bosun)).toEqual([
    'plan',
    ...['US-001', 'US-002'].flatMap((id) =>
      Array.from({ length: 3 }, () => [`${id} implement`, `${id} verify`]).flat(),
    ),
    ...['test', 'rework', 'test', 'rework', 'test', 'pr'],
    ...['review', 'rework', 'review', 'rework', 'review', 'rework', 'review'],
  ]);
  // 14 and 6 for each story: docs/workflows.md says so.
  expect(bosun.calls()).toHaveLength(14 + 6 * 2);
  const rework = bosun.calls('rework').map((call) => call.prompt);
  expect(rework[0]).toContain('cart.test red');
  expect(rework[1]).toContain('cart.test still red');
  expect(rework[2]).toContain('names say nothing');
  expect(bosun.status().run?.status).toBe('failed');
  expect(bosun.asked().text).toContain('review');
  expect(bosun.asked().options.map((one) => one.label)).toEqual([
    'Retry',
    'Retry with a note',
    'Skip',
    'Rollback',
    'Abort',
  ]);
});
