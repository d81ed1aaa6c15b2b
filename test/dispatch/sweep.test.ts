import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  claimExternal,
  type ExternalAttemptParts,
  takeBackOverdue,
} from '../../src/dispatch/attempts/external-attempts.js';
import { StaleAttemptCheck } from '../../src/dispatch/health/stale-attempt-check.js';
import { def, policy, workflow } from '../engine/builders.js';
import { type Bench, begun, benchOf, configOf, givenWorld, liveOf, type RunOptions, startOf } from './given.js';

afterEach(() => void vi.useRealTimers());

const flow = (pollMs: number) => workflow([def('a', { abandons: 3 })], policy({ pollMs }));

interface Swept {
  readonly bench: Bench;
  readonly sweep: StaleAttemptCheck;
  readonly parts: ExternalAttemptParts;
  /** What the queue says that it has. */
  known: string[];
  /** A clock that stands still while the machine sleeps. */
  steadyMs: number;
  readonly errors: unknown[];
}

async function given(options: RunOptions = {}): Promise<Swept> {
  const world = givenWorld('true');
  const bench = benchOf(world);
  await begun(bench, 1, options);
  const submit = bench.dispatcher.submit.bind(bench.dispatcher);
  const queue = { known: async () => swept.known, forget: async () => undefined } as never;
  const jobParts = () => ({ config: configOf(world), secret: world.home.secret, url: '', worktrees: '/w' });
  const { store } = bench;
  const parts: ExternalAttemptParts = {
    ...{ store, queue, submit, jobParts, home: world.home, secret: world.home.secret, now: () => bench.clock },
    ...{ steady: () => swept.steadyMs, beganAt: new Map() },
    readHandReport: () => Promise.reject(new Error('no report')),
  };
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const heal = async () => undefined;
  const sweep = new StaleAttemptCheck({
    ...noLooks,
    store,
    queue,
    submit,
    heal,
    onError,
    takeBackOverdue: () => takeBackOverdue(parts),
  });
  const swept: Swept = { bench, sweep, parts, known: [], steadyMs: 7, errors };
  return swept;
}

const node = (bench: Bench) => bench.store.nodes('r1')[0];

const noLooks = {
  ...{ wakeAfterLimit: async () => undefined, lookAtWaits: async () => undefined, remind: async () => undefined },
  ...{ heal: async () => undefined, takeBackOverdue: async () => undefined },
};

describe('the periodic check for lost attempts', () => {
  it('retries an open attempt that the queue does not know, and leaves one that it knows alone', async () => {
    const swept = await given({ workflow: flow(60_000) });
    const { bench, sweep } = swept;
    await bench.dispatcher.submitEvent(startOf(bench, 'r1'));
    swept.known = [liveOf(bench, 'r1').attempt];
    await sweep.look();
    expect(node(bench)).toMatchObject({ state: 'running', abandons: 0 });
    swept.known = [];
    await sweep.look();
    expect(node(bench)).toMatchObject({ state: 'queued', abandons: 1, last: { reason: 'interrupted' } });
  });

  it('continues with other attempts after an error in one', async () => {
    const { bench, errors } = await given({ workflow: flow(60_000) });
    await begun(bench, 2, { workflow: { ...flow(60_000), name: 'other' }, project: 'blog' });
    for (const run of ['r1', 'r2']) await bench.dispatcher.submitEvent(startOf(bench, run));
    let count = 0;
    const submit: ExternalAttemptParts['submit'] = (work) => {
      count += 1;
      return count === 1 ? Promise.reject(new TypeError('a bug')) : bench.dispatcher.submit(work);
    };
    const sweep = new StaleAttemptCheck({
      ...noLooks,
      ...{ store: bench.store, queue: { known: async () => [] }, submit },
      wakeAfterLimit: () => Promise.reject(new TypeError('another')),
      onError: (error) => void errors.push(String(error)),
    });
    await sweep.look();
    expect(errors).toEqual(['TypeError: another', 'TypeError: a bug']);
    expect(['r1', 'r2'].map((run) => bench.store.nodes(run)[0]?.state)).toEqual(['running', 'queued']);
  });

  it('resumes runs that a limit held, even if no attempt is open', async () => {
    const woken: string[] = [];
    const store = { liveRuns: () => [], openAttempts: () => [] };
    const wakeAfterLimit = async () => void woken.push('runs');
    const onError = (error: unknown) => expect(error).toBeNull();
    await new StaleAttemptCheck({ ...noLooks, store, wakeAfterLimit, onError } as never).look();
    expect(woken).toEqual(['runs']);
  });

  it('takes back an external claim only when its time has passed by the steady clock', async () => {
    const swept = await given({ workflow: flow(60_000) });
    const { bench, sweep, parts } = swept;
    await claimExternal(parts, { project: 'shop', role: null, claim: 'c1' });
    await sweep.look();
    expect(node(bench)).toMatchObject({ state: 'running', live: { worker: 'outside-c1' } });
    // The machine slept, or somebody set its clock.
    bench.clock += 1_800_001;
    await takeBackOverdue(parts);
    expect(node(bench)).toMatchObject({ state: 'running' });
    swept.steadyMs += 1_800_001;
    await takeBackOverdue(parts);
    expect(node(bench)).toMatchObject({ state: 'queued', abandons: 1, last: { outcome: 'timeout' } });
  });

  it('takes back a claim from before a restart by the wall clock', async () => {
    const { bench, parts } = await given({ workflow: flow(60_000) });
    await claimExternal(parts, { project: 'shop', role: null, claim: 'c1' });
    parts.beganAt.clear();
    await takeBackOverdue(parts);
    expect(node(bench)).toMatchObject({ state: 'running' });
    parts.beganAt.clear();
    bench.clock += 1_800_001;
    await takeBackOverdue(parts);
    expect(node(bench)).toMatchObject({ last: { outcome: 'timeout' } });
    expect([...parts.beganAt.keys()]).toHaveLength(1);
    await takeBackOverdue(parts);
    expect([...parts.beganAt.keys()]).toEqual([]);
  });

  it('runs once a minute, or at the shortest interval of the live runs', async () => {
    const { bench, sweep } = await given({ workflow: flow(300_000) });
    expect(sweep.intervalMs).toBe(300_000);
    await begun(bench, 2, { workflow: { ...flow(5_000), name: 'other' }, project: 'blog' });
    expect(sweep.intervalMs).toBe(5_000);
    expect(new StaleAttemptCheck({ store: { liveRuns: () => [] } } as never).intervalMs).toBe(60_000);
  });

  it('runs within a minute for a new run beside one with a daily interval', async () => {
    vi.useFakeTimers();
    let pollMs = 24 * 3_600_000;
    const looks: string[] = [];
    const store = {
      liveRuns: () => [{ id: 'r1' }],
      spine: () => ({ workflow: { policy: { pollMs } } }),
      openAttempts: () => [],
    };
    const heal = async () => void looks.push('heal');
    const remind = async () => void looks.push('look');
    const sweep = new StaleAttemptCheck({
      ...noLooks,
      store,
      heal,
      remind,
      onError: (error: unknown) => expect(error).toBeNull(),
    } as never);
    sweep.start();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(looks).toEqual(['heal', 'heal']);
    pollMs = 5_000;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks.slice(2)).toEqual(['heal', 'look']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(looks.slice(4)).toEqual(['heal', 'look']);
    sweep.close();
  });

  it('runs repeatedly until closed, even after an error', async () => {
    vi.useFakeTimers();
    let looks = 0;
    const openAttempts = () => {
      looks += 1;
      if (looks === 1) throw new Error('no disk');
      return [];
    };
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(String(error));
    const heal = async () => undefined;
    const sweep = new StaleAttemptCheck({
      ...noLooks,
      ...{ store: { liveRuns: () => [], openAttempts }, heal, onError },
    } as never);
    sweep.start();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(looks).toBe(0);
    await vi.advanceTimersByTimeAsync(60_001);
    expect([looks, errors]).toEqual([2, ['Error: no disk']]);
    sweep.close();
    sweep.start();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(looks).toBe(2);
  });
});
