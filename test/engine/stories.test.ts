// Lists of stories that steps report: the first one, one that takes its place, one that comes when work has begun.
import { describe, expect, it } from 'vitest';
import { type Envelope, renderPrompt } from '../../src/engine/index.js';
import { def, failing, goto, item, loop, type NodePatch, Player, pass, policy, workflow } from './builders.js';
import { told } from './chains.js';
import { loadShipped } from './workflow/support.js';

/** A list of stories, by their keys and titles. */
function listed(
  ...stories: readonly (readonly [id: string, title: string, dependsOn?: readonly string[]])[]
): Envelope {
  const list = stories.map(([id, title, dependsOn = []]) => ({
    ...{ id, title, description: `About ${title}`, acceptanceCriteria: [title], dependsOn },
  }));
  return { ...pass, output: { ...pass.output, stories: JSON.stringify(list) } };
}

const plan = def('plan', { expects: { status: null, keys: [], items: 'required', red: false }, maxAttempts: 2 });
const planOk = def('plan-ok', { kind: 'human', onFail: { default: goto('plan') } });
const stories = loop('stories', [def('implement')]);
const backTo = (target: string, patch: NodePatch = {}) =>
  def('test', { maxAttempts: 1, onFail: { default: goto(target) }, ...patch });

const rust = listed(['US-001', 'rewrite in Rust'], ['US-002', 'drop the tests', ['US-001']]);
const button = listed(['US-001', 'add a button'], ['US-003', 'test the button', ['US-001']]);
const titles = (player: Player) => player.state.items.map(({ key, title, status }) => `${key} ${title}: ${status}`);

describe('a story list that a person sends back', () => {
  const planned = () => Player.start(workflow([plan, planOk, stories])).settle(rust);

  it('is shown with its stories on the review card', () => {
    expect(planned().open[0]?.text).toBe('Make it\nStories:\n- US-001 rewrite in Rust\n- US-002 drop the tests');
    const many = listed(...Array.from({ length: 20 }, (_, at) => [`US-${at}`, 'x'.repeat(300)] as const));
    const limits = { ...workflow([]).limits, items: 30 };
    const [card] = Player.start(workflow([plan, planOk, stories], { limits })).settle(many).open;
    expect(card?.text.split('\n')).toHaveLength(22);
    expect(
      Math.max(
        ...String(card?.text)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThan(140);
    const more = listed(...Array.from({ length: 23 }, (_, at) => [`US-${at}`, 'one'] as const));
    expect(Player.start(workflow([plan, planOk, stories], { limits })).settle(more).open[0]?.text).toMatch(
      /and 3 more$/,
    );
  });

  it('is replaced by the next list, and the thread is notified', () => {
    const player = planned().answer('changes', 'no rewrite, just add a button').settle(button);
    expect(titles(player)).toEqual(['US-001 add a button: ready', 'US-003 test the button: ready']);
    expect(told(player)).toEqual([
      'The stories were planned again.\nTo do: US-001 add a button; US-003 test the button.\nDropped: US-002.',
    ]);
    expect(player.open[0]?.text).toContain('- US-001 add a button');
    expect(player.answer('approve').line('US-001')).toBe('implement:queued');
    expect(player.state.items.map(({ order }) => order)).toEqual([0, 1]);
  });

  it('adds no isGiven field to stories of an older run, so that replay matches the stored state', () => {
    const old = Player.create(workflow([plan, stories]), { items: [item('US-001')], isOld: true });
    expect(Object.keys(old.state.items[0] ?? {})).not.toContain('isGiven');
  });

  it('names the first twenty dropped stories', () => {
    const many = listed(...Array.from({ length: 22 }, (_, at) => [`US-1${at}`, 'one'] as const));
    const limits = { ...workflow([]).limits, items: 30 };
    const player = Player.start(workflow([plan, planOk, stories], { limits })).settle(many);
    expect(told(player.answer('changes', 'less').settle(button))[0]).toMatch(/Dropped: US-10; .*US-119 and 2 more\.$/s);
  });

  it('is replaced after a rollback too', () => {
    const player = planned();
    player
      .do({ type: 'rollback', node: player.node('plan').id })
      .worked()
      .settle(button);
    expect(titles(player)).toEqual(['US-001 add a button: ready', 'US-003 test the button: ready']);
  });

  it('is replaced in the shipped feature-dev after a pause and a rollback to plan', () => {
    const said = (list: Envelope): Envelope => {
      const keys = { STATUS: 'done', REPO: '/shop', BRANCH: 'main' };
      return { ...list, output: { ...list.output, keys } };
    };
    const player = Player.start(loadShipped('feature-dev')).do({ type: 'pause' }).settle(said(rust)).worked();
    player
      .do({ type: 'rollback', node: player.node('plan').id })
      .worked()
      .settle(said(button))
      .worked();
    expect(titles(player)).toEqual(['US-001 add a button: running', 'US-003 test the button: ready']);
    const { text } = renderPrompt(player.stateOf('US-001'), player.node('implement', 'US-001').id);
    expect([text.includes('add a button'), text.includes('rewrite in Rust')]).toEqual([true, false]);
  });

  it('is shown to the planner, with what its next list will replace', () => {
    const player = planned().answer('changes', 'no rewrite');
    const { text } = renderPrompt(player.stateOf(''), player.node('plan').id);
    expect(text).toContain('## Stories so far\n- US-001 (ready): rewrite in Rust\n- US-002 (ready): drop the tests');
    expect(text).toContain('Your list takes the place of those that are ready or blocked.');
  });

  it('keeps the stories given with the task and adds the new ones', () => {
    const given = [item('US-001'), item('US-007')];
    const player = Player.start(workflow([plan, planOk, stories]), { items: given }).settle(button);
    expect(titles(player)).toEqual([
      'US-001 Title of US-001: ready',
      'US-007 Title of US-007: ready',
      'US-003 test the button: ready',
    ]);
    expect(told(player)).toEqual([
      'The stories were planned again.\nTo do: US-003 test the button.\nAs they were: US-001 (given by a person).',
    ]);
  });
});

describe('a story list planned again after stories have started', () => {
  const flow = workflow([plan, stories, backTo('plan')], policy({ afterStory: 'start' }));
  const atTest = () => Player.start(flow).walk(listed(['US-001', 'a']), pass, failing);

  it('adds and runs its new stories and keeps the finished ones', () => {
    const player = atTest().settle(listed(['US-001', 'a, again'], ['US-003', 'b', ['US-001']]));
    expect(titles(player)).toEqual(['US-001 a: done', 'US-003 b: running']);
    expect(told(player)).toEqual(['The stories were planned again.\nTo do: US-003 b.\nAs they were: US-001 (done).']);
    player.walk(pass, pass);
    expect([titles(player), player.run.status]).toEqual([['US-001 a: done', 'US-003 b: done'], 'completed']);
  });

  it('fails its step when all its stories are over, and says so in the summary', () => {
    const player = atTest().settle(listed(['US-001', 'a, again']));
    expect(player.node('plan')).toMatchObject({ state: 'queued', attempt: 2, last: { reason: 'bad_output' } });
    expect(player.node('plan').last?.summary).toContain('names only stories that are over: US-001');
  });

  it('shows only the unfinished stories on the review card', () => {
    const player = Player.start(workflow([plan, planOk, stories, backTo('plan')])).settle(listed(['US-001', 'a']));
    player.answer('approve').walk(pass, failing, listed(['US-001', 'a'], ['US-002', 'b']));
    expect(player.open[0]?.text).toBe('Make it\nStories:\n- US-002 b');
  });

  it('may only repeat unfinished stories', () => {
    const two = { items: [item('US-001'), item('US-002')] };
    const player = Player.start(workflow([plan, stories]), two).settle(listed(['US-002', 'b']));
    expect(told(player)).toEqual(['The stories were planned again.\nAs they were: US-002 (given by a person).']);
    expect(titles(player)).toEqual(['US-001 Title of US-001: running', 'US-002 Title of US-002: ready']);
  });

  it('does not revive a story that a person gave up', () => {
    const player = Player.start(flow).settle(listed(['US-001', 'a'], ['US-002', 'b']));
    player.do({ type: 'skip_item', item: 'US-002', reason: 'no' }).walk(pass, failing);
    player.settle(listed(['US-002', 'b'], ['US-003', 'c']));
    expect(player.stories()).toBe('US-001:done US-002:cancelled US-003:running');
  });
});

describe('stories reported with no loop ahead', () => {
  const after = def('docs', { maxAttempts: 2 });

  it.each<[string, () => Player]>([
    ['after the loop', () => Player.start(workflow([plan, stories, after])).walk(listed(['US-001', 'a']), pass)],
    ['in a story', () => Player.start(workflow([plan, stories])).walk(listed(['US-001', 'a']))],
  ])('fail the step that reports new ones %s', (_, start) => {
    const player = start().settle(listed(['US-009', 'more']));
    const tried = [...player.world.chains.values()].flatMap(({ nodes }) => nodes).find((one) => one.attempt === 2);
    expect(tried?.last).toMatchObject({ outcome: 'failing', reason: 'bad_output' });
    expect(tried?.last?.summary).toContain('names new stories (US-009), but only a step before "stories" may');
  });

  it('are only mentioned when they are known or the workflow has no stories', () => {
    const player = Player.start(workflow([plan, stories, after])).walk(listed(['US-001', 'a']), pass);
    player.settle(listed(['US-001', 'a']));
    expect(told(player)).toEqual(['docs reported stories that are known or cannot be walked here: US-001.']);
    const none = Player.start(workflow([def('a'), def('b')])).settle(listed(['US-001', 'a']));
    expect([told(none), none.live]).toEqual([
      ['a reported stories that are known or cannot be walked here: US-001.'],
      '/b',
    ]);
  });

  it('are taken from a pass that arrived after its timeout', () => {
    const late = workflow([{ ...plan, onTimeout: 'ask' }, planOk, stories], policy({ adoptLate: true }));
    const player = Player.start(late);
    const attempt = String(player.run.live[0]?.attempt);
    player.settle({ ...pass, exit: null, killed: 'timeout' });
    player.do({ type: 'attempt_settled', attempt, envelope: rust });
    expect(player.asks).toEqual(['review']);
    expect(player.stories()).toBe('US-001:ready US-002:ready');
  });

  it('get unique keys when another loop uses theirs', () => {
    const two = workflow([plan, stories, def('plan-2'), loop('more', [def('extra')])], policy({ afterStory: 'start' }));
    const player = Player.start(two).walk(listed(['US-001', 'a']), pass);
    player.settle(listed(['US-001', 'b'], ['US-002', 'c', ['US-001']]));
    expect(player.stories()).toBe('US-001:done US-001-2:running US-002:ready');
    expect(player.state.items[2]?.dependsOn).toEqual(['US-001-2']);
  });
});
