// What is under way, and where: what shares a checkout waits for each other, and what does not share one goes on.
import { describe, expect, it } from 'vitest';
import { def, failing, item, loop, Player, policy, question, workflow } from './builders.js';
import { lives, settleIn, workOn, works } from './chains.js';

const body = [def('a', { rollback: true, maxAttempts: 1, onExhausted: 'pause' }), def('b')];
const shared = workflow([loop('stories', body)]);
const apart = workflow([loop('stories', body, { parallel: 2, isolate: 'worktree' })]);
const blocked = { ok: false, code: 'blocked', message: 'no disk', files: [] } as const;

function sideBySide(): Player {
  const player = Player.start(apart, { items: [item('A'), item('B')] });
  workOn(player, 'open', 'A');
  return workOn(player, 'open', 'B');
}

const retry = (player: Player, chain: string) =>
  player.do({ type: 'retry', chain, node: player.node('a', chain).id, note: null }).refusal;
const back = (player: Player, chain: string) =>
  player.do({ type: 'rollback', chain, node: player.node('a', chain).id }).refusal;

describe('while a step runs', () => {
  it('another step of its chain cannot be rolled back', () => {
    const player = settleIn(Player.start(shared, { items: [item('A')] }), 'A');
    expect(back(player, 'A')).toBe('b is still running; stop it first');
  });

  it('a step in another worktree can be retried', () => {
    const player = settleIn(sideBySide(), 'A', failing);
    expect(lives(player)).toEqual(['B/a']);
    expect(lives(player.answer('retry'))).toEqual(['B/a', 'A/a']);
  });
});

describe('while a checkout is busy', () => {
  const goingBack = () => {
    const player = settleIn(settleIn(sideBySide(), 'A'), 'A', question);
    expect(back(player, 'A')).toBeNull();
    expect(works(player)).toEqual(['rollback A']);
    return player;
  };

  it('steps of its chain cannot be retried and its story cannot be skipped', () => {
    const player = goingBack();
    expect(retry(player, 'A')).toBe('the checkout is being worked on; try again in a moment');
    expect(player.do({ type: 'skip_item', item: 'A', reason: 'no' }).refusal).toContain('being worked on');
  });

  it('the other worktrees continue', () => {
    const player = goingBack();
    settleIn(player, 'B');
    expect(lives(player)).toEqual(['B/b']);
    workOn(player, 'rollback', 'A');
    expect(lives(player)).toEqual(['B/b', 'A/a']);
  });
});

it('an attempt that never started has no files rolled back', () => {
  const flow = workflow([def('a', { rollback: true })]);
  const settleUnbegun = (player: Player) =>
    player.do({ type: 'attempt_settled', attempt: String(player.run.live[0]?.attempt), envelope: failing });
  const unbegun = settleUnbegun(Player.start(flow));
  expect([works(unbegun), unbegun.node('a').attempt, unbegun.live]).toEqual([[], 2, '/a']);
  expect(works(Player.start(flow).settle(failing))).toEqual(['rollback']);
});

describe('while a checkout waits for an answer', () => {
  it('its own chain ignores "continue", and other worktrees continue', () => {
    const player = settleIn(settleIn(sideBySide(), 'A'), 'A', question);
    back(player, 'A');
    workOn(player, 'rollback', 'A', blocked).go();
    expect([player.asks, lives(player)]).toEqual([['workspace'], ['B/a']]);
    settleIn(player, 'B');
    expect(lives(player)).toEqual(['B/b']);
    player.answer('go_on');
    expect(player.asks).toEqual(['question']);
  });

  it('nothing starts when the checkout is shared', () => {
    const player = settleIn(settleIn(Player.start(shared, { items: [item('A')] }), 'A'), 'A', question);
    back(player, 'A');
    player.worked(blocked).go();
    expect([player.asks, lives(player)]).toEqual([['workspace'], []]);
  });
});

it('a checkout keeps its card open when its failed story is retried and queued', () => {
  const once = [def('a', { rollback: true, maxAttempts: 1, onExhausted: 'fail' })];
  const flow = workflow([loop('stories', once, { isolate: 'worktree' })], policy({ onItemFailed: 'continue' }));
  const player = Player.start(flow, { items: [item('A'), item('B')] });
  settleIn(workOn(player, 'open', 'A'), 'A', failing);
  expect(works(player)).toEqual(['rollback A', 'drop A', 'open B']);
  workOn(workOn(player, 'rollback', 'A', blocked), 'drop', 'A');
  expect([player.stories(), player.asks]).toEqual(['A:failed B:running', ['workspace']]);
  expect(retry(player, 'A')).toBeNull();
  expect([player.stories(), player.asks]).toEqual(['A:ready B:running', ['workspace']]);
});
