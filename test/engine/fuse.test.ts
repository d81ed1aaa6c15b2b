// A limit that holds, the day that ends it, and what a person adds to it.
import { describe, expect, it } from 'vitest';
import { isCostKnown, isStoppedByLimit, type Spending } from '../../src/engine/index.js';
import { def, envelope, item, loop, Player, pass, workflow } from './builders.js';

const flow = workflow([def('a'), def('b'), def('c')]);
const paid = envelope({ ...pass, costUsd: 2 });
const midnight = 100_000;
const isFusedRun = ({ run, now }: Player) => isStoppedByLimit(run, now);

function purse(patch: Partial<Spending> = {}): Spending {
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

describe('limits that are read again', () => {
  const read = (runUsd: number | null, more: Partial<Spending> | null = null) => {
    return { type: 'limits_read', runUsd, purse: more && purse(more) } as const;
  };

  it.each([
    ['hold where they are lowered', { budgetUsd: 9 }, read(2), [null, ['fuse']]],
    ['hold no more where they are raised', { budgetUsd: 2 }, read(9), ['/b', []]],
    ['hold no more where there are none now', { budgetUsd: 2 }, read(null), ['/b', []]],
    ['hold a run that had none', {}, read(null, { dayLimitUsd: 2, dayUsd: 2 }), [null, ['fuse']]],
    ['free a run of the day’s', { purse: purse({ dayLimitUsd: 2 }) }, read(null), ['/b', []]],
  ] as const)('%s', (_name, options, event, expected) => {
    const player = Player.start(flow, options);
    const isHeld = 'budgetUsd' in options ? options.budgetUsd === 2 : 'purse' in options;
    // Before the step comes back where nothing holds yet, after it where something does.
    if (isHeld) player.settle(paid).do(event);
    else player.do(event).settle(paid);
    expect([player.live, player.asks]).toEqual(expected);
  });

  it('keep what a person added on top, for the day’s only until it ends', () => {
    const limits = { dayLimitUsd: 2, projectLimitUsd: 90 };
    const player = Player.start(flow, { budgetUsd: 50, purse: purse(limits) }).do(read(50, limits));
    player.settle(paid).do({ type: 'budget', addUsd: 5 });
    expect(player.run.purse?.dayLimitUsd).toBe(7);
    player.do(read(60, { dayLimitUsd: 3, projectLimitUsd: 80 }));
    expect([player.run.budgetUsd, player.run.purse]).toMatchObject([60, { dayLimitUsd: 8, projectLimitUsd: 80 }]);
    player.now = midnight;
    player.do(read(60, { dayLimitUsd: 3, dayEndsAt: 2 * midnight, projectLimitUsd: 80 }));
    expect(player.run.purse).toMatchObject({ dayLimitUsd: 3, dayEndsAt: 2 * midnight });
  });

  it('give way to the workflow’s own limit where config.yaml sets none', () => {
    const dear = workflow([def('a'), def('b')], { limits: { ...flow.limits, costUsd: 2 } });
    const player = Player.start(dear, { budgetUsd: 9 }).do(read(null)).settle(paid);
    expect([player.run.budgetUsd, player.asks]).toEqual([2, ['fuse']]);
  });
});

describe('a cost that comes late', () => {
  const bill = { tokensIn: 10, tokensOut: 1, wasUnpriced: true } as const;

  it('is added to its run, its chain and the purse, and to the record of its attempt', () => {
    const player = Player.start(flow, { purse: purse({ dayLimitUsd: 50 }) });
    player.settle({ ...pass, isUnpriced: true });
    const attempt = player.stateOf('').chain.nodes[0]?.last?.id ?? '';
    expect([player.run.unpriced, isCostKnown(player.run)]).toEqual([1, false]);
    player.do({ type: 'paid_late', attempt, costUsd: 4, ...bill });
    expect(player.run).toMatchObject({ costUsd: 4, tokensIn: 10, unpriced: 0, purse: { dayUsd: 4 } });
    expect(player.stateOf('').chain).toMatchObject({ costUsd: 4, unpriced: 0 });
    expect(player.stateOf('').chain.nodes[0]?.last).toMatchObject({ costUsd: 4, isUnpriced: false });
    expect(isCostKnown(player.run)).toBe(true);
  });

  it('stays unknown where only tokens are told, and counts for an attempt that is not the last', () => {
    const player = Player.start(flow, {}).settle({ ...pass, isUnpriced: true });
    player.do({ type: 'paid_late', attempt: 'h-r12-_-step-009-g1-d1', costUsd: null, ...bill });
    expect(player.run).toMatchObject({ costUsd: 0, tokensIn: 10, unpriced: 1 });
    player.do({ type: 'paid_late', attempt: 'h-r12-_-step-009-g1-d1', costUsd: 1, ...bill, wasUnpriced: false });
    expect(player.run).toMatchObject({ costUsd: 1, unpriced: 1 });
  });

  it('leaves an attempt priced that its run does not count as unpriced', () => {
    const player = Player.start(flow, {}).settle(pass);
    const attempt = player.stateOf('').chain.nodes[0]?.last?.id ?? '';
    player.do({ type: 'paid_late', attempt, costUsd: null, ...bill, wasUnpriced: false });
    expect(player.stateOf('').chain.nodes[0]?.last).toMatchObject({ tokensIn: 10, isUnpriced: false });
    expect(isCostKnown(player.run)).toBe(true);
  });
});
