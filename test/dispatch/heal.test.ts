// What a run waits for and nobody does is taken up, and nothing is done twice at a time.
import { describe, expect, it } from 'vitest';
import { Checkouts, type CheckoutsParts } from '../../src/dispatch/checkouts/checkout-queue.js';
import { heal } from '../../src/dispatch/health/heal.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { MakePlan, Submitted } from '../../src/dispatch/plans/plan.js';
import type { Event, WorkspaceOp, WorkspaceResult } from '../../src/engine/index.js';
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

  it('offers a branch for merging that a death kept from being offered, once, and performs an answered merge', async () => {
    const bench = givenBench();
    await begun(bench, 1);
    await bench.dispatcher.submit(() => creation(2));
    const events = (...given: readonly Event[]) => bench.dispatcher.submit(() => ({ ...emptyPlan, events: given }));
    const about = { run: 'r2', chain: '', at: 3 } as const;
    const done = { ok: true, note: null, diffStat: null, commit: null, stash: null } as const;
    const op = () => bench.store.run('r2')?.ops[0];
    const work = (more: Partial<Extract<WorkspaceResult, { ok: true }>> = {}) =>
      events({ ...about, type: 'workspace_done', op: op()?.id ?? '', result: { ...done, ...more } });
    await events({ ...about, type: 'start', by: 'ada', behind: null, beside: true });
    await work({ branch: { name: 'bosun/r2', base: 'main', folder: '/worktrees/r2' } });
    await settle(bench, 'r2');
    await work();
    await work({ isUnlanded: true });
    await work();
    const performed: unknown[] = [];
    const submit = (plan: MakePlan) => bench.dispatcher.submit(plan);
    const performOp = (run: string, one: WorkspaceOp) => void performed.push([run, one.kind]);
    const look = () => heal({ store: bench.store, isProposed: () => false, performOp, submit });
    const asked = () => bench.store.openInteractions('shop').map(({ interaction }) => interaction.id);
    await look();
    expect([bench.store.run('r2')?.status, bench.store.run('r2')?.unlanded, asked()]).toEqual([
      'completed',
      'waits',
      [],
    ]);
    await settle(bench, 'r1');
    await worked(bench, 'r1');
    await look();
    await look();
    expect(asked()).toEqual(['i2-1']);
    const given = { option: 'merge', text: null, behind: null } as const;
    await events({ ...about, type: 'answered', by: 'ada', interaction: 'i2-1', ...given });
    await look();
    expect([performed, asked()]).toEqual([[['r2', 'land']], []]);
  });
});
