import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../src/engine/index.js';
import { def, failing, goto, loop, Player, pass, workflow } from './builders.js';

const review = def('review', {
  kind: 'human',
  onFail: { default: goto('bdd'), constitution_violation: goto('sdd'), scope_warning: goto('sdd') },
});
const flow = workflow([def('bdd'), def('sdd'), review, def('impl'), def('verify')]);

function atReview(): Player {
  return Player.start(flow).walk(pass, pass);
}

describe('a review', () => {
  it('waits for a person and dispatches nothing', () => {
    const player = atReview();
    expect(player.line()).toBe('bdd:passed sdd:passed review:needs_human impl:waiting verify:waiting');
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'decision', live: [] });
    expect(player.open).toMatchObject([{ id: 'i12-1', kind: 'review', text: 'Make it', node: 'n3', generation: 1 }]);
    expect(player.open[0]?.options.map((one) => one.label)).toEqual(['Approve', 'Request changes', 'Reject']);
    expect(player.notices).toContainEqual({ type: 'asked', interaction: player.open[0] });
  });

  it('shows its story as its text, inside a story', () => {
    const player = Player.start(workflow([loop('stories', [def('review', { kind: 'human' })])]), {
      task: 'US-7 history',
    });
    expect(player.open[0]?.text).toBe('US-7 history');
  });

  it('names each script that the work changed and a check ran, once', () => {
    const warnings = ['other', 'the check "npm test" ran a changed script: package.json, script "test"'];
    const player = Player.start(flow).walk({ ...pass, warnings }, { ...pass, warnings });
    expect(player.open[0]?.text).toBe(
      'Make it\nLook closely: the check "npm test" ran a changed script: package.json, script "test"',
    );
  });

  it('continues when approved', () => {
    const player = atReview().answer('approve');
    expect(player.live).toBe('/impl');
    expect(player.asks).toEqual([]);
    expect(player.world.chains.get('')?.digests).toEqual([]);
    expect(player.notices).toContainEqual(
      expect.objectContaining({ type: 'decided', interaction: expect.objectContaining({ state: 'answered' }) }),
    );
  });

  it('passes a remark to the next prompt and to no other', () => {
    const player = atReview().answer('approve', ' 30 seconds, others OK ');
    expect(player.node('impl').live?.notes).toEqual([
      { kind: 'remark', question: null, text: '30 seconds, others OK', by: 'ada' },
    ]);
    expect(renderPrompt(player.stateOf(''), 'n4').text).toContain('30 seconds, others OK');
    player.settle(failing);
    expect(player.node('impl').live?.notes).toEqual([]);
    player.settle(pass);
    expect(player.node('verify').live?.notes).toEqual([]);
  });

  it('passes the remark again when the agent that received it crashed', () => {
    const crashed = { ...failing, output: { ...failing.output, keys: {} }, exit: 1 };
    const player = atReview().answer('approve', 'mind the gap').settle(crashed);
    expect(player.node('impl').live?.notes).toHaveLength(1);
  });

  it('follows its own on_pass route', () => {
    const human = (onPass: typeof review.onPass) =>
      Player.start(workflow([def('a', { kind: 'human', onPass }), def('b'), def('c')])).answer('approve');
    expect(human({ type: 'finish' }).run.status).toBe('completed');
    expect(human(goto('c')).line()).toBe('a:passed b:skipped c:queued');
    expect(human({ type: 'ask' }).line()).toBe('a:passed b:queued c:waiting');
  });

  it('sends requested changes back by the default route, with the comment', () => {
    const player = atReview().answer('changes', 'Rename it');
    expect(player.live).toBe('/bdd');
    expect(player.node('bdd').live?.notes).toMatchObject([{ text: 'Rename it' }]);
    expect(player.node('review')).toMatchObject({ state: 'waiting', generation: 2 });
  });

  it('asks for text when changes are requested without any', () => {
    const player = atReview().answer('changes', '  ');
    expect(player.replies).toMatchObject([{ type: 'needs_text', option: 'changes' }]);
    expect(player.asks).toEqual(['review']);
  });

  it('sends back by the reason chosen on the spot', () => {
    const player = atReview().answer('for-constitution_violation', 'Section 3');
    expect(player.line()).toBe('bdd:passed sdd:queued review:waiting impl:waiting verify:waiting');
    expect(player.node('sdd').live?.notes).toMatchObject([{ text: 'Section 3' }]);
  });

  it.each(['for-nobody_knows', 'for-constructor'])('takes the default route for %s', (option) => {
    expect(atReview().answer(option).live).toBe('/bdd');
  });

  it('asks for a reason when a plain reject names none', () => {
    const player = atReview().answer('reject', 'No good');
    expect(player.open).toMatchObject([{ kind: 'choice', subject: { type: 'reject_reason', note: 'No good' } }]);
    expect(player.open[0]?.options.map((one) => one.id)).toEqual([
      'for-constitution_violation',
      'for-scope_warning',
      'for-default',
      'end',
      'keep',
    ]);
    expect(player.open[0]?.options[0]?.label).toBe('constitution violation');
    player.answer('for-scope_warning');
    expect(player.live).toBe('/sdd');
    expect(player.node('sdd').live?.notes).toMatchObject([{ text: 'No good' }]);
  });

  it('can be reopened, or the run ended, from the reason card', () => {
    expect(atReview().answer('reject').answer('keep').asks).toEqual(['review']);
    expect(atReview().answer('reject').answer('end').run.status).toBe('cancelled');
  });

  it('can be rejected without a limit', () => {
    const player = atReview();
    for (let turn = 0; turn < 12; turn++) player.answer('changes', `no ${turn}`).walk(pass, pass);
    expect(player.asks).toEqual(['review']);
    expect(player.world.chains.get('')?.edges).toEqual({});
  });

  it('costs a story none of its rejections', () => {
    const human = def('look', { kind: 'human', onFail: { default: goto('impl', { budget: 'rejections' }) } });
    const player = Player.start(workflow([loop('stories', [def('impl'), human])])).walk(pass);
    for (let turn = 0; turn < 5; turn++) player.answer('changes', 'no').walk(pass);
    expect(player.state.items[0]?.rejections).toBe(0);
  });

  it('repeats every step in between before it asks again', () => {
    const player = atReview().answer('changes', 'no').walk(pass, pass);
    expect(player.asks).toEqual(['review']);
    expect(player.open[0]?.generation).toBe(2);
  });

  it('sends back to the previous step when it has no fail route', () => {
    const human = def('look', { kind: 'human' });
    const player = Player.start(workflow([def('a'), def('b'), human]))
      .walk(pass, pass)
      .answer('changes', 'again');
    expect(player.line()).toBe('a:passed b:queued look:waiting');
    const bare = def('look', { kind: 'human', onFail: {} });
    expect(
      Player.start(workflow([def('a'), bare]))
        .walk(pass)
        .answer('changes', 'again').live,
    ).toBe('/a');
  });

  it('sends back to the previous step even without a comment', () => {
    const bare = Player.start(workflow([def('a'), def('look', { kind: 'human', onFail: {} })])).walk(pass);
    expect(bare.answer('reject').answer('for-default').live).toBe('/a');
  });

  it('asks again when no step comes before it', () => {
    const player = Player.start(workflow([def('look', { kind: 'human' }), def('b')])).answer('changes', 'again');
    expect(player.open).toMatchObject([{ subject: { type: 'review' }, generation: 2 }]);
  });

  it('can end the chain when rejected', () => {
    const human = def('look', { kind: 'human', onFail: { default: { type: 'finish' } } });
    expect(Player.start(workflow([human, def('b')])).answer('changes', 'stop here').run.status).toBe('completed');
  });
});
