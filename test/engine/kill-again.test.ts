// A person ends an attempt that gives no sign, and the step is tried again without another question.
import { describe, expect, it } from 'vitest';
import { def, item, killed, loop, Player, pass, workflow } from './builders.js';

const flow = workflow([def('a', { maxAttempts: 2 }), def('b')]);
const stories = workflow([loop('stories', [def('impl', { rollback: true }), def('verify')])]);

function begin(player: Player): Player {
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  return player.do({ type: 'attempt_started', chain: live.chain, attempt: live.attempt, worker: 'w1' });
}

function killAgain(player: Player): Player {
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  return player.do({ type: 'kill', chain: live.chain, attempt: live.attempt });
}

describe('an attempt that a person kills in order to retry it', () => {
  it('is cancelled, and its step is retried once it has ended, without asking', () => {
    const player = killAgain(begin(Player.start(flow)));
    const [live] = player.run.live;
    expect(player.effects).toContainEqual({ type: 'cancel', attempt: live?.attempt });
    expect(player.replies).toEqual([{ type: 'retrying', item: '', step: 'a' }]);
    player.settle(killed);
    expect(player.notices).toContainEqual({ type: 'settled', node: 'n1', outcome: 'cancelled', leadsTo: 'retry' });
    expect([player.live, player.asks, player.run.status]).toEqual(['/a', [], 'running']);
    expect(player.node('a')).toMatchObject({
      state: 'queued',
      attempt: 1,
      abandons: 0,
      last: { outcome: 'cancelled' },
    });
    expect(player.node('a').live).not.toHaveProperty('again');
  });

  it('costs no attempts or abandons, however often', () => {
    const player = Player.start(flow);
    for (let time = 0; time < 5; time++) killAgain(begin(player)).settle(killed);
    expect(player.node('a')).toMatchObject({ state: 'queued', attempt: 1, abandons: 0, dispatches: 6 });
    expect(player.walk(pass, pass).line()).toBe('a:passed b:passed');
  });

  it('still counts when it passes before the cancel reaches it', () => {
    const player = killAgain(begin(Player.start(flow))).settle(pass);
    expect([player.line(), player.live]).toEqual(['a:passed b:queued', '/b']);
  });

  it('does not make a later killed attempt retry', () => {
    const player = killAgain(begin(Player.start(flow))).settle(killed);
    player.settle(killed);
    expect([player.node('a').state, player.asks]).toEqual(['cancelled', ['stuck']]);
  });

  it('passes its notes on to the next try', () => {
    const player = Player.start(flow).settle(killed).do({ type: 'retry', node: 'n1', note: 'mind the gap' });
    killAgain(begin(player)).settle(killed);
    expect(player.node('a').live?.notes).toMatchObject([{ text: 'mind the gap' }]);
  });

  it('is rolled back before the retry when its step asks for rollback', () => {
    const player = Player.start(stories, { items: [item('US-1')] });
    killAgain(begin(player)).settle(killed);
    expect([player.live, player.run.ops]).toMatchObject([null, [{ kind: 'rollback', after: 'go_on' }]]);
    expect(player.worked().live).toBe('US-1/impl');
  });

  it('needs no go for the retry at level semi, and gives the next step none', () => {
    const player = Player.start(flow, { level: 'semi' });
    killAgain(begin(player)).settle(killed);
    expect(player.live).toBe('/a');
    expect(player.settle(pass).live).toBeNull();
  });

  it('is retried at level manual without naming the step again', () => {
    const player = Player.start(flow, { level: 'manual' });
    player.do({ type: 'continue', node: 'a', instruction: 'first', behind: null });
    killAgain(begin(player)).settle(killed);
    expect(player.live).toBe('/a');
    expect(player.node('a').live?.notes).toMatchObject([{ kind: 'instruction', text: 'first' }]);
  });

  it('resumes a paused run', () => {
    const player = begin(Player.start(flow)).do({ type: 'pause' });
    expect(killAgain(player).settle(killed).live).toBe('/a');
  });

  it('cannot be killed once it has ended or its run was aborted', () => {
    const player = begin(Player.start(flow));
    const attempt = player.run.live[0]?.attempt ?? '';
    player.settle(pass);
    expect(player.do({ type: 'kill', attempt }).refusal).toBe('that try has ended already');
    const given = Player.start(flow);
    const gone = given.run.live[0]?.attempt ?? '';
    given.do({ type: 'abort' }).answer('abort').do({ type: 'kill', attempt: gone });
    expect(given.refusal).toBe('that try has ended already');
    const left = begin(Player.start(stories, { items: [item('US-1'), item('US-2')] }));
    const last = left.run.live[0]?.attempt ?? '';
    left.settle(killed).do({ type: 'skip_item', item: 'US-1', reason: 'not wanted' });
    expect(left.stories()).toBe('US-1:cancelled US-2:running');
    expect(left.do({ type: 'kill', chain: 'US-1', attempt: last }).refusal).toBe('that try has ended already');
  });
});
