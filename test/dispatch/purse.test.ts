// Limits of a project from its config to the run that they hold, and over midnight; the clock is handed in.

import { describe, expect, it, onTestFinished } from 'vitest';
import { findProblems } from '../../src/cli/reads/verify-run.js';
import type { ProjectConfig } from '../../src/config/index.js';
import { type AttemptEventParts, AttemptEvents } from '../../src/dispatch/attempts/attempt-events.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import { openRuntime } from '../../src/dispatch/open-runtime.js';
import type { MakePlan } from '../../src/dispatch/plans/plan.js';
import type { Runtime } from '../../src/dispatch/runtime.js';
import { costsOf } from '../../src/dispatch/spending/costs.js';
import { wakeAfterLimit } from '../../src/dispatch/spending/day-rollover.js';
import type { Envelope, Event } from '../../src/engine/index.js';
import { def, item, loop, pass, policy, workflow } from '../engine/builders.js';
import { runtimeParts } from '../runtime-parts.js';
import { configOf, creation, givenWorld, plainly, type RunOptions } from './given.js';

const flow = workflow([def('a'), def('b'), def('c')]);
const evening = new Date(2026, 2, 28, 20).getTime();
const midnight = new Date(2026, 2, 29).getTime();

interface Spender {
  readonly runtime: Runtime;
  readonly shop: ProjectConfig;
  at: number;
  begin(number: number, options?: RunOptions, isBeside?: boolean): Promise<void>;
  /** What is live begins and comes back. */
  settle(run: string, envelope?: Envelope): Promise<string>;
  /** config.yaml is saved with other limits. */
  save(budget: Partial<ProjectConfig['budget']>): void;
}

/** Without a worker: what comes back is handed in, and so is what became of the checkout. */
function given(budget: string): Spender {
  const world = givenWorld(
    'true',
    `executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }\nprojects: { shop: { root: "%ROOT%", budget: ${budget} } }\n`,
  );
  let config = configOf(world);
  let now = () => evening;
  const runtime = openRuntime({
    ...runtimeParts,
    home: world.home,
    config: () => config,
    present: plainly,
    now: () => now(),
  });
  onTestFinished(() => runtime.close());
  const submit = (event: Event) => runtime.submit(() => ({ ...emptyPlan, events: [event] }));
  const [shop] = config.projects;
  if (!shop) throw new Error('no project');
  const spender: Spender = {
    ...{ runtime, shop },
    at: evening,
    async begin(number, options = {}, isBeside = false) {
      const plan = creation(number, { workflow: flow, ...options });
      const told = { run: `r${number}`, chain: '', at: spender.at, by: 'ada' };
      const created = { ...plan.events[0], at: spender.at } as Event;
      await runtime.submit(() => ({ ...plan, events: [created] }));
      await submit(
        isBeside
          ? { ...told, type: 'start', behind: null, beside: true }
          : { ...told, type: 'continue', node: null, instruction: null, behind: null },
      );
      while ((runtime.store.run(told.run)?.ops.length ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async settle(run, envelope = pass) {
      const [live] = runtime.store.run(run)?.live ?? [];
      if (!live) throw new Error(`${run} has no live attempt`);
      const { attempt, chain } = live;
      await submit({ type: 'attempt_started', run, chain, at: spender.at, attempt, worker: 'w1' });
      await submit({ type: 'attempt_settled', run, chain, at: spender.at, attempt, envelope });
      return attempt;
    },
    save(budget) {
      const projects = config.projects.map((one) => ({ ...one, budget: { ...one.budget, ...budget } }));
      config = { ...config, projects };
    },
  };
  now = () => spender.at;
  return spender;
}

const paid = (costUsd: number): Envelope => ({ ...pass, costUsd, tokensIn: 1_000, tokensOut: 50, durationMs: 60_000 });
const asks = ({ runtime }: Spender) =>
  runtime.store.openInteractions('shop').map(({ interaction }) => interaction.subject.type);
const liveStep = ({ runtime }: Spender, run = 'r1') => runtime.store.run(run)?.live[0]?.step ?? null;
const goOn = ({ runtime, at }: Spender, run = 'r1') =>
  runtime.submit(() => ({
    ...emptyPlan,
    events: [{ type: 'continue', run, chain: '', at, by: 'ada', node: null, instruction: null, behind: null }],
  }));

const addUsd = ({ runtime, at }: Spender, usd: number) =>
  runtime.submit(() => ({
    ...emptyPlan,
    events: [{ type: 'budget', run: 'r1', chain: '', at, by: 'ada', addUsd: usd }],
  }));
const answerOpen = ({ runtime, at }: Spender, option: string) => {
  const [open] = runtime.store.openInteractions('shop');
  if (!open) throw new Error('nothing is open');
  const said = { run: open.run, chain: open.interaction.chain, at, by: 'ada', text: null, behind: null };
  return runtime.submit(() => ({
    ...emptyPlan,
    events: [{ ...said, type: 'answered', interaction: open.interaction.id, option }],
  }));
};
const abort = async (spender: Spender) => {
  const { runtime, at } = spender;
  await runtime.submit(() => ({ ...emptyPlan, events: [{ type: 'abort', run: 'r1', chain: '', at, by: 'ada' }] }));
  await answerOpen(spender, 'abort');
};

describe('the spending limits of a project', () => {
  it('add no purse to a run if none is set', async () => {
    const spender = given('{ run_usd: 50 }');
    await spender.begin(1);
    expect(spender.runtime.store.run('r1')?.purse).toBeNull();
  });

  it('start from what was already spent today and ever', async () => {
    const spender = given('{ day_usd: 5, project_usd: 100 }');
    await spender.begin(1);
    for (const costUsd of [1, 1, 1]) await spender.settle('r1', paid(costUsd));
    while (spender.runtime.store.run('r1')?.status !== 'completed')
      await new Promise((resolve) => setTimeout(resolve, 5));
    await spender.begin(2);
    expect(spender.runtime.store.run('r2')?.purse).toEqual({
      dayUsd: 3,
      dayEndsAt: midnight,
      dayLimitUsd: 5,
      projectUsd: 3,
      projectLimitUsd: 100,
    });
    await spender.settle('r2', paid(2));
    expect([liveStep(spender, 'r2'), asks(spender)]).toEqual([null, ['fuse']]);
  });

  it('include what other runs spent before a draft starts', async () => {
    const spender = given('{ day_usd: 5 }');
    const draft = creation(1, { workflow: flow });
    await spender.runtime.submit(() => draft);
    expect(spender.runtime.store.run('r1')?.purse?.dayUsd).toBe(0);
    await spender.begin(2);
    await spender.settle('r2', paid(4));
    expect(spender.runtime.store.run('r1')?.purse?.dayUsd).toBe(0);
    await goOn(spender, 'r1');
    expect(spender.runtime.store.run('r1')?.purse?.dayUsd).toBe(4);
  });

  it('per day hold a run until midnight, when it resumes by itself', async () => {
    const spender = given('{ day_usd: 2 }');
    const { runtime } = spender;
    await spender.begin(1);
    await spender.settle('r1', paid(2));
    await goOn(spender);
    await wakeAfterLimit(runtime);
    expect([liveStep(spender), asks(spender), runtime.store.run('r1')?.pauseReason]).toEqual([
      null,
      ['fuse'],
      'budget',
    ]);
    const events = runtime.store.events('r1', 0, 100).length;
    spender.at = midnight - 1;
    await wakeAfterLimit(runtime);
    expect(runtime.store.events('r1', 0, 100)).toHaveLength(events);
    spender.at = midnight;
    await wakeAfterLimit(runtime);
    expect([liveStep(spender), asks(spender)]).toEqual(['b', []]);
    await spender.settle('r1', paid(0.5));
    expect(runtime.store.run('r1')?.purse).toMatchObject({ dayUsd: 0.5 });
  });

  it('per day no longer hold a run that is continued after midnight', async () => {
    const spender = given('{ day_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(2));
    spender.at = midnight + 60_000;
    await goOn(spender);
    expect([liveStep(spender), asks(spender)]).toEqual(['b', []]);
  });

  it('per project still hold a run on the next day', async () => {
    const spender = given('{ project_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(2));
    spender.at = midnight + 60_000;
    await wakeAfterLimit(spender.runtime);
    await goOn(spender);
    expect([liveStep(spender), asks(spender)]).toEqual([null, ['fuse']]);
  });
});

describe('a limit that is edited in config.yaml while a run is live', () => {
  it.each([
    ['run_usd', { runUsd: 5 }],
    ['day_usd', { dayUsd: 5 }],
    ['project_usd', { projectUsd: 5 }],
  ])('holds the run before its next step when it is lowered: %s', async (_key, budget) => {
    const spender = given('{}');
    await spender.begin(1);
    await spender.settle('r1', paid(4));
    expect([liveStep(spender), asks(spender)]).toEqual(['b', []]);
    spender.save(budget);
    await spender.settle('r1', paid(4));
    expect([liveStep(spender), asks(spender)]).toEqual([null, ['fuse']]);
  });

  it.each([
    ['run_usd', '{ run_usd: 2 }', { runUsd: 5 }],
    ['day_usd', '{ day_usd: 2 }', { dayUsd: 5 }],
    ['project_usd', '{ project_usd: 2 }', { projectUsd: null }],
  ])('releases a run that waits at its limit card when it is raised: %s', async (_key, before, raisedTo) => {
    const spender = given(before);
    await spender.begin(1);
    await spender.settle('r1', paid(3));
    await wakeAfterLimit(spender.runtime);
    expect([liveStep(spender), asks(spender)]).toEqual([null, ['fuse']]);
    spender.save(raisedTo);
    await wakeAfterLimit(spender.runtime);
    expect([liveStep(spender), asks(spender)]).toEqual(['b', []]);
  });

  it('is recorded once, and a card that still holds stays open', async () => {
    const spender = given('{ day_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(3));
    spender.save({ dayUsd: 2.5 });
    for (const _twice of [1, 2]) await wakeAfterLimit(spender.runtime);
    expect([liveStep(spender), asks(spender)]).toEqual([null, ['fuse']]);
    const events = spender.runtime.store.events('r1', 0, 100).map(({ event }) => event.type);
    expect(events.filter((type) => type === 'limits_read')).toHaveLength(1);
    expect(events.filter((type) => type === 'chain_resumed')).toHaveLength(1);
  });

  it.each([
    ['"Allow more"', async (spender: Spender) => answerOpen(spender, 'more'), 10 + 3],
    ['"budget +5"', async (spender: Spender) => addUsd(spender, 5), 10 + 5],
  ])('keeps the amount that %s had added to it', async (_name, add, limitUsd) => {
    const spender = given('{ run_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(3));
    await add(spender);
    spender.save({ runUsd: 10 });
    await goOn(spender);
    expect(spender.runtime.store.run('r1')?.budgetUsd).toBe(limitUsd);
  });

  it('is removed when config.yaml no longer sets it, even if a person had added to it', async () => {
    const spender = given('{ run_usd: 2, day_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(3));
    await addUsd(spender, 5);
    spender.save({ runUsd: null, dayUsd: null });
    await goOn(spender);
    expect(spender.runtime.store.run('r1')).toMatchObject({ budgetUsd: null, purse: null });
    expect([liveStep(spender), asks(spender)]).toEqual(['b', []]);
  });

  it('is not applied to a run that is over', async () => {
    const spender = given('{}');
    await spender.begin(1);
    await abort(spender);
    spender.save({ runUsd: 1 });
    await goOn(spender);
    const events = spender.runtime.store.events('r1', 0, 100).map(({ event }) => event.type);
    expect([events.includes('abort'), events.includes('limits_read')]).toEqual([true, false]);
  });
});

describe('a daily limit', () => {
  const berlin = (text: string) => new Date(`${text}${text < '2026-10-25T03' ? '+02:00' : '+01:00'}`).getTime();

  it('that a person raised is back at its configured value on the next day', async () => {
    const spender = given('{ day_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(3));
    await answerOpen(spender, 'more');
    expect([liveStep(spender), spender.runtime.store.run('r1')?.purse?.dayLimitUsd]).toEqual(['b', 5]);
    spender.at = midnight;
    await spender.settle('r1', paid(3));
    expect([liveStep(spender), asks(spender)]).toEqual([null, ['fuse']]);
    expect(spender.runtime.store.run('r1')?.purse).toMatchObject({ dayLimitUsd: 2, dayUsd: 3 });
  });

  it('resets at midnight of its time zone, even on a 25-hour day', async () => {
    const spender = given('{ day_usd: 20, zone: Europe/Berlin }');
    spender.at = berlin('2026-10-24T12:00');
    await spender.begin(1);
    await spender.settle('r1', paid(1));
    const purse = () => spender.runtime.store.run('r1')?.purse;
    expect(purse()?.dayEndsAt).toBe(berlin('2026-10-25T00:00'));
    spender.at = berlin('2026-10-25T23:30');
    await spender.settle('r1', paid(2));
    expect(purse()).toMatchObject({ dayUsd: 2, dayEndsAt: berlin('2026-10-26T00:00') });
    expect(spender.runtime.store.spending('shop', spender.at, 'Europe/Berlin').today.usd).toBe(2);
  });
});

describe('the cost of a late result', () => {
  const lost: Envelope = { ...pass, killed: 'interrupted', isUnpriced: true };
  const late = ({ runtime, at }: Spender, attempt: string, envelope: Envelope) =>
    runtime.submit(() => ({
      ...emptyPlan,
      events: [{ type: 'attempt_settled', run: 'r1', chain: '', at, attempt, envelope }],
    }));
  const sums = ({ runtime, at }: Spender) => {
    const run = runtime.store.run('r1');
    return [run?.costUsd, run?.purse?.dayUsd, runtime.store.spending('shop', at).today.usd, run?.tokensIn];
  };

  it('is counted once in its run, its project and its step, even if it arrives twice', async () => {
    const spender = given('{ day_usd: 50 }');
    await spender.begin(1);
    const attempt = await spender.settle('r1', lost);
    expect(spender.runtime.store.run('r1')?.unpriced).toBe(1);
    await late(spender, attempt, paid(4.5));
    await late(spender, attempt, paid(4.5));
    expect(sums(spender)).toEqual([4.5, 4.5, 4.5, 1_000]);
    expect(spender.runtime.store.run('r1')?.unpriced).toBe(0);
    expect(spender.runtime.store.attempt(attempt)?.attempt).toMatchObject({ costUsd: 4.5, outcome: 'crashed' });
    expect(spender.runtime.store.costsOfRun('r1')).toMatchObject([{ costUsd: 4.5 }]);
  });

  it('is counted once if everything arrives in one flush', async () => {
    const spender = given('{ day_usd: 50 }');
    await spender.begin(1);
    const [live] = spender.runtime.store.run('r1')?.live ?? [];
    const attempt = live?.attempt ?? '';
    await Promise.all([lost, paid(4.5), paid(4.5)].map((envelope) => late(spender, attempt, envelope)));
    expect(sums(spender)).toEqual([4.5, 4.5, 4.5, 1_000]);
  });

  it('is counted once if its step has been retried meanwhile', async () => {
    const spender = given('{ day_usd: 50 }');
    await spender.begin(1);
    const attempt = await spender.settle('r1', lost);
    await spender.settle('r1', paid(1));
    await Promise.all([1, 2].map(() => late(spender, attempt, paid(4.5))));
    await late(spender, attempt, paid(4.5));
    expect(sums(spender)).toEqual([5.5, 5.5, 5.5, 2_000]);
    expect(spender.runtime.store.costsOfRun('r1')).toMatchObject([{ attempts: 2, costUsd: 5.5 }, { attempts: 1 }]);
    expect(findProblems(spender.runtime.store, 'r1')).toEqual([]);
  });

  it('is counted once in the project’s totals if the result replaces a timeout', async () => {
    const spender = given('{ day_usd: 50 }');
    const flow = workflow([def('a', { onTimeout: 'ask' }), def('b')], policy({ adoptLate: true }));
    await spender.begin(1, { workflow: flow });
    const attempt = await spender.settle('r1', { ...paid(2), killed: 'timeout' });
    await late(spender, attempt, paid(4.5));
    expect(spender.runtime.store.attempt(attempt)?.attempt).toMatchObject({ outcome: 'pass', costUsd: 4.5 });
    expect(sums(spender)).toEqual([4.5, 4.5, 4.5, 1_000]);
  });

  it('reaches its run through the queue only once the attempt has been settled', async () => {
    const spender = given('{ day_usd: 50 }');
    await spender.begin(1);
    const { runtime } = spender;
    const parts = { store: runtime.store, now: () => spender.at, keep: (work: MakePlan) => runtime.submit(work) };
    const events = new AttemptEvents(parts as unknown as AttemptEventParts);
    onTestFinished(() => events.close());
    const [live] = runtime.store.run('r1')?.live ?? [];
    const attempt = live?.attempt ?? '';
    await events.late(attempt, paid(4.5));
    expect([runtime.store.attempt(attempt)?.attempt.state, ...sums(spender)]).toEqual(['queued', 0, 0, 0, 0]);
    await spender.settle('r1', lost);
    await events.late(attempt, paid(4.5));
    expect(sums(spender)).toEqual([4.5, 4.5, 4.5, 1_000]);
  });

  it('stops its run if it reaches the limit', async () => {
    const spender = given('{ run_usd: 4 }');
    await spender.begin(1);
    const attempt = await spender.settle('r1', lost);
    await late(spender, attempt, paid(4.5));
    await spender.settle('r1', paid(0.5));
    expect([liveStep(spender), asks(spender)]).toEqual([null, ['fuse']]);
  });

  it('counts against the next run’s daily limit if its own run was aborted', async () => {
    const spender = given('{ day_usd: 5 }');
    await spender.begin(1);
    const [live] = spender.runtime.store.run('r1')?.live ?? [];
    await abort(spender);
    await spender.begin(2);
    expect(spender.runtime.store.run('r2')?.purse?.dayUsd).toBe(0);
    await late(spender, live?.attempt ?? '', { ...paid(4.5), killed: 'cancel' });
    expect(spender.runtime.store.run('r1')?.costUsd).toBe(4.5);
    expect(spender.runtime.store.run('r2')?.purse?.dayUsd).toBe(4.5);
    await spender.settle('r2', paid(0.5));
    expect([liveStep(spender, 'r2'), asks(spender)]).toEqual([null, ['fuse']]);
  });
});

describe('two runs of a project beside each other', () => {
  it('spend the same money: a paid attempt counts against the limits of the other run at once', async () => {
    const spender = given('{ day_usd: 5 }');
    await spender.begin(1);
    await spender.begin(2, {}, true);
    expect(liveStep(spender, 'r2')).toBe('a');
    await spender.settle('r1', paid(4));
    expect(spender.runtime.store.run('r2')?.purse?.dayUsd).toBe(4);
  });
});

describe('the cost report of a run', () => {
  it('lists costs by item and node over all attempts, with the totals of its project', async () => {
    const spender = given('{ run_usd: 50 }');
    const stories = workflow([def('plan'), loop('stories', [def('impl')])]);
    await spender.begin(1, { workflow: stories, items: [item('US-1')] });
    await spender.settle('r1', paid(0.5));
    await spender.settle('r1', { ...paid(0.25), output: { ...pass.output, keys: { STATUS: 'failing' } } });
    await spender.settle('r1', { ...pass, durationMs: 30_000 });
    const { runtime, shop } = spender;
    const { run, project } = costsOf(runtime.store, shop, runtime.store.run('r1'), spender.at);
    const told = { costUsd: 0.25, attempts: 2, durationMs: 90_000, tokensIn: 1_000, tokensOut: 50 };
    expect(run?.items).toMatchObject([
      { key: '', costUsd: 0.5, attempts: 1, nodes: [{ template: 'plan', attempts: 1, costUsd: 0.5 }] },
      { key: 'US-1', ...told, nodes: [{ template: 'impl', ...told }] },
    ]);
    expect([project.today, project.ever]).toEqual(Array(2).fill({ usd: 0.75, tokensIn: 2_000, tokensOut: 100 }));
  });

  it('counts an attempt once for its project even if it is settled twice', async () => {
    const spender = given('{ run_usd: 50 }');
    await spender.begin(1);
    const [live] = spender.runtime.store.run('r1')?.live ?? [];
    await spender.settle('r1', paid(1));
    const told = { run: 'r1', chain: '', at: spender.at, attempt: live?.attempt ?? '', envelope: paid(1) };
    await spender.runtime.submit(() => ({ ...emptyPlan, events: [{ ...told, type: 'attempt_settled' }] }));
    expect(spender.runtime.store.spending('shop', spender.at).ever.usd).toBe(1);
    expect(spender.runtime.store.run('r1')?.costUsd).toBe(1);
  });
});
