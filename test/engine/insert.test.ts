// Work that is added from a fragment: by a report, an answer, or a budget that is spent.
import { describe, expect, it } from 'vitest';
import type { NodeDef } from '../../src/engine/index.js';
import { renderPrompt } from '../../src/engine/index.js';
import { check, def, failing, goto, loop, Player, pass, said, workflow } from './builders.js';
import { entries, fragment, insert, oneStory, rest, told, when } from './chains.js';

const fix = fragment('fix', ['rework', 'test'], { defs: [def('rework', { prompt: 'Feedback: {{feedback}}' })] });
const redo = said({ STATUS: 'retry', ISSUES: 'no paging' });

function flowOf(patch: Partial<NodeDef>, fragments = fix, nodesPerItem = 30) {
  const limits = { ...workflow([]).limits, nodesPerItem };
  return workflow([def('test', patch), def('pr')], { fragments, limits });
}

const byStatus = { onStatus: { retry: insert('fix', { carry: { feedback: 'ISSUES' }, say: 'rework' }) }, maxLoops: 2 };

describe('a report that inserts a fragment', () => {
  it('adds the fragment right after its step and marks the step as replaced', () => {
    const player = Player.start(flowOf(byStatus)).settle(redo);
    expect(player.line()).toBe('test:skipped rework:queued test:waiting pr:waiting');
    expect(player.node('test')).toMatchObject({
      skipReason: { type: 'replaced', fragment: 'fix' },
      last: { outcome: 'failing' },
    });
    expect(player.nodes()[1]).toMatchObject({ label: 'step-003', insertedBy: player.nodes()[0]?.id });
    expect(player.notices).toContainEqual(expect.objectContaining({ type: 'settled', leadsTo: 'next' }));
    expect(told(player)).toEqual(['rework']);
    expect(entries(player, 'inserted')).toMatchObject([
      {
        details: {
          fragment: 'fix',
          before: ['step-001', 'step-002'],
          after: ['step-001', 'step-003', 'step-004', 'step-002'],
        },
      },
    ]);
  });

  it('passes its values, or the failed checks, to the inserted step', () => {
    const player = Player.start(flowOf(byStatus)).settle(redo);
    const promptOf = () => renderPrompt(player.stateOf(''), player.node('rework').id).text;
    expect(promptOf()).toContain('Feedback: no paging');
    const failures = { onFail: { default: insert('fix', { carry: { feedback: 'FAILURES' } }) } };
    player.world = Player.start(flowOf(failures)).settle({ ...pass, checks: [check('tests', false, ['a > b'])] }).world;
    expect(promptOf()).toContain('Feedback: a > b\nrun tests:\ntests broke');
  });

  it('inserts up to max_loops times, counting each insertion', () => {
    const player = Player.start(flowOf(byStatus)).settle(redo).settle().settle(redo).settle();
    expect(player.world.chains.get('')?.edges).toEqual({ 'test>+fix': 2 });
    player.settle(redo);
    expect(player.open[0]?.text).toContain('shop stuck at test (2 fix insertions)');
  });

  it('by a decision that passed leaves its step passed', () => {
    const decide = { decisionKey: 'DECISION', onDecision: { more: insert('fix') } };
    const player = Player.start(flowOf(decide)).settle(said({ STATUS: 'done', DECISION: 'more' }));
    expect(player.line()).toBe('test:passed rework:queued test:waiting pr:waiting');
  });

  it('routes from the inserted steps back to the nearest step of that name', () => {
    const back = fragment('fix', ['work', 'test']);
    const work = def('work');
    const flow = workflow([work, def('test', { onFail: { default: insert('fix'), scope_warning: goto('work') } })], {
      fragments: back,
    });
    const player = Player.start(flow).settle().settle(failing).settle();
    player.settle({ ...failing, result: { status: 'failing', reason: 'scope_warning', summary: null } });
    expect(player.line()).toBe('work:passed test:skipped work:queued test:waiting');
  });

  it('decides again on a later walk, without the steps it inserted before', () => {
    const test = def('test', byStatus);
    const review = def('review', {
      decisionKey: 'DECISION',
      onDecision: { again: goto('impl'), ok: { type: 'next' } },
    });
    const flow = workflow([def('impl'), test, review], { fragments: fix });
    const player = Player.start(flow).walk(pass, redo, pass, pass, said({ STATUS: 'pass', DECISION: 'again' }), pass);
    expect(player.line()).toBe('impl:passed test:queued rework:skipped test:skipped review:waiting');
    expect(player.node('rework').skipReason).toEqual({ type: 'decided_anew' });
    expect(player.settle().live).toBe('/review');
  });

  it('leaves out fragment nodes whose condition is false', () => {
    const nodes = [
      { template: 'rework', when: when("mood == 'good'") },
      { template: 'test', when: when("mood == 'bad'") },
    ];
    const flow = { ...flowOf(byStatus, fragment('fix', nodes, { defs: [def('rework')] })), context: { mood: 'bad' } };
    expect(Player.start(flow).settle(redo).line()).toBe('test:skipped test:queued pr:waiting');
  });
});

describe('inserted work beyond a limit', () => {
  it('fails the step, and its story, when the chain is full', () => {
    const player = Player.start(flowOf(byStatus, fix, 3)).settle(redo);
    expect([player.line(), player.run.status]).toEqual(['test:failed pr:waiting', 'failed']);
    expect(player.open[0]?.text).toContain('2 more steps would make 4; 3 are allowed');
    const body = [def('test', byStatus)];
    const limits = { ...workflow([]).limits, nodesPerItem: 2 };
    const story = Player.start(workflow([loop('stories', body)], { fragments: fix, limits }), oneStory).settle(redo);
    expect(story.stories()).toBe('A:failed');
  });

  it("asks a person when the run's insertions are used up", () => {
    const flow = flowOf({ ...byStatus, maxLoops: 9 });
    const player = Player.start({ ...flow, limits: { ...flow.limits, insertions: 1 } })
      .settle(redo)
      .settle()
      .settle(redo);
    expect(player.open[0]?.text).toContain("the run's insertions are used up");
    expect(player.answer('retry').settle(redo).live).toBe('/rework');
  });
});

describe('an exhausted budget', () => {
  it('may insert a fragment once', () => {
    const player = Player.start(flowOf({ maxAttempts: 1, onExhausted: insert('fix') })).settle(failing);
    expect(player.live).toBe('/rework');
    player.settle().settle(failing);
    expect(player.asks).toEqual(['stuck']);
  });

  it('inserts nothing when inserting that same fragment exhausted it', () => {
    const patch = { onFail: { default: insert('fix') }, onExhausted: insert('fix'), maxLoops: 1 };
    const player = Player.start(flowOf(patch)).settle(failing).settle().settle(failing);
    expect(player.open[0]?.text).toContain('1 fix inserted');
  });

  it('may insert a different fragment from the one that exhausted it', () => {
    const patch = { onFail: { default: insert('fix') }, onExhausted: insert('last'), maxLoops: 1 };
    const fragments = { ...fix, ...fragment('last', ['pr']) };
    const player = Player.start(flowOf(patch, fragments)).settle(failing).settle().settle(failing);
    expect(player.live).toBe('/pr');
  });
});

describe('a review with insert routes', () => {
  const look = def('look', { kind: 'human', onPass: insert('more'), onFail: { default: insert('redo') } });
  const fragments = { ...fragment('more', ['ship'], { defs: [def('ship')] }), ...fragment('redo', ['work', 'look']) };

  it('adds work on approval and on request for changes, without a limit', () => {
    const player = Player.start(workflow([def('work'), look], { fragments })).settle();
    player.answer('changes', 'more colour');
    expect(player.line()).toBe('work:passed look:passed work:queued look:waiting');
    expect(renderPrompt(player.stateOf(''), player.nodes()[2]?.id ?? '').text).toContain('more colour');
    player.settle().answer('approve');
    expect(player.line()).toBe('work:passed look:passed work:passed look:passed ship:queued');
  });
});

describe('the condition of a step', () => {
  it('skips the step when it is false', () => {
    const flow = workflow(
      [def('a', { when: when("quality != 'quick'") }), def('b', { when: when('story_phase == 2') })],
      {
        context: { quality: 'quick', story_phase: '2' },
      },
    );
    const player = Player.start(flow);
    expect(player.line()).toBe('a:skipped b:queued');
    expect(player.node('a').skipReason).toEqual({ type: 'condition', when: "quality != 'quick'" });
  });

  it("can test the run's position and the values of the story", () => {
    const body = [def('a', { when: when("position == '' && milestone == 'M1'") })];
    const player = Player.start(workflow([loop('stories', body)]), {
      items: [{ key: 'A', title: 'A', description: '', criteria: [], dependsOn: [], values: { milestone: 'M1' } }],
    });
    expect(rest(player, 'A')).toBe('a:queued');
  });
});
