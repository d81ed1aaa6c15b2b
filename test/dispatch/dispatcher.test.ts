import { describe, expect, it } from 'vitest';
import { BosunError } from '../../src/base/error.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Plan } from '../../src/dispatch/plans/plan.js';
import { fold, type Workflow } from '../../src/engine/index.js';
import { clean, def, failing, item, loop, workflow } from '../engine/builders.js';
import { aMessage } from '../store/values.js';
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

/** What memory holds of a run, as JSON; and what a replay of its stored events gives. */
function inMemory(bench: Bench, run: string, chains: readonly string[] = ['']): unknown {
  const spine = bench.cache.spine(run);
  return plain({
    run: spine?.run,
    items: spine?.items,
    open: openIn(spine),
    chains: chains.map((key) => bench.cache.chain(run, key)),
  });
}

function onDisk(bench: Bench, run: string, chains: readonly string[] = ['']): unknown {
  const spine = bench.store.spine(run);
  return plain({
    run: spine?.run,
    items: spine?.items,
    open: openIn(spine),
    chains: chains.map((key) => bench.store.chain(run, key)),
  });
}

function replayed(bench: Bench, run: string, by: Workflow, chains: readonly string[] = ['']): unknown {
  const world = fold(
    bench.store.events(run, 0, 10_000).map(({ event }) => event),
    by,
  );
  const { state } = world;
  return plain({
    run: state?.run,
    items: state?.items,
    open: openIn(state),
    chains: chains.map((key) => world.chains.get(key)),
  });
}

function openIn(
  state: { readonly interactions: readonly { readonly id: string; readonly state: string }[] } | null,
): unknown {
  return state?.interactions.filter((one) => one.state === 'open');
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const texts = (bench: Bench, thread: string) => bench.store.messages(thread, null, 100).map(({ view }) => view.text);
const eventTypes = (bench: Bench, run: string) => bench.store.events(run, 0, 100).map(({ event }) => event.type);
const noSuchRun: Plan['events'][number] = starting('r99');

describe('the dispatcher', () => {
  it('batches plans that arrive together into one commit, and returns each plan its own messages', async () => {
    const bench = givenBench();
    const said = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        bench.dispatcher.submit(() => ({ ...emptyPlan, messages: [aMessage('t1', `said ${at}`)] })),
      ),
    );
    expect(bench.commits).toHaveLength(1);
    expect(bench.acts).toHaveLength(1);
    expect(said.map(({ messages }) => messages.map(({ view }) => view.text))).toEqual(
      said.map((_, at) => [`said ${at}`]),
    );
  });

  it('puts a plan that arrives while effects run into the next commit', async () => {
    let later: Promise<unknown> | null = null;
    const bench = givenBench({
      onAct: ({ dispatcher }) => {
        later ??= dispatcher.submit(() => creation(2));
      },
    });
    await bench.dispatcher.submit(() => creation(1));
    expect(bench.commits).toHaveLength(1);
    await later;
    expect(bench.commits.map(({ events }) => events.map(({ run }) => run))).toEqual([['r1'], ['r2']]);
  });

  it('decides 450 simultaneous plans in order, at most 200 per transaction', async () => {
    const bench = givenBench();
    const numbers: number[] = [];
    await Promise.all(
      Array.from({ length: 450 }, () =>
        bench.dispatcher.submit((now) => {
          numbers.push(now.nextRunNumber());
          return creation(numbers.length);
        }),
      ),
    );
    expect(bench.commits.map(({ events }) => events.length)).toEqual([200, 200, 50]);
    expect(numbers).toEqual(Array.from({ length: 450 }, (_, at) => at + 1));
    expect(bench.store.run('r450')?.status).toBe('draft');
  });

  it('runs effects only after the commit', async () => {
    const seen: unknown[] = [];
    const bench = givenBench({ onAct: ({ store }) => seen.push(store.run('r1')?.status) });
    await bench.dispatcher.submit(() => creation(1));
    expect(seen).toEqual(['draft']);
  });

  it('returns exit code 3 for a refused event, unless the plan sets its own exit code', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    const retry = { type: 'retry', run, chain: '', at: 9, by: 'ada', node: 'n77', note: null } as const;
    expect((await bench.dispatcher.submitEvent(retry)).exit).toBe(3);
    expect((await bench.dispatcher.submit(() => ({ ...emptyPlan, events: [retry], exit: 2 }))).exit).toBe(2);
    expect((await bench.dispatcher.submitEvent(startOf(bench, run))).exit).toBe(0);
  });

  it('commits its backlog on close, and refuses plans after that', async () => {
    const bench = givenBench();
    const all = Array.from({ length: 250 }, (_, at) => bench.dispatcher.submit(() => creation(at + 1)));
    bench.dispatcher.close();
    expect(bench.store.run('r250')).not.toBeNull();
    await Promise.all(all);
    await expect(bench.dispatcher.submit(() => creation(251))).rejects.toMatchObject({ code: 'not_now' });
    expect(bench.store.run('r251')).toBeNull();
  });
});

describe('a plan that hits a bug', () => {
  it('fails alone: plans before and after it in the same flush are committed', async () => {
    const bench = givenBench();
    await Promise.all([
      begun(bench, 1, { threads: ['t1'] }),
      begun(bench, 2, { threads: ['t2'] }),
      begun(bench, 3, { threads: ['t3'] }),
    ]);
    const [before, broken, after] = await Promise.allSettled([
      bench.dispatcher.submitEvent(startOf(bench, 'r1')),
      bench.dispatcher.submit(() => ({ ...emptyPlan, events: [startOf(bench, 'r2'), noSuchRun] })),
      bench.dispatcher.submitEvent(startOf(bench, 'r3')),
    ]);
    expect([before.status, broken.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(liveOf(bench, 'r1').startedAt).toBe(5);
    expect(liveOf(bench, 'r2').startedAt).toBeNull();
    expect(liveOf(bench, 'r3').startedAt).toBe(5);
  });

  it('is reported in the threads that follow its run, and in no other', async () => {
    const bench = givenBench();
    await begun(bench, 1, { threads: ['t1'] });
    await begun(bench, 2, { threads: ['t2', 't3'] });
    const told = () =>
      ['t1', 't2', 't3'].map((thread) => texts(bench, thread).filter((text) => text.startsWith('broken')));
    await expect(
      bench.dispatcher.submit(() => ({ ...emptyPlan, events: [startOf(bench, 'r2'), noSuchRun] })),
    ).rejects.toThrow('unknown run r99');
    expect(told()).toEqual([
      [],
      [expect.stringContaining('unknown run r99')],
      [expect.stringContaining('unknown run r99')],
    ]);
  });

  it('leaves memory equal to disk, even if earlier plans of the flush changed the same run', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    const [, broken] = await Promise.allSettled([
      bench.dispatcher.submitEvent(startOf(bench, run)),
      bench.dispatcher.submit(() => ({ ...emptyPlan, events: [settlementOf(bench, run), noSuchRun] })),
    ]);
    expect(broken.status).toBe('rejected');
    expect(bench.cache.spine(run)?.run.live[0]?.startedAt).toBe(5);
    expect(inMemory(bench, run)).toEqual(onDisk(bench, run));
    await bench.dispatcher.submitEvent(settlementOf(bench, run));
    expect(bench.store.run(run)?.ops[0]?.kind).toBe('deliver');
    expect(replayed(bench, run, workflowOf(bench, run))).toEqual(onDisk(bench, run));
  });

  it('leaks no uncommitted state to other plans of the flush when they are decided again', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => creation(1));
    const saw: (string | undefined)[] = [];
    const looking = bench.dispatcher.submit((now) => {
      saw.push(now.spine('r1')?.run.status);
      return { ...emptyPlan, messages: [aMessage('t1', 'one')] };
    });
    // JSON has no word for it, so that none of them can be written together.
    const unwritable = { ...emptyPlan, messages: [aMessage('t1', 1n as unknown as string)] };
    const others = [
      bench.dispatcher.submit(() => unwritable),
      bench.dispatcher.submit(() => ({ ...emptyPlan, events: [starting('r1'), starting('r99')] })),
    ];
    await Promise.allSettled([looking, ...others]);
    expect(saw).toEqual(['draft', 'draft']);
  });

  it('has no effects: no job, cancellation, checkout operation or message', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => creation(1));
    bench.acts.length = 0;
    const made = creation(2, { threads: ['t2'] });
    await expect(
      bench.dispatcher.submit(() => ({ ...made, events: [...made.events, starting('r2'), noSuchRun] })),
    ).rejects.toThrow();
    expect(bench.acts.flatMap(({ ops, jobs, cancels }) => [...ops, ...jobs, ...cancels])).toEqual([]);
    expect(bench.store.run('r2')).toBeNull();
    expect(bench.store.thread('t2')).toBeNull();
    expect(texts(bench, 't2')).toEqual([]);
  });

  it('marks its inbox message as done, so that it is not retried forever', async () => {
    const bench = givenBench();
    const row = bench.store.receive({
      source: 'local',
      externalId: 'x1',
      thread: 't1',
      by: null,
      at: 1,
      body: { type: 'text', text: 'go', replyTo: null },
    });
    await expect(
      bench.dispatcher.submit(() => ({
        ...emptyPlan,
        events: [noSuchRun],
        effects: row ? [{ type: 'inbox_done', row: row.id }] : [],
      })),
    ).rejects.toThrow('r99');
    expect(bench.store.pendingInbox()).toEqual([]);
  });

  it('is stopped after 2000 events, and other plans still commit', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    const endless = Array.from({ length: 2_500 }, () => starting(run));
    await expect(bench.dispatcher.submit(() => ({ ...emptyPlan, events: endless }))).rejects.toThrow(
      'more than 2000 events',
    );
    expect((await bench.dispatcher.submitEvent(startOf(bench, run))).ignored).toEqual([null]);
    expect(eventTypes(bench, run)).toEqual(['run_created', 'start', 'workspace_done', 'attempt_started']);
  });

  it('does not fail other plans even if presenting the error throws', async () => {
    const bench = givenBench({
      present: {
        broken: () => {
          throw new Error('no words');
        },
      },
    });
    const run = await begun(bench, 1);
    const [broken, after] = await Promise.allSettled([
      bench.dispatcher.submit(() => ({ ...emptyPlan, events: [startOf(bench, run), noSuchRun] })),
      bench.dispatcher.submit(() => creation(2)),
    ]);
    expect([broken.status, after.status]).toEqual(['rejected', 'fulfilled']);
    await expect(bench.dispatcher.submit(() => creation(3))).resolves.toBeDefined();
  });

  it('is not reported as a bug in chat if the outside world failed, and changes nothing', async () => {
    const bench = givenBench({
      jobOf: () => {
        throw new BosunError('disk', 'no room for the prompt');
      },
    });
    const made = creation(1);
    await bench.dispatcher.submit(() => ({ ...made, events: [...made.events, starting('r1')] }));
    await expect(worked(bench, 'r1')).rejects.toMatchObject({ code: 'disk' });
    expect(texts(bench, 't1').filter((text) => text.startsWith('broken'))).toEqual([]);
    expect(inMemory(bench, 'r1')).toEqual(onDisk(bench, 'r1'));
  });

  it('rejects only its submitter if the outside world failed', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    const told = texts(bench, 't1').length;
    const fails = () => {
      throw new BosunError('not_found', 'No project "shpo"');
    };
    const [failed, after] = await Promise.allSettled([
      bench.dispatcher.submit(fails),
      bench.dispatcher.submitEvent(startOf(bench, run)),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    expect(after.status).toBe('fulfilled');
    expect(texts(bench, 't1').slice(told)).toEqual(['progress']);
  });
});

describe('a commit that fails', () => {
  const tooMuch = aMessage('t1', 'x'.repeat(4_000_000));

  async function onFullDisk(): Promise<Bench> {
    const bench = givenBench({ maxBytes: 1_000_000 });
    await bench.dispatcher.submit(() => creation(1));
    return bench;
  }

  it('rejects every plan of the flush with the reason, and runs none of their effects', async () => {
    const bench = await onFullDisk();
    bench.acts.length = 0;
    const all = await Promise.allSettled([
      bench.dispatcher.submitEvent(starting('r1')),
      bench.dispatcher.submit(() => creation(2)),
      bench.dispatcher.submit(() => ({ ...emptyPlan, messages: [tooMuch] })),
    ]);
    for (const one of all)
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { code: 'disk', hint: expect.stringContaining('free some space') },
      });
    expect(bench.acts).toEqual([]);
    expect(bench.store.run('r2')).toBeNull();
  });

  it('leaves memory equal to disk, so that the next plan is decided on the right state', async () => {
    const bench = await onFullDisk();
    await Promise.allSettled([
      bench.dispatcher.submitEvent(starting('r1')),
      bench.dispatcher.submit(() => ({ ...emptyPlan, messages: [tooMuch] })),
    ]);
    expect(bench.cache.spine('r1')?.run.status).toBe('draft');
    expect(inMemory(bench, 'r1')).toEqual(onDisk(bench, 'r1'));
    await bench.dispatcher.submitEvent(starting('r1'));
    expect(bench.store.run('r1')?.status).toBe('running');
    expect(eventTypes(bench, 'r1')).toEqual(['run_created', 'start']);
    expect(bench.store.auditBreak()).toBeNull();
  });

  it('because of one plan rejects only that plan, reports it in its thread, and commits the others', async () => {
    const bench = await onFullDisk();
    await bench.dispatcher.submit(() => creation(2, { threads: ['t2'] }));
    const row = bench.store.receive({
      source: 'local',
      externalId: 'x1',
      thread: 't1',
      by: null,
      at: 1,
      body: { type: 'text', text: 'go', replyTo: null },
    });
    // JSON has no word for it, so that it cannot be written.
    const unwritable = aMessage('t1', 1n as unknown as string);
    const [before, bad, after] = await Promise.allSettled([
      bench.dispatcher.submit(() => creation(3)),
      bench.dispatcher.submit(() => ({
        ...emptyPlan,
        events: [starting('r1')],
        messages: [unwritable],
        effects: row ? [{ type: 'inbox_done', row: row.id }] : [],
      })),
      bench.dispatcher.submitEvent(starting('r2')),
    ]);
    expect([before.status, bad.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(['r1', 'r2', 'r3'].map((run) => bench.store.run(run)?.status)).toEqual(['draft', 'running', 'draft']);
    expect(texts(bench, 't1').filter((text) => text.startsWith('broken'))).toHaveLength(1);
    expect(texts(bench, 't2').filter((text) => text.startsWith('broken'))).toEqual([]);
    expect(bench.store.pendingInbox()).toEqual([]);
    expect(inMemory(bench, 'r1')).toEqual(onDisk(bench, 'r1'));
    expect(replayed(bench, 'r2', workflowOf(bench, 'r2'))).toEqual(onDisk(bench, 'r2'));
  });

  it('never reuses a run number', async () => {
    const bench = await onFullDisk();
    const drawn: number[] = [];
    const draw = (parts: Partial<Plan>) =>
      bench.dispatcher.submit((now) => {
        const number = now.nextRunNumber();
        drawn.push(number);
        return { ...creation(number), ...parts };
      });
    await Promise.allSettled([draw({}), draw({ messages: [tooMuch] })]);
    await draw({});
    expect(new Set(drawn).size).toBe(3);
  });
});

describe('the stored history', () => {
  const stories = workflow([def('plan'), loop('stories', [def('implement'), def('verify')]), def('report')]);

  it('replays to the stored rows, including raised events and questions', async () => {
    const bench = givenBench();
    const items = [item('US-1'), item('US-2', ['US-1'])];
    const run = await begun(bench, 1, { workflow: stories, items, afterStory: 'start' });
    for (let turn = 0; turn < 30 && bench.store.run(run)?.status === 'running'; turn++) {
      if (bench.store.run(run)?.ops.length) await worked(bench, run);
      else await settle(bench, run, turn === 3 ? failing : undefined);
    }
    expect(bench.store.run(run)?.status).toBe('completed');
    const chains = ['', 'US-1', 'US-2'];
    expect(replayed(bench, run, stories, chains)).toEqual(onDisk(bench, run, chains));
    expect(eventTypes(bench, run).filter((type) => type.startsWith('item_'))).toEqual([
      'item_opened',
      'item_closed',
      'item_opened',
      'item_closed',
    ]);
    expect(bench.store.auditBreak()).toBeNull();
  });

  it('has a raised event before the remaining events of its plan', async () => {
    const bench = givenBench();
    const made = creation(1, { workflow: workflow([loop('stories', [def('implement')])]), items: [item('US-1')] });
    await bench.dispatcher.submit(() => ({ ...made, events: [...made.events, starting('r1')] }));
    const op = bench.store.run('r1')?.ops[0]?.id ?? '';
    const prepared = { type: 'workspace_done', run: 'r1', chain: '', at: 3, op, result: clean } as const;
    const pause = { type: 'pause', run: 'r1', chain: '', at: 4, by: 'ada' } as const;
    await bench.dispatcher.submit(() => ({ ...emptyPlan, events: [prepared, pause] }));
    expect(eventTypes(bench, 'r1').slice(2)).toEqual(['workspace_done', 'item_opened', 'pause']);
  });

  it('has a raised event right after the event that raised it, in the same commit', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1, {
      workflow: workflow([loop('stories', [def('implement')])]),
      items: [item('US-1')],
    });
    const [last] = bench.commits.slice(-1);
    expect(last?.events.map(({ type, chain }) => `${type} ${chain}`)).toEqual(['workspace_done ', 'item_opened US-1']);
    expect(last?.jobs.map(({ id }) => id)).toEqual([liveOf(bench, run).attempt]);
  });

  it('records a late result, which changes nothing else', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    const late = settlementOf(bench, run, failing);
    await settle(bench, run);
    const before = onDisk(bench, run);
    expect((await bench.dispatcher.submitEvent(late)).ignored).toEqual(['superseded']);
    expect(onDisk(bench, run)).toEqual(before);
    expect(eventTypes(bench, run).slice(-2)).toEqual(['attempt_settled', 'attempt_settled']);
    expect(replayed(bench, run, workflowOf(bench, run))).toEqual(before);
  });

  it('does not record an event that no longer applies', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    const count = bench.commits.length;
    expect(
      (
        await bench.dispatcher.submitEvent({
          ...startOf(bench, run),
          type: 'attempt_started',
          attempt: 'other',
          worker: 'w',
        })
      ).ignored,
    ).toEqual(['superseded']);
    expect(bench.commits).toHaveLength(count);
  });
});

function workflowOf(bench: Bench, run: string): Workflow {
  const found = bench.store.spine(run)?.workflow;
  if (!found) throw new Error(`no ${run}`);
  return found;
}
