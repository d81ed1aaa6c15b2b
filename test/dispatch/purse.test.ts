// Limits of a project from its config to the run that they hold, and over midnight; the clock is handed in.
import { describe, expect, it, onTestFinished } from 'vitest';
import { costsOf } from '../../src/dispatch/costs.js';
import { wakeAfterLimit } from '../../src/dispatch/new-day.js';
import { openRoom } from '../../src/dispatch/open-room.js';
import type { Room } from '../../src/dispatch/room.js';
import type { Envelope, Event } from '../../src/engine/index.js';
import { def, item, loop, pass, workflow } from '../engine/builders.js';
import { configOf, creation, givenWorld, plainly, type RunOptions } from './given.js';

const flow = workflow([def('a'), def('b'), def('c')]);
const evening = new Date(2026, 2, 28, 20).getTime();
const midnight = new Date(2026, 2, 29).getTime();

interface Spender {
  readonly room: Room;
  at: number;
  begin(number: number, options?: RunOptions): Promise<void>;
  /** What is live begins and comes back. */
  settle(run: string, envelope?: Envelope): Promise<void>;
}

/** Without a worker: what comes back is handed in, and so is what became of the checkout. */
function given(budget: string): Spender {
  const world = givenWorld(
    'true',
    `executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }\nprojects: { shop: { root: "%ROOT%", budget: ${budget} } }\n`,
  );
  const config = configOf(world);
  let now = () => evening;
  const room = openRoom({ home: world.home, config: () => config, present: plainly, now: () => now() });
  onTestFinished(() => room.close());
  const submit = (event: Event) => room.submit(() => ({ events: [event] }));
  const spender: Spender = {
    room,
    at: evening,
    async begin(number, options = {}) {
      const plan = creation(number, { workflow: flow, ...options });
      const told = { run: `r${number}`, chain: '', at: spender.at, by: 'ada' };
      const created = { ...plan.events[0], at: spender.at } as Event;
      await room.submit(() => ({ ...plan, events: [created] }));
      await submit({ ...told, type: 'continue', node: null, instruction: null, behind: null });
      while ((room.store.run(told.run)?.ops.length ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async settle(run, envelope = pass) {
      const [live] = room.store.run(run)?.live ?? [];
      if (!live) throw new Error(`${run} has no live attempt`);
      const { attempt, chain } = live;
      await submit({ type: 'attempt_started', run, chain, at: spender.at, attempt, worker: 'w1' });
      await submit({ type: 'attempt_settled', run, chain, at: spender.at, attempt, envelope });
    },
  };
  now = () => spender.at;
  return spender;
}

const paid = (costUsd: number): Envelope => ({ ...pass, costUsd, tokensIn: 1_000, tokensOut: 50, durationMs: 60_000 });
const asks = ({ room }: Spender) =>
  room.store.openInteractions('shop').map(({ interaction }) => interaction.subject.type);
const liveStep = ({ room }: Spender, run = 'r1') => room.store.run(run)?.live[0]?.step ?? null;
const goOn = ({ room, at }: Spender, run = 'r1') =>
  room.submit(() => ({
    events: [{ type: 'continue', run, chain: '', at, by: 'ada', node: null, instruction: null, behind: null }],
  }));

describe('a project’s limits', () => {
  it('are no matter where none is set', async () => {
    const spender = given('{ run_usd: 50 }');
    await spender.begin(1);
    expect(spender.room.store.run('r1')?.purse).toBeNull();
  });

  it('begin with what was spent before, and end with the day', async () => {
    const spender = given('{ day_usd: 5, project_usd: 100 }');
    await spender.begin(1);
    for (const costUsd of [1, 1, 1]) await spender.settle('r1', paid(costUsd));
    while (spender.room.store.run('r1')?.status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 5));
    await spender.begin(2);
    expect(spender.room.store.run('r2')?.purse).toEqual({
      dayUsd: 3,
      dayEndsAt: midnight,
      dayLimitUsd: 5,
      projectUsd: 3,
      projectLimitUsd: 100,
    });
    await spender.settle('r2', paid(2));
    expect([liveStep(spender, 'r2'), asks(spender)]).toEqual([null, ['fuse']]);
  });

  it('count for a draft what others spent until it begins', async () => {
    const spender = given('{ day_usd: 5 }');
    const draft = creation(1, { workflow: flow });
    await spender.room.submit(() => draft);
    expect(spender.room.store.run('r1')?.purse?.dayUsd).toBe(0);
    await spender.begin(2);
    await spender.settle('r2', paid(4));
    expect(spender.room.store.run('r1')?.purse?.dayUsd).toBe(0);
    await goOn(spender, 'r1');
    expect(spender.room.store.run('r1')?.purse?.dayUsd).toBe(4);
  });

  it('of the day hold a run until midnight, and then it goes on by itself', async () => {
    const spender = given('{ day_usd: 2 }');
    const { room } = spender;
    await spender.begin(1);
    await spender.settle('r1', paid(2));
    await goOn(spender);
    await wakeAfterLimit(room);
    expect([liveStep(spender), asks(spender), room.store.run('r1')?.pauseReason]).toEqual([null, ['fuse'], 'budget']);
    const events = room.store.events('r1', 0, 100).length;
    spender.at = midnight - 1;
    await wakeAfterLimit(room);
    expect(room.store.events('r1', 0, 100)).toHaveLength(events);
    spender.at = midnight;
    await wakeAfterLimit(room);
    expect([liveStep(spender), asks(spender)]).toEqual(['b', []]);
    await spender.settle('r1', paid(0.5));
    expect(room.store.run('r1')?.purse).toMatchObject({ dayUsd: 0.5 });
  });

  it('of the day hold a run no more at "continue" after midnight', async () => {
    const spender = given('{ day_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(2));
    spender.at = midnight + 60_000;
    await goOn(spender);
    expect([liveStep(spender), asks(spender)]).toEqual(['b', []]);
  });

  it('of the project hold it on the next day as well', async () => {
    const spender = given('{ project_usd: 2 }');
    await spender.begin(1);
    await spender.settle('r1', paid(2));
    spender.at = midnight + 60_000;
    await wakeAfterLimit(spender.room);
    await goOn(spender);
    expect([liveStep(spender), asks(spender)]).toEqual([null, ['fuse']]);
  });
});

describe('what a run cost', () => {
  it('is told by item and node, over all tries, with the sums of its project', async () => {
    const spender = given('{ run_usd: 50 }');
    const stories = workflow([def('plan'), loop('stories', [def('impl')])]);
    await spender.begin(1, { workflow: stories, items: [item('US-1')] });
    await spender.settle('r1', paid(0.5));
    await spender.settle('r1', { ...paid(0.25), output: { ...pass.output, keys: { STATUS: 'failing' } } });
    await spender.settle('r1', { ...pass, durationMs: 30_000 });
    const { room } = spender;
    const { run, project } = costsOf(room.store, 'shop', room.store.run('r1'), spender.at);
    const told = { costUsd: 0.25, attempts: 2, durationMs: 90_000, tokensIn: 1_000, tokensOut: 50 };
    expect(run?.items).toMatchObject([
      { key: '', costUsd: 0.5, attempts: 1, nodes: [{ template: 'plan', attempts: 1, costUsd: 0.5 }] },
      { key: 'US-1', ...told, nodes: [{ template: 'impl', ...told }] },
    ]);
    expect([project.today, project.ever]).toEqual(Array(2).fill({ usd: 0.75, tokensIn: 2_000, tokensOut: 100 }));
  });

  it('counts once for its project, though its end is told twice', async () => {
    const spender = given('{ run_usd: 50 }');
    await spender.begin(1);
    const [live] = spender.room.store.run('r1')?.live ?? [];
    await spender.settle('r1', paid(1));
    const told = { run: 'r1', chain: '', at: spender.at, attempt: live?.attempt ?? '', envelope: paid(1) };
    await spender.room.submit(() => ({ events: [{ ...told, type: 'attempt_settled' }] }));
    expect(spender.room.store.spending('shop', spender.at).ever.usd).toBe(1);
    expect(spender.room.store.run('r1')?.costUsd).toBe(1);
  });
});
