// What a run waits for and nobody does is taken up, and nothing is done twice at a time.
import { describe, expect, it } from 'vitest';
import { Checkouts, type CheckoutsParts } from '../../src/dispatch/checkouts/checkout-queue.js';
import { heal } from '../../src/dispatch/health/heal.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { MakePlan, Submitted } from '../../src/dispatch/plans/plan.js';
import { begun, creation, givenBench, settle, starting, worked } from './given.js';

const nothing: Submitted = { ignored: [], replies: [], messages: [], exit: 0 };

describe('the periodic repair', () => {
  it('performs a committed checkout operation that was never begun, exactly once', async () => {
    const bench = givenBench();
    const plan = creation(1);
    await bench.dispatcher.submit(() => ({ ...plan, events: [...plan.events, starting('r1')] }));
    const [op] = bench.store.run('r1')?.ops ?? [];
    const done: unknown[] = [];
    let release: () => void = () => undefined;
    const stored = new Promise<Submitted>((resolve) => {
      release = () => resolve(nothing);
    });
    const keep = (work: MakePlan) => {
      const at = { at: 1 };
      done.push(...work(at as never).events);
      return stored;
    };
    const rested: boolean[] = [];
    const parts = {
      ...{ store: bench.store, cache: bench.cache, worktrees: '/worktrees', keep, log: () => undefined },
      config: () => ({ projects: [] }),
      onRest: () => void rested.push(checkouts.isBusy('shop')),
    };
    const checkouts = new Checkouts(parts as unknown as CheckoutsParts);
    const submit = (work: MakePlan) => bench.dispatcher.submit(work);
    const look = () =>
      heal({
        store: bench.store,
        submit,
        isProposed: () => false,
        performOp: (run, one) => checkouts.perform(run, one),
      });
    await look();
    await look();
    await expect.poll(() => done).toHaveLength(1);
    await look();
    // Its result waits for the database: nothing is at rest, and nothing is done again.
    expect(checkouts.isBusy('shop')).toBe(true);
    expect(done).toMatchObject([{ type: 'workspace_done', run: 'r1', op: op?.id }]);
    await worked(bench, 'r1');
    release();
    await checkouts.drain();
    expect(rested[0]).toBe(false);
    await look();
    expect(done).toHaveLength(1);
  });

  it('starts the oldest approved draft, and only that one, once no run is live', async () => {
    const bench = givenBench();
    await begun(bench, 1);
    for (const number of [2, 3, 4]) await bench.dispatcher.submit(() => creation(number, { propose: true }));
    for (const number of [4, 3])
      await bench.dispatcher.submit(() => ({ ...emptyPlan, events: [starting(`r${number}`, 2, 'r1')] }));
    const submit = (work: MakePlan) => bench.dispatcher.submit(work);
    const look = () => heal({ store: bench.store, isProposed: () => false, performOp: () => undefined, submit });
    const statuses = () => [1, 2, 3, 4].map((number) => bench.store.run(`r${number}`)?.status);
    await look();
    expect(statuses()).toEqual(['running', 'draft', 'draft', 'draft']);
    await settle(bench, 'r1');
    await worked(bench, 'r1');
    expect(statuses()[0]).toBe('completed');
    await heal({ store: bench.store, isProposed: () => true, performOp: () => undefined, submit });
    expect(statuses()).toEqual(['completed', 'draft', 'draft', 'draft']);
    await look();
    await look();
    expect(statuses()).toEqual(['completed', 'draft', 'running', 'draft']);
  });
});
