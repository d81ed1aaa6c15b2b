// Ways back onto or over a loop, and what people say before, in and after one.
import { describe, expect, it } from 'vitest';
import { type NodeDef, renderPrompt } from '../../src/engine/index.js';
import { crash, def, failing, goto, handoff, item, loop, Player, pass, report, said, workflow } from './builders.js';
import { lives, settleIn, told, workOn } from './chains.js';

const two = { items: [item('US-1'), item('US-2')], afterStory: 'start' } as const;
const stories = loop('stories', [def('build'), def('verify')]);
const test = (target: string, patch: Partial<NodeDef> = {}) =>
  def('test', { maxAttempts: 1, maxLoops: 1, onFail: { default: goto(target) }, ...patch });
const look = (patch: Partial<NodeDef> = {}) =>
  def('look', { kind: 'human', onFail: { default: goto('stories') }, ...patch });
const four = [pass, pass, pass, pass];
const red = { ...failing, result: report('failing', null, 'the cart loses items') };
const promptOf = (player: Player, template: string, chain = '') =>
  renderPrompt(player.stateOf(chain), player.node(template, chain).id).text;

describe('a route back to a loop', () => {
  const walked = () => Player.start(workflow([stories, test('stories')]), two).walk(...four);

  it('runs the stories again as a new generation and tells them why', () => {
    const player = walked().settle(red);
    expect([player.stories(), player.line('US-1')]).toEqual(['US-1:running US-2:ready', 'build:queued verify:waiting']);
    expect(told(player)).toEqual(['stories is walked again: US-1, US-2.']);
    expect(player.node('build', 'US-1')).toMatchObject({ generation: 2, attempt: 1 });
    expect(promptOf(player, 'build', 'US-1')).toContain('## Why US-1 is done again\ntest: the cart loses items');
    player.walk(...four);
    expect([player.stories(), player.live]).toEqual(['US-1:done US-2:done', '/test']);
    expect([player.world.chains.get('')?.again, player.world.chains.get('US-1')?.again]).toEqual([null, null]);
    expect(player.settle().worked().run.status).toBe('completed');
  });

  it('spends its budget, and then asks a person', () => {
    const player = walked()
      .settle(red)
      .walk(...four)
      .settle(red);
    expect(player.open[0]?.text).toContain('stuck at test (1 way back to stories)');
    expect(player.stories()).toBe('US-1:done US-2:done');
  });

  it.each<[string, string, string]>([
    ['only the story that the report names', 'us-2: the cart loses items', 'US-1:done US-2:running'],
    ['all where it names one that is none of them', 'US-21 is missing', 'US-1:running US-2:ready'],
    ['all where it says no word', '…', 'US-1:running US-2:ready'],
  ])('repeats %s', (_, summary, line) => {
    const player = walked().settle({ ...failing, result: report('failing', null, summary) });
    expect(player.stories()).toBe(line);
  });

  it("carries the report's values into the stories", () => {
    const decide = {
      decisionKey: 'DECISION',
      onDecision: { again: goto('stories', { carry: { feedback: 'ISSUES' } }), ok: { type: 'next' } as const },
    };
    const built = loop('stories', [def('build', { prompt: 'Feedback: {{feedback}}' })]);
    const player = Player.start(workflow([built, def('review', decide)], { context: { feedback: '' } }), two);
    player.walk(pass, pass, said({ STATUS: 'pass', DECISION: 'again', ISSUES: 'no paging' }));
    const text = promptOf(player, 'build', 'US-1');
    expect(text).toContain('Feedback: no paging');
    expect(text).toContain('review: no paging\nDECISION: again');
  });

  it("does not reset a story's rejections", () => {
    const verify = def('verify', { onFail: { default: goto('build', { budget: 'rejections' }) } });
    const strict = loop('stories', [def('build'), verify], { maxRejections: 1 });
    const player = Player.start(workflow([strict, test('stories')]), { items: [item('US-1')] });
    player.walk(pass, failing, pass, pass, red);
    expect([player.live, player.state.items[0]?.rejections]).toEqual(['US-1/build', 1]);
    expect(player.walk(pass, failing).asks).toEqual(['stuck']);
  });

  it('skips stories that a person gave up, and passes when only such are left', () => {
    const player = Player.start(workflow([stories, test('stories')]), two);
    player.do({ type: 'skip_item', item: 'US-2', reason: 'no' }).walk(pass, pass, red);
    expect(player.stories()).toBe('US-1:running US-2:cancelled');
    const none = Player.start(workflow([def('a'), stories, test('stories')]), two);
    for (const key of ['US-1', 'US-2']) none.do({ type: 'skip_item', item: key, reason: 'no' });
    expect(none.walk(pass, red).live).toBe('/test');
  });

  it('reopens the worktree of a story that has one', () => {
    const trees = loop('stories', [def('build')], { isolate: 'worktree', parallel: 2 });
    const player = Player.start(workflow([trees, test('stories')]), two);
    const build = () => {
      for (const { key } of player.state.items) workOn(settleIn(workOn(player, 'open', key), key), 'merge', key);
    };
    build();
    settleIn(player, '', red);
    expect(player.stories()).toBe('US-1:running US-2:running');
    build();
    expect([player.stories(), lives(player)]).toEqual(['US-1:done US-2:done', ['/test']]);
  });
});

describe('a route back past a loop', () => {
  it('runs the stories again when no step reports new ones', () => {
    const player = Player.start(workflow([def('setup'), stories, test('setup')]), two).walk(pass, ...four, red);
    expect([player.live, player.stories()]).toEqual(['/setup', 'US-1:done US-2:done']);
    player.settle();
    expect([player.live, player.stories()]).toEqual(['US-1/build', 'US-1:running US-2:ready']);
    expect(promptOf(player, 'build', 'US-1')).toContain('test: the cart loses items');
  });
});

describe('a review after a loop of stories', () => {
  const walked = (patch: Partial<NodeDef> = {}) =>
    Player.start(workflow([def('plan'), stories, look(patch), def('wrap')]), two).walk(pass, ...four);

  it('sends all stories back with a note that each receives once, as often as wanted', () => {
    const player = walked();
    for (const _ of [1, 2]) {
      player.answer('changes', 'use BigInt everywhere');
      expect([player.live, player.stories()]).toEqual(['US-1/build', 'US-1:running US-2:ready']);
      expect(promptOf(player, 'build', 'US-1')).toContain('use BigInt everywhere');
      expect(promptOf(player.walk(pass), 'verify', 'US-1')).not.toContain('use BigInt everywhere');
      expect(promptOf(player.walk(pass), 'build', 'US-2')).toContain('use BigInt everywhere');
      expect(player.walk(pass, pass).asks).toEqual(['review']);
    }
    player.answer('approve');
    expect([player.live, promptOf(player, 'wrap').includes('BigInt')]).toEqual(['/wrap', false]);
  });

  it('sends back only the story that the note names, even without a route', () => {
    const player = walked({ onFail: {} }).answer('changes', 'US-2 is wrong');
    expect([player.live, player.stories()]).toEqual(['US-2/build', 'US-1:done US-2:running']);
  });

  it('resets the budgets of a story that it sends back', () => {
    const verify = def('verify', { onFail: { default: goto('build', { budget: 'rejections' }) } });
    const strict = loop('stories', [def('build'), verify], { maxRejections: 1 });
    const player = Player.start(workflow([strict, look()]), { items: [item('US-1')] }).walk(pass, failing, pass, pass);
    expect(player.state.items[0]?.rejections).toBe(1);
    player.answer('changes', 'once more');
    expect(player.state.items[0]?.rejections).toBe(0);
    expect(player.walk(pass, failing).live).toBe('US-1/build');
  });

  it("shows each story's digest, files and questions", () => {
    const built = said({ STATUS: 'pass' }, { filesChanged: ['a.ts'] });
    const asking = { ...pass, handoff: handoff({ reviewDigest: 'the totals', questions: ['Gross or net?'] }) };
    const player = Player.start(workflow([stories, look()]), two).walk(built, asking, built, pass);
    expect(player.open[0]?.digests).toEqual([
      { step: 'US-1', text: 'the totals', questions: ['Gross or net?'], files: ['a.ts'] },
      { step: 'US-2', text: null, questions: [], files: ['a.ts'] },
    ]);
    player.answer('changes', 'US-2 is wrong').walk(pass, asking);
    expect(player.open[0]?.digests.map(({ step, text }) => [step, text])).toEqual([
      ['US-1', 'the totals'],
      ['US-2', 'the totals'],
    ]);
  });
});

describe('the note of an approval', () => {
  const planOk = def('plan-ok', { kind: 'human' });

  it('before a loop reaches the first step of each story, and no step after the loop', () => {
    const player = Player.start(workflow([def('plan'), planOk, stories, def('docs')]), two).settle();
    player.answer('approve', 'use BigInt everywhere');
    const heard = () =>
      player.run.live.map(({ chain, step }) => [`${chain}/${step}`, promptOf(player, step, chain).includes('BigInt')]);
    expect(heard()).toEqual([['US-1/build', true]]);
    const later = [1, 2, 3, 4].flatMap(() => {
      player.walk(pass);
      return heard();
    });
    expect(later).toEqual([
      ['US-1/verify', false],
      ['US-2/build', true],
      ['US-2/verify', false],
      ['/docs', false],
    ]);
  });

  it('reaches a step before the loop instead of the stories, when one comes first', () => {
    const player = Player.start(workflow([planOk, def('setup'), stories]), two).answer('approve', 'use BigInt');
    expect(promptOf(player, 'setup')).toContain('use BigInt');
    expect(promptOf(player.walk(pass), 'build', 'US-1')).not.toContain('use BigInt');
  });

  it('at the end of a story reaches the next story only', () => {
    const items = [...two.items, item('US-3')];
    const checked = loop('stories', [def('build'), def('ok', { kind: 'human' })]);
    const player = Player.start(workflow([checked, def('docs')]), { ...two, items }).walk(pass);
    player.answer('approve', 'shorter names, please').worked();
    expect(promptOf(player, 'build', 'US-2')).toContain('shorter names, please');
    player.walk(pass).answer('approve').worked();
    expect(promptOf(player, 'build', 'US-3')).not.toContain('shorter names');
    player.walk(pass).answer('approve', 'well done').worked();
    expect(promptOf(player, 'docs')).toContain('well done');
  });
});

it('a review sent back beside a failed step revives the failed run', () => {
  const work = { maxAttempts: 1, abandons: 0, onExhausted: 'fail' } as const;
  const player = Player.start(workflow([def('plan'), def('build', work), def('look', { kind: 'human' })]), {
    level: 'manual',
  });
  const name = (step: string) =>
    player.do({ type: 'continue', node: player.node(step).id, instruction: null, behind: null });
  name('plan').settle(pass);
  name('build').settle(pass);
  name('build').settle(crash);
  expect([player.run.status, player.open.map((one) => one.kind)]).toEqual(['failed', ['review', 'escalation']]);
  player.answer('changes', 'use BigInt');
  expect([player.run.status, player.run.pauseReason, player.open]).toEqual(['paused', 'level', []]);
});
