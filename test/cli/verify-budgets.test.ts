import { describe, expect, it } from 'vitest';
import { budgetProblems } from '../../src/cli/reads/verify-budgets.js';
import { checkWorkflow } from '../../src/config/index.js';
import { type Event, fold, type Node, type World } from '../../src/engine/index.js';

const where = { root: null, cwd: '/', home: null, opens: 'any' } as const;

/** A run of micro-waterfall with one story, whose first step was dispatched. */
function begun(): World {
  const loaded = checkWorkflow('micro-waterfall', where);
  if (!loaded.ok) throw new Error('the shipped workflow is in order');
  const base = { run: 'r1', chain: '', at: 0, by: 'ada' };
  const item = { key: 'US-1', title: 'One', description: '', criteria: [], dependsOn: [] };
  const created: Event = {
    ...{ ...base, type: 'run_created', number: 1, home: 'h', project: 'shop', workflow: 'micro-waterfall' },
    ...{ snapshot: 's', task: 'US-1', items: [item], context: {}, level: 'auto', afterStory: 'propose' },
    ...{ budgetUsd: null, propose: false },
  };
  const events: Event[] = [created, { ...base, type: 'start', behind: null }];
  const op = fold(events, loaded.workflow).state?.run.ops[0];
  if (op) {
    const result = { ok: true as const, note: null, diffStat: null, commit: null, stash: null };
    events.push({ run: 'r1', chain: '', at: 0, type: 'workspace_done', op: op.id, result });
  }
  events.push({ run: 'r1', chain: 'US-1', at: 0, type: 'item_opened' });
  return fold(events, loaded.workflow);
}

const world = begun();

function withRun(change: (run: NonNullable<World['state']>['run']) => object): World {
  const { state } = world;
  if (state === null) throw new Error('there is a run');
  return { ...world, state: { ...state, run: { ...state.run, ...change(state.run) } } };
}

function withChain(change: {
  readonly edges?: Readonly<Record<string, number>>;
  readonly node?: Partial<Node>;
}): World {
  const chain = world.chains.get('US-1');
  if (!chain) throw new Error('there is a story');
  const { edges = chain.edges, node = {} } = change;
  const nodes = chain.nodes.map((one) => (one.template === 'impl' ? { ...one, ...node } : one));
  return { ...world, chains: new Map(world.chains).set('US-1', { ...chain, edges, nodes }) };
}

describe('the check of a run’s limits', () => {
  it('passes for a run that has just begun', () => {
    expect(world.state?.run.counters.dispatches).toBe(1);
    expect(budgetProblems(world, 0)).toEqual([]);
  });

  it.each<[string, World, RegExp]>([
    [
      'more dispatches than allowed',
      withRun(() => ({ dispatchLimit: 0 })),
      /^the run: 1 dispatches, over its limit of 0$/,
    ],
    [
      'dispatches that were not counted',
      withRun(({ counters }) => ({ counters: { ...counters, dispatches: 0 } })),
      /its nodes count 1$/,
    ],
    ['more attempts than allowed', withChain({ node: { attempt: 6 } }), /^node US-1 step-006: attempt 6 of 5$/],
    [
      'more ways back than allowed',
      withChain({ edges: { 'verify>impl': 9 } }),
      /^US-1 from verify back to impl: 9 of 1 loops$/,
    ],
  ])('fails for %s', (_what, broken, says) => {
    expect(budgetProblems(broken, 0)).toEqual([expect.stringMatching(says)]);
  });

  it('ignores attempts that a person’s own agent reported', () => {
    expect(
      budgetProblems(
        withRun(() => ({ dispatchLimit: 0 })),
        1,
      ),
    ).toEqual([]);
  });

  it('does not count how often a person sends work back', () => {
    expect(budgetProblems(withChain({ edges: { 'review>bdd': 9 } }), 0)).toEqual([]);
  });

  it('fails for too many rejections of an item', () => {
    const { state } = world;
    if (state === null) throw new Error('there is a run');
    const items = state.items.map((item) => ({ ...item, rejections: 50 }));
    expect(budgetProblems({ ...world, state: { ...state, items } }, 0)).toEqual([
      expect.stringMatching(/^item US-1: 50 rejections of \d+$/),
    ]);
  });
});
