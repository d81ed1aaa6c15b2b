import { describe, expect, it } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Plan } from '../../src/dispatch/plans/plan.js';
import { def, failing, item, loop, workflow } from '../engine/builders.js';
import {
  type Bench,
  begun,
  creation,
  givenBench,
  liveOf,
  settle,
  settlementOf,
  starting,
  startOf,
  worked,
} from './given.js';

/** Plans of one flush, one after another, each with what it saw. */
async function together<T>(
  bench: Bench,
  ...works: readonly ((
    now: Parameters<Parameters<Bench['dispatcher']['submit']>[0]>[0],
  ) => Plan | { plan: Plan; saw: T })[]
): Promise<readonly T[]> {
  const seen: T[] = [];
  const commits = bench.commits.length;
  await Promise.all(
    works.map((work) =>
      bench.dispatcher.submit((now) => {
        const made = work(now);
        if (!('plan' in made)) return made;
        seen.push(made.saw);
        return made.plan;
      }),
    ),
  );
  expect(bench.commits.length - commits).toBeLessThanOrEqual(1);
  return seen;
}

const nothing: Plan = emptyPlan;

describe('a plan in a flush', () => {
  it('sees the live run that an earlier plan started', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => ({
      ...emptyPlan,
      events: [...creation(1).events, ...creation(2).events],
      effects: creation(1).effects.filter(({ type }) => type === 'snapshot'),
    }));
    const start = (run: string) => (now: { liveRun(project: string): { readonly id: string } | null }) => {
      const behind = now.liveRun('shop')?.id ?? null;
      return { plan: { ...emptyPlan, events: [starting(run, 2, behind)] }, saw: behind };
    };
    expect(await together<string | null>(bench, start('r1'), start('r2'))).toEqual([null, 'r1']);
    expect([bench.store.run('r1')?.status, bench.store.run('r2')?.status]).toEqual(['running', 'draft']);
  });

  it('finds the failed run that blocks the next one, behind any number of drafts', async () => {
    const bench = givenBench();
    const once = workflow([def('a', { maxAttempts: 1, onExhausted: 'fail' })]);
    await begun(bench, 1, { workflow: once });
    await settle(bench, 'r1', failing);
    expect(bench.store.run('r1')?.status).toBe('failed');
    for (let number = 2; number < 30; number++) await bench.dispatcher.submit(() => creation(number));
    const seen = await together<string | undefined>(bench, (now) => ({
      plan: nothing,
      saw: now.liveRun('shop')?.id,
    }));
    expect(seen).toEqual(['r1']);
  });

  it('sees drafts that earlier plans created or started, per project', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => creation(1));
    const drafts = (project: string) => (now: { drafts(project: string): readonly { readonly id: string }[] }) => ({
      plan: nothing,
      saw: now.drafts(project).map(({ id }) => id),
    });
    const seen = await together<readonly string[]>(
      bench,
      drafts('shop'),
      () => creation(2),
      () => creation(3, { project: 'blog' }),
      drafts('shop'),
      () => ({ ...emptyPlan, events: [starting('r1')] }),
      drafts('shop'),
      drafts('blog'),
    );
    expect(seen).toEqual([['r1'], ['r1', 'r2'], ['r2'], ['r3']]);
  });

  it('sees a question that earlier plans opened or answered, even after the run has moved on', async () => {
    const bench = givenBench();
    const look =
      (id: string) =>
      (now: { interaction(id: string): { readonly interaction: { readonly state: string } } | null }) => ({
        plan: nothing,
        saw: now.interaction(id)?.interaction.state ?? null,
      });
    const asked = creation(1, { propose: true });
    const id = 'i1-1';
    const answer: Plan = {
      ...emptyPlan,
      events: [
        {
          type: 'answered',
          run: 'r1',
          chain: '',
          at: 3,
          by: 'ada',
          interaction: id,
          option: 'start',
          text: null,
          behind: null,
        },
      ],
    };
    const goOn: Plan = { ...emptyPlan, events: [{ type: 'pause', run: 'r1', chain: '', at: 4, by: 'ada' }] };
    expect(await together<string | null>(bench, look(id), () => asked, look(id))).toEqual([null, 'open']);
    expect(
      await together<string | null>(
        bench,
        look(id),
        () => answer,
        look(id),
        () => goOn,
        look(id),
      ),
    ).toEqual(['open', 'answered', 'answered']);
    expect(bench.store.interaction(id)?.interaction.state).toBe('answered');
  });

  it('sees run numbers that earlier plans took and followers that they added', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => creation(1, { threads: ['t1'] }));
    const plan = creation(2, { threads: ['t2'] });
    const [first, second] = await together<number>(
      bench,
      (now) => ({ plan: nothing, saw: now.nextRunNumber() }),
      (now) => ({ plan, saw: now.nextRunNumber() }),
    );
    expect((second ?? 0) - (first ?? 0)).toBe(1);
    await bench.dispatcher.submit(() => ({ ...emptyPlan, events: [starting('r1')] }));
    await worked(bench, 'r1');
    const follow: Plan = { ...emptyPlan, effects: [{ type: 'follow', run: 'r1', thread: 't2' }] };
    const begins = startOf(bench, 'r1');
    await together(
      bench,
      () => follow,
      () => ({ ...emptyPlan, events: [begins] }),
    );
    const told = bench.store.messages('t2', null, 100).filter((message) => message.run === 'r1');
    expect(told.map(({ view }) => view.text)).toEqual(['progress']);
  });

  it('sees the spine and the chain as earlier plans left them', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    const look = (now: {
      spine(run: string): { readonly run: { readonly live: readonly unknown[] } } | null;
      chain(run: string, key: string): { readonly nodes: readonly { readonly state: string }[] } | null;
    }) => ({
      plan: nothing,
      saw: [now.spine(run)?.run.live.length, now.chain(run, '')?.nodes[0]?.state],
    });
    const settled = settlementOf(bench, run);
    expect(
      await together(
        bench,
        look,
        () => ({ ...emptyPlan, events: [startOf(bench, run)] }),
        look,
        () => ({ ...emptyPlan, events: [settled] }),
        look,
      ),
    ).toEqual([
      [1, 'queued'],
      [1, 'running'],
      [0, 'passed'],
    ]);
  });
});

describe('one flush', () => {
  const stories = workflow([loop('stories', [def('implement')])], {
    policy: { ...workflow([]).policy, onItemFailed: 'continue' },
  });

  it('names the changed chains of one run only', async () => {
    const bench = givenBench();
    let named: unknown = null;
    const watched = givenBench({ path: `${bench.store.path}.2` });
    const run = await begun(watched, 1, { workflow: stories, items: [item('US-1')] });
    await begun(watched, 2);
    await watched.dispatcher.submit((now) => {
      named = now;
      return { ...emptyPlan, events: [startOf(watched, run), settlementOf(watched, run)] };
    });
    const { after } = named as { after: { touched: ReadonlyMap<string, ReadonlySet<string>> } };
    expect(after.touched).toEqual(new Map([['r1', new Set(['US-1'])]]));
  });

  it('decides on the latest state of a story, even if the story is over', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1, { workflow: stories, items: [item('US-1'), item('US-2')] });
    await bench.dispatcher.submitEvent(startOf(bench, run));
    const late = settlementOf(bench, run, failing);
    const { attempt } = liveOf(bench, run);
    const node = bench.store.chain(run, 'US-1')?.nodes[0];
    // The story is given up in the moment in which its attempt comes back.
    const gaveUp: Plan = {
      ...emptyPlan,
      events: [{ type: 'chain_cancelled', run, chain: 'US-1', at: 7, reason: 'test' }],
    };
    const events = [
      { type: 'skip_item', run, chain: '', at: 7, by: 'ada', item: 'US-1', reason: 'not needed' },
    ] as const;
    await together(
      bench,
      () => ({ ...emptyPlan, events }),
      () => gaveUp,
      () => ({ ...emptyPlan, events: [late] }),
      () => ({ ...emptyPlan, events: [late] }),
    );
    const after = bench.store.chain(run, 'US-1')?.nodes[0];
    expect(node?.live?.id).toBe(attempt);
    expect(after?.live).toBeNull();
    const ofIt = bench.store.attempts(run, node?.id ?? '').filter((row) => row.attempt.id === attempt);
    expect(ofIt.map((row) => row.attempt.state)).toEqual(['settled']);
    const types = bench.store.events(run, 0, 100).map(({ event }) => event.type);
    expect(types.filter((type) => type === 'attempt_settled')).toHaveLength(2);
  });

  it('stores a reply only in the thread that the plan came from', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => creation(1, { threads: ['t1', 't2'] }));
    await bench.dispatcher.submit(() => ({
      ...emptyPlan,
      events: [starting('r1')],
      origin: { thread: 't2', by: 'ada' },
    }));
    const told = (thread: string) => bench.store.messages(thread, null, 100).map(({ view }) => view.text);
    expect(told('t1')).not.toContain('started');
    expect(told('t2')).toContain('started');
    await worked(bench, 'r1');
    await settle(bench, 'r1');
    for (const thread of ['t1', 't2']) expect(told(thread).filter((text) => text === 'settled')).toHaveLength(1);
  });

  it('stores each attempt’s job in the commit of its dispatch', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1, { workflow: workflow([def('a'), def('b')]) });
    await settle(bench, run);
    const jobs = bench.commits.flatMap((batch) => batch.jobs.map(({ id }) => id));
    expect(jobs).toHaveLength(2);
    expect(jobs[1]).toBe(liveOf(bench, run).attempt);
    expect(bench.store.jobs.queued().map(({ id }) => id)).toEqual(jobs);
  });
});
