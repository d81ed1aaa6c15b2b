// A limit that holds, the day that ends it, and what a person adds to it.
import { describe, expect, it } from 'vitest';
import { isFused, type Purse } from '../../src/engine/index.js';
import { def, envelope, item, loop, Player, pass, workflow } from './builders.js';

const flow = workflow([def('a'), def('b'), def('c')]);
const paid = envelope({ ...pass, costUsd: 2 });
const midnight = 100_000;
const isFusedRun = ({ run, now }: Player) => isFused(run, now);

function purse(patch: Partial<Purse> = {}): Purse {
  const none = { dayLimitUsd: null, projectLimitUsd: null };
  return { dayUsd: 0, dayEndsAt: midnight, projectUsd: 10, ...none, ...patch };
}

describe('a run that the day’s limit holds', () => {
  const held = () => Player.start(flow, { purse: purse({ dayLimitUsd: 2 }) }).settle(paid);

  it('stands, and "continue" shows the card, as long as the day lasts', () => {
    const player = held().go();
    expect([player.live, player.asks, player.run.pauseReason]).toEqual([null, ['fuse'], 'budget']);
    expect(player.replies).toMatchObject([{ type: 'shown', interactions: [{ kind: 'budget' }] }]);
  });

  it('goes on at "continue" once the day is over, and its card is asked no more', () => {
    const player = held();
    player.now = midnight;
    player.go();
    expect([player.live, player.asks, player.run.status]).toEqual(['/b', [], 'running']);
    expect(player.notices).toContainEqual(
      expect.objectContaining({ type: 'decided', interaction: expect.objectContaining({ state: 'superseded' }) }),
    );
  });

  it('goes on when it is woken after the day, and not when it is woken before', () => {
    const wake = { type: 'chain_resumed', retryFailed: false } as const;
    const player = held().do(wake);
    expect([player.live, player.asks, isFusedRun(player)]).toEqual([null, ['fuse'], true]);
    player.now = midnight;
    expect(isFusedRun(player)).toBe(false);
    expect([player.do(wake).live, player.asks]).toEqual(['/b', []]);
  });

  it('goes on in the story that the limit held, whichever chain is woken', () => {
    const stories = workflow([loop('stories', [def('impl'), def('verify')])]);
    const player = Player.start(stories, { items: [item('US-1')], purse: purse({ dayLimitUsd: 2 }) }).settle(paid);
    player.now = midnight;
    expect(player.do({ type: 'chain_resumed', retryFailed: false }).live).toBe('US-1/verify');
  });

  it('stays where a person said stop, until a person says go', () => {
    const player = held().do({ type: 'pause' });
    player.now = midnight;
    player.do({ type: 'chain_resumed', retryFailed: false });
    expect([player.live, player.asks, player.run.pauseReason]).toEqual([null, [], 'user']);
    expect(player.go().live).toBe('/b');
  });

  it('spends the go that it had, at level semi', () => {
    const player = Player.start(flow, { level: 'semi', purse: purse({ dayLimitUsd: 2 }) })
      .settle(paid)
      .go();
    expect(player.asks).toEqual(['fuse']);
    player.now = midnight;
    player.do({ type: 'chain_resumed', retryFailed: false });
    expect([player.live, player.run.credit]).toEqual(['/b', 0]);
  });
});

describe('dispatches that are used up', () => {
  it('are still used up on another day', () => {
    const few = workflow([def('a'), def('b')], { limits: { ...flow.limits, dispatches: 1 } });
    const player = Player.start(few, { purse: purse({ dayLimitUsd: 5 }) }).settle(paid);
    const [card] = player.open;
    player.now = midnight;
    expect([player.go().live, player.open]).toEqual([null, [card]]);
  });
});

describe('what a person adds', () => {
  it.each([
    ['the run’s own limit, where it holds', { budgetUsd: 2 }, { usd: 7 }, { budgetUsd: 7 }],
    ['the day’s, where it holds', { purse: purse({ dayLimitUsd: 2 }) }, { usd: 7, scope: 'day' }, { budgetUsd: null }],
    [
      'the project’s, where it holds',
      { purse: purse({ projectLimitUsd: 11 }) },
      { usd: 16, scope: 'project' },
      { purse: { projectLimitUsd: 16, dayLimitUsd: null, projectUsd: 12 } },
    ],
    [
      'the run’s own, where nothing holds',
      { purse: purse({ dayLimitUsd: 50 }) },
      { usd: 7 },
      { budgetUsd: 7, purse: { dayLimitUsd: 50 } },
    ],
    ['the first that holds', { budgetUsd: 1, purse: purse({ dayLimitUsd: 9 }) }, { usd: 6 }, { budgetUsd: 6 }],
  ])('goes to %s', (_name, options, reply, run) => {
    const player = Player.start(flow, options).settle(paid).do({ type: 'budget', addUsd: 5 });
    expect(player.replies).toEqual([{ type: 'budget', ...reply }]);
    expect(player.run).toMatchObject(run);
    expect([player.live, player.asks]).toEqual(['/b', []]);
  });

  it('is asked for again by the next limit that holds', () => {
    const player = Player.start(flow, { budgetUsd: 1, purse: purse({ dayLimitUsd: 1 }) }).settle(paid);
    player.do({ type: 'budget', addUsd: 5 });
    expect(player.open).toMatchObject([{ text: expect.stringContaining('The budget of the day, $1.00') }]);
    expect(player.do({ type: 'budget', addUsd: 5 }).live).toBe('/b');
  });

  it('takes as well, but never below nothing', () => {
    const player = Player.start(flow, { purse: purse({ dayLimitUsd: 2 }) }).settle(paid);
    player.do({ type: 'budget', addUsd: -5 });
    expect(player.run.purse?.dayLimitUsd).toBe(0);
    expect([player.live, player.asks]).toEqual([null, ['fuse']]);
  });
});
