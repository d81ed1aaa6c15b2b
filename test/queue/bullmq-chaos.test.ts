// Everything goes wrong at random, and at the end all work is done, each piece of it counted once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Envelope } from '../../src/engine/index.js';
import { type BullmqQueue, openBullmqQueue } from '../../src/queue/index.js';
import type { SqliteStore } from '../../src/store/index.js';
import { job } from '../contract/queue-contract.js';
import { openStore } from '../open-store.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { type WorkerChild, type WorkerPlace, workerPlace } from '../redis/worker-child.js';
import { experimentSize } from '../size.js';
import { until } from './bullmq-bench.js';

const leaseMs = 900;
const projects = 20;
const tasks = 60;
const blows = 14 * experimentSize;

/** As much of an engine as it takes: what is lost is tried again under a new id, and what is settled stays so. */
class Book {
  readonly done = new Map<string, number>();
  readonly openIn = new Map<string, Set<string>>();
  readonly faults: string[] = [];
  readonly started = new Set<string>();
  readonly settled = new Set<string>();
  tries = 0;
  repeats = 0;
  queue: BullmqQueue | null = null;

  async begin(task: number, attempt = 1): Promise<void> {
    this.tries += 1;
    const project = `p${task % projects}`;
    await this.queue?.add([job(`t${task}-${attempt}`, { project, checkout: `/${project}` })]);
  }

  async begun(id: string): Promise<boolean> {
    if (this.settled.has(id)) return false;
    this.started.add(id);
    const checkout = checkoutOf(id);
    const open = this.openIn.get(checkout) ?? new Set();
    open.add(id);
    if (open.size > 1) this.faults.push(`${[...open].join(' and ')} at once`);
    this.openIn.set(checkout, open);
    return true;
  }

  async finished(id: string, envelope: Envelope): Promise<void> {
    await this.#settle(id, envelope.exit === 7 && envelope.killed === null);
  }

  async lost(id: string): Promise<void> {
    await this.#settle(id, false);
  }

  async #settle(id: string, isDone: boolean): Promise<void> {
    if (this.settled.has(id)) {
      this.repeats += 1;
      return;
    }
    if (!this.started.has(id)) this.faults.push(`${id} ended before it began`);
    this.settled.add(id);
    this.openIn.get(checkoutOf(id))?.delete(id);
    const [task = '', attempt = ''] = id.slice(1).split('-');
    if (isDone) this.done.set(task, (this.done.get(task) ?? 0) + 1);
    else await this.begin(Number(task), Number(attempt) + 1);
  }
}

function checkoutOf(id: string): string {
  return String(Number(id.slice(1).split('-')[0]) % projects);
}

describeRedis('a queue under chaos', () => {
  let server: RedisServer;
  let place: WorkerPlace;
  let folder: string;
  let store: SqliteStore;
  const book = new Book();
  const home = 'chaos';
  const errors: unknown[] = [];

  /** Bosun as it begins after whatever happened to the one before. */
  async function startBosun(): Promise<void> {
    store = openStore(join(folder, 'bosun.db'));
    const queue = await openBullmqQueue({
      ...{ redis: server.url, home, agentKinds: [], leaseMs, jobs: store.jobs, closeTimeoutMs: 300, reconcileMs: 500 },
      onError: (error) => errors.push(error),
    });
    book.queue = queue;
    const settled = [...book.settled];
    await queue.forget((await queue.known()).filter((id) => settled.includes(id)));
    const claimed = await queue.abandoned();
    await queue.requeue(claimed.map(({ id }) => id).filter((id) => !book.started.has(id)));
    queue.listen({
      started: (id) => book.begun(id),
      progress: () => undefined,
      finished: (id, envelope) => book.finished(id, envelope),
      lost: (id) => book.lost(id),
    });
  }

  async function endBosun(): Promise<void> {
    await book.queue?.close();
    store.close();
  }

  test(
    'settles each job exactly once despite killed workers, stopped processes and lost Redis data',
    async () => {
      server = await startRedis();
      place = workerPlace();
      folder = mkdtempSync(join(tmpdir(), 'bosun-chaos-'));
      const workers: WorkerChild[] = [];
      let named = 0;
      const hire = () => {
        named += 1;
        workers.push(place.start({ redis: server.url, home, name: `w${named}`, leaseMs, handlerMs: 500 }));
      };
      try {
        await startBosun();
        for (let at = 0; at < 4; at += 1) hire();
        for (let at = 0; at < tasks; at += 1) await book.begin(at);
        const random = seeded(7);
        const pick = () => Math.floor(random() * workers.length);
        const blow: readonly (readonly [string, () => Promise<void>])[] = [
          [
            'a worker is killed',
            async () => {
              workers.splice(pick(), 1)[0]?.signal('SIGKILL');
              hire();
            },
          ],
          [
            'a worker is stopped for longer than its lease',
            async () => {
              const worker = workers[pick()];
              worker?.signal('SIGSTOP');
              setTimeout(() => worker?.signal('SIGCONT'), leaseMs * 1.6);
            },
          ],
          ['Redis is emptied', async () => void (await server.client.flushall().catch(() => undefined))],
          ['Redis is killed and comes back', () => server.kill().then(() => server.start())],
          ['Bosun is started anew', () => endBosun().then(startBosun)],
          [
            'Redis stops for a while',
            async () => {
              server.pause();
              await new Promise((resolve) => setTimeout(resolve, 400));
              server.resume();
            },
          ],
        ];
        const struck = new Map<string, number>();
        for (let at = 0; at < blows; at += 1) {
          // Each of them comes, in an order that differs.
          const [name, strike] = blow[at < blow.length ? at : Math.floor(random() * blow.length)] ?? [
            '',
            async () => undefined,
          ];
          struck.set(name, (struck.get(name) ?? 0) + 1);
          await strike();
          await new Promise((resolve) => setTimeout(resolve, 150 + random() * 500));
          for (let more = 0; more < 10; more += 1) await book.begin(1_000 + at * 10 + more);
        }
        const wanted = tasks + blows * 10;
        await until(() => book.done.size === wanted);
        await until(async () => (await book.queue?.known())?.length === 0);
        await until(async () => (await server.client.hlen(`bosun-${home}:results`)) === 0);
        console.log(
          `${wanted} pieces of work in ${book.tries} tries, ${book.repeats} told twice; ${[...struck].map(([name, times]) => `${name}: ${times}`).join(', ')}`,
        );
        expect([...book.done.values()].filter((times) => times !== 1)).toEqual([]);
        expect(book.faults).toEqual([]);
        expect(errors).toEqual([]);
      } finally {
        await endBosun();
        await place.remove();
        await server.end();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    120_000 * experimentSize,
  );
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
