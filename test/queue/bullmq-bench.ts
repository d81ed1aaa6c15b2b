// A store and a queue on a Redis, as the tests of its failures need them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyEnvelope } from '../../src/engine/index.js';
import {
  type BullmqOptions,
  type BullmqQueue,
  type BullmqWorkerOptions,
  openBullmqQueue,
  openBullmqWorker,
  type QueueWorker,
} from '../../src/queue/index.js';
import type { SqliteStore } from '../../src/store/index.js';
import { recorder } from '../contract/queue-contract.js';
import { openStore } from '../open-store.js';

export interface Bench {
  readonly home: string;
  readonly store: SqliteStore;
  readonly queue: BullmqQueue;
  readonly seen: ReturnType<typeof recorder>;
  readonly problems: (string | null)[];
  readonly errors: unknown[];
  /** The next Bosun, after this one has let go of Redis. */
  again(): Promise<Bench>;
  /** A worker apart from the queue. */
  worker(options: Partial<BullmqWorkerOptions>): Promise<QueueWorker & { readonly session: string }>;
  end(): Promise<void>;
}

/** Short, so that tests can wait for its end; long enough for a machine that has much else to do. */
export const leaseMs = 2_500;
let homes = 0;

export async function makeBench(redis: string, options: Partial<BullmqOptions> = {}): Promise<Bench> {
  homes += 1;
  const folder = mkdtempSync(join(tmpdir(), 'bosun-queue-'));
  return bench({ folder, home: `x${homes}`, redis, options, ends: [] });
}

interface Place {
  readonly folder: string;
  readonly home: string;
  readonly redis: string;
  readonly options: Partial<BullmqOptions>;
  readonly ends: (() => Promise<void>)[];
}

async function bench({ folder, home, redis, options, ends }: Place): Promise<Bench> {
  const store = openStore(join(folder, 'bosun.db'));
  const seen = recorder();
  const problems: (string | null)[] = [];
  const errors: unknown[] = [];
  const queue = await openBullmqQueue({
    ...{ redis, home, agentKinds: [], leaseMs, jobs: store.jobs, closeTimeoutMs: 1_000, reconcileMs: 400 },
    // That nothing is wrong is told at the start.
    onProblem: (problem) => void ((problem !== null || problems.length > 0) && problems.push(problem)),
    onError: (error) => errors.push(error),
    ...options,
  });
  queue.listen(seen);
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await queue.close();
    store.close();
  };
  ends.push(close);
  return {
    ...{ home, store, queue, seen, problems, errors },
    async again() {
      await close();
      return bench({ folder, home, redis, options, ends });
    },
    async worker(parts) {
      const worker = await openBullmqWorker({
        ...{
          redis,
          home,
          agentKinds: [],
          leaseMs,
          name: 'far',
          concurrency: 4,
          closeTimeoutMs: 1_000,
          patienceMs: 1_000,
        },
        run: async () => emptyEnvelope,
        onError: (error) => errors.push(error),
        ...parts,
      });
      ends.push(() => worker.close());
      return worker;
    },
    async end() {
      for (const one of ends.reverse()) await one();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Asks again until it is so; the test's own limit ends it. */
export async function until(claim: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A handler that ends when the test says so, or when it is aborted. */
export function gatedRun() {
  const started: string[] = [];
  const aborted: string[] = [];
  const ends = new Map<string, () => void>();
  const run: BullmqWorkerOptions['run'] = (spec, control) =>
    new Promise((resolve) => {
      started.push(spec.attempt);
      ends.set(spec.attempt, () => resolve({ ...emptyEnvelope, exit: 0 }));
      control.signal.addEventListener('abort', () => {
        aborted.push(`${spec.attempt} ${String(control.signal.reason)}`);
        resolve({ ...emptyEnvelope, killed: control.signal.reason === 'cancel' ? 'cancel' : 'interrupted' });
      });
    });
  return { run, started, aborted, end: (id: string) => ends.get(id)?.() };
}
