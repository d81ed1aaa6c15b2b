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

describe('a run held by the daily limit', () => {
  const held = () => Player.start(flow, { purse: purse({ dayLimitUsd: 2 }) }).settle(paid);

  it('stays held within the day, and "continue" shows its card', () => {
    const player = held().go();
    expect([player.live, player.asks, player.run.pauseReason]).toEqual([null, ['fuse'], 'budget']);
    expect(player.replies).toMatchObject([{ type: 'shown', interactions: [{ kind: 'budget' }] }]);
  });

  it('resumes at "continue" once the day is over and closes its card', () => {
    const player = held();
    player.now = midnight;
    player.go();
    expect([player.live, player.asks, player.run.status]).toEqual(['/b', [], 'running']);
    expect(player.notices).toContainEqual(
      expect.objectContaining({ type: 'decided', interaction: expect.objectContaining({ state: 'superseded' }) }),
    );
  });

  it('resumes when woken after the day ends, not before', () => {
    const wake = { type: 'chain_resumed', retryFailed: false } as const;
    const player = held().do(wake);
    expect([player.live, player.asks, isFusedRun(player)]).toEqual([null, ['fuse'], true]);
    player.now = midnight;
    expect(isFusedRun(player)).toBe(false);
    expect([player.do(wake).live, player.asks]).toEqual(['/b', []]);
  });

  it('resumes in the story that the limit held, whichever chain is woken', () => {
    const stories = workflow([loop('stories', [def('impl'), def('verify')])]);
    const player = Player.start(stories, { items: [item('US-1')], purse: purse({ dayLimitUsd: 2 }) }).settle(paid);
    player.now = midnight;
    expect(player.do({ type: 'chain_resumed', retryFailed: false }).live).toBe('US-1/verify');
  });

  it('stays paused when a person paused it, until they continue', () => {
    const player = held().do({ type: 'pause' });
    player.now = midnight;
    player.do({ type: 'chain_resumed', retryFailed: false });
    expect([player.live, player.asks, player.run.pauseReason]).toEqual([null, [], 'user']);
    expect(player.go().live).toBe('/b');
  });

  it('spends the go that it had at level semi', () => {
    const player = Player.start(flow, { level: 'semi', purse: purse({ dayLimitUsd: 2 }) })
      .settle(paid)
      .go();
    expect(player.asks).toEqual(['fuse']);
    player.now = midnight;
    player.do({ type: 'chain_resumed', retryFailed: false });
    expect([player.live, player.run.credit]).toEqual(['/b', 0]);
  });
});

describe('the limit of dispatches', () => {
  it('stays exhausted on another day', () => {
    const few = workflow([def('a'), def('b')], { limits: { ...flow.limits, dispatches: 1 } });
    const player = Player.start(few, { purse: purse({ dayLimitUsd: 5 }) }).settle(paid);
    const [card] = player.open;
    player.now = midnight;
    expect([player.go().live, player.open]).toEqual([null, [card]]);
  });
});

describe('money that a person adds', () => {
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

  it('lifts one limit, and the next one that holds asks again', () => {
    const player = Player.start(flow, { budgetUsd: 1, purse: purse({ dayLimitUsd: 1 }) }).settle(paid);
    player.do({ type: 'budget', addUsd: 5 });
    expect(player.open).toMatchObject([{ text: expect.stringContaining('of the $1.00 for the day') }]);
    expect(player.do({ type: 'budget', addUsd: 5 }).live).toBe('/b');
  });

  it('may be negative, but never lowers a limit below zero', () => {
    const player = Player.start(flow, { purse: purse({ dayLimitUsd: 2 }) }).settle(paid);
    player.do({ type: 'budget', addUsd: -5 });
    expect(player.run.purse?.dayLimitUsd).toBe(0);
    expect([player.live, player.asks]).toEqual([null, ['fuse']]);
  });
});

describe('limits read again from config.yaml', () => {
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

  it('keep what a person added, for the daily limit only until the day ends', () => {
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

  it("fall back to the workflow's own limit when config.yaml sets none", () => {
    const dear = workflow([def('a'), def('b')], { limits: { ...flow.limits, costUsd: 2 } });
    const player = Player.start(dear, { budgetUsd: 9 }).do(read(null)).settle(paid);
    expect([player.run.budgetUsd, player.asks]).toEqual([2, ['fuse']]);
  });
});

describe('a cost that arrives late', () => {
  const bill = { tokensIn: 10, tokensOut: 1, wasUnpriced: true } as const;

  it("is added to the run, its chain, the daily total and the attempt's record", () => {
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

  it('stays unknown with tokens alone, and counts for an attempt that is not the last', () => {
    const player = Player.start(flow, {}).settle({ ...pass, isUnpriced: true });
    player.do({ type: 'paid_late', attempt: 'h-r12-_-step-009-g1-d1', costUsd: null, ...bill });
    expect(player.run).toMatchObject({ costUsd: 0, tokensIn: 10, unpriced: 1 });
    player.do({ type: 'paid_late', attempt: 'h-r12-_-step-009-g1-d1', costUsd: 1, ...bill, wasUnpriced: false });
    expect(player.run).toMatchObject({ costUsd: 1, unpriced: 1 });
  });

  it('does not mark an already priced attempt as unpriced', () => {
    const player = Player.start(flow, {}).settle(pass);
    const attempt = player.stateOf('').chain.nodes[0]?.last?.id ?? '';
    player.do({ type: 'paid_late', attempt, costUsd: null, ...bill, wasUnpriced: false });
    expect(player.stateOf('').chain.nodes[0]?.last).toMatchObject({ tokensIn: 10, isUnpriced: false });
    expect(isCostKnown(player.run)).toBe(true);
  });
});
