import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backlog, type Waiting } from '../../src/queue/waiting/backlog.js';
import { type WaitingCount, WaitingLine, type WaitingLineOptions } from '../../src/queue/waiting/waiting-line.js';
import { experimentSize } from '../size.js';

type Step =
  | { readonly type: 'add'; readonly checkout: string | null; readonly group: string | null; readonly priority: number }
  | { readonly type: 'take' }
  | { readonly type: 'release' | 'remove'; readonly which: number };

/** The rules in their plainest form: look at everything, every time. */
function plain() {
  let waiting: Waiting[] = [];
  let running: Waiting[] = [];
  const isFree = (job: Waiting) =>
    job.checkout === null ||
    running.every((other) => other.checkout !== job.checkout || (job.group !== null && other.group === job.group));
  return {
    waiting: () => waiting,
    running: () => running,
    add: (job: Waiting) => void waiting.push(job),
    remove(id: string) {
      waiting = waiting.filter((job) => job.id !== id);
    },
    release(id: string) {
      running = running.filter((job) => job.id !== id);
    },
    take(): Waiting | null {
      const [next] = waiting.filter(isFree).sort((a, b) => a.priority - b.priority || a.n - b.n);
      if (next === undefined) return null;
      waiting = waiting.filter((job) => job !== next);
      running.push(next);
      return next;
    },
  };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      checkout: fc.constantFrom(null, 'x', 'y', 'z'),
      group: fc.constantFrom(null, 'g', 'h'),
      priority: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ type: 'take' as const }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('release' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), which: fc.nat() }) },
);

const nth = (jobs: readonly Waiting[], which: number): string => jobs[which % Math.max(1, jobs.length)]?.id ?? 'none';

test('the backlog takes jobs in the same order as a naive model', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
      const [quick, model] = [backlog<Waiting>(), plain()];
      for (const [n, now] of steps.entries()) {
        if (now.type === 'add') {
          const { checkout, group, priority } = now;
          const job = { id: `j${n}`, n, checkout, group, priority };
          quick.add(job);
          model.add(job);
        } else if (now.type === 'take') {
          expect(quick.take()).toEqual(model.take());
        } else if (now.type === 'release') {
          const id = nth(model.running(), now.which);
          quick.release(id);
          quick.release(id);
          model.release(id);
        } else {
          const id = nth(model.waiting(), now.which);
          quick.remove(id);
          model.remove(id);
          expect(quick.has(id)).toBe(false);
        }
      }
      for (let job = model.take(); job !== null; job = model.take()) expect(quick.take()).toEqual(job);
      expect(quick.take()).toBeNull();
    }),
    { numRuns: 400 * experimentSize },
  );
});

test('a job leased by another process blocks its checkout until it is released', () => {
  const jobs = backlog<Waiting>();
  const job = (id: string, n: number) => ({ id, n, checkout: 'x', group: null, priority: 0 });
  jobs.occupy(job('theirs', 0));
  jobs.add(job('ours', 1));
  expect(jobs.take()).toBeNull();
  jobs.release('theirs');
  expect(jobs.take()?.id).toBe('ours');
});

const waits = (id: string, parts: Partial<WaitingCount> = {}): WaitingCount => ({
  id,
  n: Number.parseInt(id, 36),
  project: 'shop',
  checkout: null,
  group: null,
  priority: 0,
  notBefore: null,
  kind: 'command',
  ...parts,
});

function lineOf(options: Partial<WaitingLineOptions<WaitingCount>> = {}) {
  const alarms = new Set<() => void>();
  const line = new WaitingLine<WaitingCount>({
    clock: {
      now: () => 0,
      steady: () => 0,
      after(_ms, call) {
        alarms.add(call);
        return () => void alarms.delete(call);
      },
    },
    limits: {},
    count: (job) => waits(job.id, job),
    isPossible: () => true,
    onError: () => undefined,
    isKnown: () => false,
    wake: () => undefined,
    ...options,
  });
  return { line, alarms };
}

test('a job held by a limit is taken once, however often it is added', () => {
  const { line } = lineOf({ limits: { ofProject: () => 1 } });
  line.add([waits('a'), waits('b')]);
  expect([line.take()?.id, line.take()]).toEqual(['a', null]);
  line.add([waits('b'), waits('b')]);
  expect(line.take()).toBeNull();
  line.release('a');
  // It may go on now and was not taken yet.
  line.add([waits('b')]);
  expect(line.take()?.id).toBe('b');
  line.release('b');
  expect(line.take()).toBeNull();
});

test('a job without a capable worker is taken once when one arrives, however often it was added', () => {
  let isPossible = false;
  const { line } = lineOf({ isPossible: () => isPossible });
  line.add([waits('a')]);
  expect(line.take()).toBeNull();
  isPossible = true;
  line.add([waits('a'), waits('a')]);
  expect(line.take()).toBeNull();
  line.reconsider();
  expect(line.take()?.id).toBe('a');
  line.release('a');
  expect(line.take()).toBeNull();
});

test('a closed line cancels the alarm for delayed jobs', () => {
  const { line, alarms } = lineOf();
  line.add([waits('a', { notBefore: 5_000 })]);
  expect(alarms.size).toBe(1);
  line.close();
  expect(alarms.size).toBe(0);
});
