// What every queue promises, whatever keeps its jobs. Time is real, and short only through short leases.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BosunError } from '../../src/base/error.js';
import { type Envelope, emptyEnvelope } from '../../src/engine/index.js';
import type { JobControl, Progress } from '../../src/jobs/attempt-control.js';
import type { AttemptSpec } from '../../src/jobs/attempt-spec.js';
import type { Job } from '../../src/jobs/job.js';
import type { JobQueue, Limits, QueueEvents, QueueWorker } from '../../src/queue/index.js';

export interface QueueUnderTest {
  readonly queue: JobQueue;
  /** A worker that lives no longer than this counts as dead. */
  readonly leaseMs: number;
  /** Ends the process that holds the queue as kill -9 would; gives the queue as the next process finds it. */
  crash(): Promise<JobQueue>;
  /** Gives back whatever it took. */
  end(): Promise<void>;
}

/** One run of a handler, to be looked at and ended by the test. */
interface Handling {
  readonly id: string;
  readonly control: JobControl;
  end(envelope?: Partial<Envelope>): void;
  fail(error: unknown): void;
}

interface Recorder extends QueueEvents {
  readonly log: string[];
  readonly envelopes: Map<string, Envelope>;
  readonly progressed: Progress[];
  /** Resolves once the log has that line. */
  saw(line: string): Promise<void>;
  /** What becomes of what it is told, after it took note. */
  start: (id: string) => Promise<boolean>;
  failFinish: (id: string) => boolean;
}

/** A short one runs out while a test waits for it; a long one never, however slow the machine is. */
export type Lease = 'short' | 'long';

export function queueContract(
  name: string,
  makeQueue: (limits: Limits, lease: Lease) => Promise<QueueUnderTest>,
): void {
  describe(`the ${name} queue`, () => {
    let lease: Lease = 'long';
    let under: QueueUnderTest;
    let queue: JobQueue;
    let seen: Recorder;
    let handlings: Map<string, Handling>;
    /** As many of a project, and of a kind of executor, as may be at work. */
    let most: { project: number | null; readonly kinds: Map<string, number> };
    const workers: QueueWorker[] = [];

    beforeEach(async () => {
      most = { project: null, kinds: new Map() };
      const limits = { ofProject: () => most.project, ofKind: (kind: string) => most.kinds.get(kind) ?? null };
      under = await makeQueue(limits, lease);
      queue = under.queue;
      seen = recorder();
      handlings = new Map();
      queue.listen(seen);
    });

    afterEach(async () => {
      for (const handling of handlings.values()) handling.end();
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
      await queue.close();
      await under.end();
    });

    /** A worker whose handlers end when the test says so. */
    function work(concurrency: number, workerName = 'w1'): QueueWorker {
      return workWith(concurrency, workerName, (spec, control) => handling(spec, control));
    }

    /** A worker whose handlers end at once. */
    function workThrough(concurrency: number): QueueWorker {
      return workWith(concurrency, 'w1', async () => emptyEnvelope);
    }

    function workWith(
      concurrency: number,
      workerName: string,
      act: (spec: AttemptSpec, control: JobControl) => Promise<Envelope>,
    ): QueueWorker {
      const run = async (spec: AttemptSpec, control: JobControl) => {
        seen.log.push(`run ${spec.attempt}`);
        return act(spec, control);
      };
      const worker = queue.work({ name: workerName, concurrency, run });
      workers.push(worker);
      return worker;
    }

    function handling(spec: AttemptSpec, control: JobControl): Promise<Envelope> {
      return new Promise((resolve, reject) => {
        const id = spec.attempt;
        handlings.set(id, { id, control, end: (parts) => resolve({ ...emptyEnvelope, ...parts }), fail: reject });
        control.signal.addEventListener('abort', () => {
          const reason = control.signal.reason === 'cancel' ? 'cancel' : 'interrupted';
          resolve({ ...emptyEnvelope, killed: reason });
        });
        note(seen, `runs ${id}`);
      });
    }

    function handled(id: string): Handling {
      const found = handlings.get(id);
      if (found === undefined) throw new Error(`${id} does not run`);
      return found;
    }

    async function runs(...ids: readonly string[]): Promise<void> {
      await Promise.all(ids.map((id) => seen.saw(`runs ${id}`)));
    }

    async function finished(...ids: readonly string[]): Promise<void> {
      await Promise.all(ids.map((id) => seen.saw(`finished ${id}`)));
    }

    const order = (word: string) =>
      seen.log.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(' ')[1]);

    test('reports the start before the handler runs, and the end after it', async () => {
      work(1);
      await queue.add([job('a')]);
      await runs('a');
      expect(seen.log).toEqual(['started a w1', 'run a', 'runs a']);
      handled('a').control.report({ type: 'output', line: 'hello' });
      handled('a').end({ exit: 3 });
      await finished('a');
      expect(seen.envelopes.get('a')?.exit).toBe(3);
      expect(seen.progressed).toEqual([{ type: 'output', line: 'hello' }]);
      await until(async () => (await queue.known()).length === 0);
    });

    test('passes the job’s payload to the handler', async () => {
      let got: AttemptSpec | null = null;
      workWith(1, 'w1', async (spec) => {
        got = spec;
        return emptyEnvelope;
      });
      const sent = job('a');
      await queue.add([sent]);
      await finished('a');
      expect(got).toEqual(sent.payload);
    });

    test('delays the handler until the start is recorded', async () => {
      const gated = gate();
      seen.start = () => gated.opened;
      work(1);
      await queue.add([job('a')]);
      await seen.saw('started a w1');
      expect(order('run')).toEqual([]);
      gated.open(true);
      await runs('a');
    });

    test('drops a job whose start is refused, and continues', async () => {
      seen.start = async (id) => id !== 'a';
      workThrough(1);
      await queue.add([job('a'), job('b')]);
      await finished('b');
      expect(order('run')).toEqual(['b']);
      await until(async () => (await queue.known()).length === 0);
    });

    test('runs a job once even if it is added again while it waits, runs or is settled', async () => {
      await queue.add([job('a'), job('a')]);
      await queue.add([job('a')]);
      work(4);
      await runs('a');
      await queue.add([job('a')]);
      handled('a').end();
      await finished('a');
      await queue.add([job('a')]);
      await until(async () => (await queue.known()).length === 0);
      await queue.add([job('a'), job('z')]);
      await runs('z');
      expect(order('run')).toEqual(['a', 'z']);
    });

    test('takes jobs by priority, then by age', async () => {
      await queue.add([job('c', { priority: 5 }), job('b', { priority: 1 })]);
      await queue.add([job('d', { priority: 5 }), job('a', { priority: 0 })]);
      workThrough(1);
      await finished('a', 'b', 'c', 'd');
      expect(order('run')).toEqual(['a', 'b', 'c', 'd']);
    });

    test('respects a worker’s concurrency', async () => {
      work(2);
      await queue.add(['a', 'b', 'c', 'd', 'e'].map((id) => job(id)));
      await runs('a', 'b');
      expect(await queue.counts()).toEqual({ queued: 3, running: 2 });
      handled('b').end();
      await runs('c');
      handled('a').end();
      await runs('d');
      // One too many would have begun by then.
      expect(order('run')).toHaveLength(4);
    });

    test('runs one job at a time per checkout, and others in parallel', async () => {
      work(4);
      await queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' }), job('c', { checkout: '/y' })]);
      await queue.add([job('d'), job('e')]);
      await runs('a', 'c', 'd', 'e');
      for (const id of ['c', 'd', 'e']) handled(id).end();
      await finished('c', 'd', 'e');
      expect(order('run')).not.toContain('b');
      handled('a').end();
      await runs('b');
    });

    test('lets jobs of one group share a checkout, and no others', async () => {
      const wave = (id: string, group: string | null) => job(id, { checkout: '/x', group });
      work(4);
      await queue.add([wave('a', 'g'), wave('x', 'h'), wave('b', 'g'), wave('y', null)]);
      await runs('a', 'b');
      handled('a').end();
      await finished('a');
      expect(order('run')).toEqual(['a', 'b']);
      handled('b').end();
      await runs('x');
      expect(order('run')).toEqual(['a', 'b', 'x']);
      handled('x').end();
      await runs('y');
    });

    test('removes a waiting job for good on cancel', async () => {
      work(1);
      await queue.add([job('a'), job('b'), job('c')]);
      await runs('a');
      expect(await queue.cancel('b')).toBe('removed');
      await queue.add([job('b')]);
      handled('a').end();
      await runs('c');
      handled('c').end();
      await until(async () => (await queue.known()).length === 0);
      expect(order('started')).toEqual(['a', 'c']);
    });

    test('signals a running job on cancel, and waits for its result', async () => {
      work(1);
      await queue.add([job('a')]);
      await runs('a');
      expect(await queue.cancel('a')).toBe('signalled');
      await finished('a');
      expect(handled('a').control.signal.reason).toBe('cancel');
      expect(seen.envelopes.get('a')?.killed).toBe('cancel');
    });

    test('does not run a job that was cancelled while its start was being recorded', async () => {
      const gated = gate();
      seen.start = () => gated.opened;
      work(1);
      await queue.add([job('a')]);
      await seen.saw('started a w1');
      expect(await queue.cancel('a')).toBe('signalled');
      gated.open(true);
      await finished('a');
      expect(order('run')).toEqual([]);
      expect(seen.envelopes.get('a')?.killed).toBe('cancel');
    });

    test('returns unknown for a job that was never added or is settled', async () => {
      workThrough(1);
      await queue.add([job('a')]);
      await finished('a');
      await until(async () => (await queue.known()).length === 0);
      expect(await queue.cancel('a')).toBe('unknown');
      expect(await queue.cancel('never')).toBe('unknown');
      expect(await queue.extend('a', 1)).toBe(false);
    });

    test('passes an extension to the handler', async () => {
      work(1);
      await queue.add([job('a')]);
      await runs('a');
      const got = new Promise<number>((resolve) => handled('a').control.onExtend(resolve));
      expect(await queue.extend('a', 1_800_000)).toBe(true);
      expect(await got).toBe(1_800_000);
    });

    test('passes on extensions that came before the handler subscribed', async () => {
      work(1);
      await queue.add([job('a')]);
      await runs('a');
      const early: number[] = [];
      const late: number[] = [];
      handled('a').control.onExtend((byMs) => early.push(byMs));
      await queue.extend('a', 1_000);
      await queue.extend('a', 500);
      await until(async () => sumOf(early) === 1_500);
      handled('a').control.onExtend((byMs) => late.push(byMs));
      expect(sumOf(late)).toBe(1_500);
    });

    test('tells the handler whether it waits for a person, including changes before it subscribed', async () => {
      work(1);
      await queue.add([job('a'), job('b')]);
      await runs('a');
      const early: boolean[] = [];
      const late: boolean[] = [];
      handled('a').control.onWait?.((isWaiting) => early.push(isWaiting));
      expect(await queue.wait('a', true)).toBe(true);
      await until(async () => early.length === 1);
      handled('a').control.onWait?.((isWaiting) => late.push(isWaiting));
      expect(late).toEqual([true]);
      await queue.wait('a', true);
      await queue.wait('a', false);
      await until(async () => late.length === 2);
      expect([early, late]).toEqual([
        [true, false],
        [true, false],
      ]);
      expect(await queue.wait('b', true)).toBe(false);
    });

    test('delays a job until its time, and lets others on its checkout go first', async () => {
      work(4);
      const notBefore = Date.now() + soonMs;
      await queue.add([job('a', { checkout: '/x', notBefore }), job('b', { checkout: '/x' })]);
      await runs('b');
      expect(await queue.counts()).toEqual({ queued: 1, running: 1 });
      expect(await queue.known()).toContain('a');
      handled('b').end();
      await runs('a');
      expect(Date.now()).toBeGreaterThanOrEqual(notBefore);
      expect(order('run')).toEqual(['b', 'a']);
    });

    test('starts a job at once if its time has passed', async () => {
      workThrough(1);
      await queue.add([job('a', { notBefore: Date.now() - 1 })]);
      await finished('a');
    });

    test('removes or forgets a delayed job for good', async () => {
      workThrough(4);
      const notBefore = Date.now() + soonMs;
      await queue.add([job('a', { notBefore }), job('b', { notBefore }), job('c', { notBefore })]);
      expect(await queue.cancel('a')).toBe('removed');
      await queue.forget(['b']);
      expect(await queue.known()).toEqual(['c']);
      await finished('c');
      await queue.add([job('a'), job('b'), job('z')]);
      await finished('z');
      expect(order('started')).toEqual(['c', 'z']);
    });

    test('keeps the delay of a job over a crash', async () => {
      const notBefore = Date.now() + 2 * soonMs;
      await queue.add([job('a', { notBefore }), job('b')]);
      seen = recorder();
      queue = await under.crash();
      queue.listen(seen);
      workThrough(1);
      await finished('b');
      expect(order('started')).toEqual(['b']);
      await finished('a');
      expect(Date.now()).toBeGreaterThanOrEqual(notBefore);
    });

    test('counts waiting and running jobs, in total and per project', async () => {
      work(1);
      await queue.add([job('a'), job('b'), job('c', { project: 'blog' })]);
      await runs('a');
      expect(await queue.counts()).toEqual({ queued: 2, running: 1 });
      expect(await queue.counts('shop')).toEqual({ queued: 1, running: 1 });
      expect(await queue.counts('blog')).toEqual({ queued: 1, running: 0 });
      expect(await queue.counts('none')).toEqual({ queued: 0, running: 0 });
      expect([...(await queue.known())].sort()).toEqual(['a', 'b', 'c']);
    });

    test('turns a handler that throws into a worker fault', async () => {
      work(1);
      await queue.add([job('a'), job('b')]);
      await runs('a');
      handled('a').fail(new Error('no such program'));
      await finished('a');
      expect(seen.envelopes.get('a')?.fault).toEqual({ code: 'worker', message: 'no such program' });
      await runs('b');
    });

    test('interrupts running jobs when their worker closes, and keeps waiting ones for the next', async () => {
      const worker = work(1);
      await queue.add([job('a'), job('b')]);
      await runs('a');
      await worker.close();
      expect(handled('a').control.signal.reason).toBe('interrupted');
      expect(seen.envelopes.get('a')?.killed).toBe('interrupted');
      expect(await queue.counts()).toEqual({ queued: 1, running: 0 });
      work(1, 'w2');
      await seen.saw('started b w2');
    });

    test('runs a job later if the store failed to record its start, without reporting it as lost', async () => {
      let refusals = 0;
      seen.start = (id) => {
        refusals += 1;
        return refusals === 1
          ? Promise.reject(new BosunError('disk', `no space left for ${id}`))
          : Promise.resolve(true);
      };
      workThrough(1);
      await queue.add([job('a', { checkout: '/x' })]);
      await finished('a');
      expect([order('run'), order('lost')]).toEqual([['a'], []]);
    });

    describe('after a lease has expired', () => {
      beforeAll(() => {
        lease = 'short';
      });

      afterAll(() => {
        lease = 'long';
      });

      test('reports a job as lost if its end could not be recorded, and does not run it again', async () => {
        seen.failFinish = (id) => id === 'a';
        workThrough(1);
        await queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' })]);
        await seen.saw('lost a w1');
        await finished('b');
        expect(order('run')).toEqual(['a', 'b']);
        await until(async () => (await queue.known()).length === 0);
      });

      test('keeps a job that runs, or whose result takes, longer than a lease', async () => {
        const longer = () => new Promise((resolve) => setTimeout(resolve, under.leaseMs * 1.5));
        const finish = seen.finished.bind(seen);
        seen.finished = async (id, envelope) => {
          await longer();
          return finish(id, envelope);
        };
        work(1);
        await queue.add([job('a')]);
        await runs('a');
        await longer();
        handled('a').end({ exit: 0 });
        await finished('a');
        expect([order('run'), order('lost')]).toEqual([['a'], []]);
      });

      test('recovers waiting jobs after a crash, and reports a running one as lost with its worker', async () => {
        work(1, 'doomed');
        await queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' }), job('c', { checkout: '/y' })]);
        await runs('a');
        const before = seen;
        seen = recorder();
        const next = await under.crash();
        expect([...(await next.known())].sort()).toEqual(['a', 'b', 'c']);
        workers.length = 0;
        queue = next;
        queue.listen(seen);
        workThrough(4);
        await finished('b', 'c');
        expect(order('lost')).toEqual(['a']);
        expect(seen.log).toContain('lost a doomed');
        expect(seen.log.indexOf('lost a doomed')).toBeLessThan(seen.log.indexOf('started b w1'));
        handled('a').end({ exit: 0 });
        await queue.add([job('a'), job('z')]);
        await finished('z');
        expect(before.envelopes.has('a')).toBe(false);
        expect(order('run')).not.toContain('a');
      });
    });

    test('forgets jobs settled elsewhere, whether they wait or were left by a crash', async () => {
      work(1, 'doomed');
      await queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' }), job('c', { checkout: '/x' })]);
      await runs('a');
      seen = recorder();
      queue = await under.crash();
      workers.length = 0;
      await queue.forget(['a', 'b', 'never']);
      queue.listen(seen);
      workThrough(4);
      await finished('c');
      await queue.add([job('a'), job('b'), job('z')]);
      await finished('z');
      expect(order('started')).toEqual(['c', 'z']);
      expect(order('lost')).toEqual([]);
    });

    test('aborts the handler of a job settled elsewhere, and reports only its cost', async () => {
      workWith(1, 'w1', async (spec, control) => ({ ...(await handling(spec, control)), costUsd: 4.5 }));
      await queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' })]);
      await runs('a');
      await queue.forget(['a']);
      await runs('b');
      const { control } = handled('a');
      expect(control.signal.reason).toBe('interrupted');
      control.report({ type: 'output', line: 'late' });
      expect(seen.progressed).toEqual([]);
      expect(await queue.known()).toEqual(['b']);
      await seen.saw('late a 4.5');
      expect(order('finished')).toEqual([]);
    });

    test('limits running jobs per project, and starts the next when one ends', async () => {
      most.project = 1;
      const blog = { project: 'blog' };
      await queue.add([job('a'), job('b'), job('c', { priority: -1 }), job('x', blog), job('y', blog)]);
      work(10);
      await runs('c', 'x');
      expect(await queue.counts()).toEqual({ queued: 3, running: 2 });
      handled('c').end();
      await runs('a');
      handled('x').end();
      await runs('y');
      expect(order('run')).not.toContain('b');
      handled('a').end();
      await runs('b');
    });

    test('limits running jobs per executor kind, across projects', async () => {
      most.kinds.set('command', 1);
      const check = { ...job('k').payload, kind: 'check' as const, executor: null };
      await queue.add([job('a'), job('b', { project: 'blog' }), job('k', { payload: check })]);
      work(10);
      await runs('a', 'k');
      expect(await queue.counts()).toEqual({ queued: 1, running: 2 });
      handled('a').end();
      await runs('b');
    });

    test('removes a job held by a limit for good, and frees its checkout', async () => {
      most.project = 1;
      await queue.add([job('a'), job('b', { checkout: '/x' })]);
      work(10);
      await runs('a');
      expect(await queue.cancel('b')).toBe('removed');
      await queue.add([job('c', { checkout: '/x', project: 'blog' })]);
      await runs('c');
      handled('a').end();
      await finished('a');
      await queue.add([job('b'), job('d')]);
      await runs('d');
      expect(order('started')).toEqual(['a', 'c', 'd']);
    });

    test('applies a changed limit to later jobs', async () => {
      await queue.add([job('a'), job('b')]);
      work(10);
      await runs('a', 'b');
      most.project = 2;
      await queue.add([job('c')]);
      handled('a').end();
      await runs('c');
      most.project = null;
      await queue.add([job('d')]);
      await runs('d');
    });

    test('processes two thousand jobs', async () => {
      workThrough(50);
      const jobs = Array.from({ length: 2_000 }, (_, at) => job(`j${at}`, { checkout: `/c${at % 70}` }));
      await queue.add(jobs);
      await until(async () => seen.envelopes.size === jobs.length);
      expect(new Set(order('run')).size).toBe(jobs.length);
      await until(async () => (await queue.known()).length === 0);
    });
  });
}

/** Long enough for what comes before it on a busy machine, short enough to wait for. */
const soonMs = 500;

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function gate() {
  const open: ((mayRun: boolean) => void)[] = [];
  const opened = new Promise<boolean>((resolve) => open.push(resolve));
  return { opened, open: (mayRun: boolean) => open[0]?.(mayRun) };
}

export function job(id: string, parts: Partial<Job> = {}): Job {
  const payload: AttemptSpec = {
    attempt: id,
    token: `token-${id}`,
    project: 'shop',
    run: 'r1',
    item: '',
    node: 'n1',
    step: 'impl',
    label: 'impl',
    attemptNumber: 1,
    kind: 'agent',
    executor: { kind: 'command', run: ['./agent.sh', 'é"\n'], env: {}, passEnv: [] },
    prompt: 'do it',
    root: '/srv/shop',
    workdir: '/srv/shop',
    sharedDir: '/srv/shop/.ai/runs/r1',
    logPath: '/srv/shop/log',
    url: '',
    timeoutMs: 1_000,
    red: false,
    tests: null,
    check: null,
    checkTimeoutMs: 1_000,
    outputs: null,
    keepsProgress: false,
    isBeside: false,
    slot: null,
    access: 'write',
    agentRole: null,
    resume: null,
    spendUsd: null,
    team: null,
  };
  return { id, project: 'shop', run: 'r1', checkout: null, group: null, priority: 0, payload, ...parts };
}

const waiting = new WeakMap<Recorder, Map<string, () => void>>();

function note(recorded: Recorder, line: string): void {
  recorded.log.push(line);
  waiting.get(recorded)?.get(line)?.();
}

export function recorder(): Recorder {
  const waits = new Map<string, () => void>();
  const recorded: Recorder = {
    log: [],
    envelopes: new Map(),
    progressed: [],
    start: async () => true,
    failFinish: () => false,
    saw(line) {
      if (recorded.log.includes(line)) return Promise.resolve();
      return new Promise((resolve) => waits.set(line, resolve));
    },
    started(id, worker) {
      note(recorded, `started ${id} ${worker}`);
      return recorded.start(id);
    },
    progress(_id, progress) {
      recorded.progressed.push(progress);
    },
    async finished(id, envelope) {
      if (recorded.failFinish(id)) throw new Error('the store is full');
      recorded.envelopes.set(id, envelope);
      note(recorded, `finished ${id}`);
    },
    async late(id, { costUsd }) {
      note(recorded, `late ${id} ${costUsd}`);
    },
    async lost(id, worker) {
      note(recorded, `lost ${id} ${worker}`);
    },
  };
  waiting.set(recorded, waits);
  return recorded;
}

/** For what a queue does after it has told about it: asks again each turn of the event loop, until the test's time is up. */
async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 2));
}
