// Jobs that an idle worker gets directly, without BullMQ and without a question.
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { idleWorkers } from '../../src/queue/redis/offers/idle-workers.js';
import { pack } from '../../src/queue/redis/offers/job-payload.js';
import { openGrants } from '../../src/queue/redis/protocol/grants.js';
import { namesOf } from '../../src/queue/redis/protocol/redis-keys.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { type Bench, gatedRun, makeBench, until } from './bullmq-bench.js';

/** No lease ends while a test lasts. */
const leaseMs = 60_000;

describeRedis('a job for an idle worker', () => {
  let server: RedisServer;
  let bench: Bench;

  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(() => bench.end());
  afterAll(() => server.end());

  async function openWith(...[options = {}]: Parameters<Bench['worker']> | []) {
    bench = await makeBench(server.url, { leaseMs, reconcileMs: 600_000 });
    const gate = gatedRun();
    const worker = await bench.worker({ run: gate.run, leaseMs, ...options });
    await until(() => bench.queue.listWorkers().length === 1);
    return { ...gate, session: worker.session };
  }

  const offered = async (id: string) => (await server.client.exists(`bull:bosun-${bench.home}-any:${id}`)) === 1;
  const down = (session: string) => `bosun-${bench.home}:down:${session}`;

  function grantOf(id: string) {
    const { payload } = job(id);
    return JSON.stringify({ type: 'grant', id, withinMs: 5_000, disk: null, payload: pack(JSON.stringify(payload)) });
  }

  test('goes to it without BullMQ, and leaves nothing in Redis', async () => {
    const { started, end } = await openWith({ concurrency: 2 });
    await server.client.config('RESETSTAT');
    await bench.queue.add([job('a')]);
    for (const [id, next] of ['ab', 'bc', 'cd']) {
      await until(() => started.includes(String(id)));
      await bench.queue.add([job(String(next))]);
      await until(() => started.includes(String(next)));
      end(String(id));
      await bench.seen.saw(`finished ${id}`);
    }
    end('d');
    await bench.seen.saw('finished d');
    const stats = await server.client.info('commandstats');
    // BullMQ adds jobs with scripts that write hashes.
    expect(stats).not.toContain('cmdstat_hmset');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    await until(async () => (await server.client.exists(`bosun-${bench.home}:granted`)) === 0);
  });

  test('waits in BullMQ if no slot frees up soon, and starts from there', async () => {
    const { started, end } = await openWith({ concurrency: 1 });
    await bench.queue.add([job('a')]);
    await until(() => started.includes('a'));
    await bench.queue.add([job('b')]);
    await until(() => offered('b'));
    end('a');
    await until(() => started.includes('b'));
    end('b');
    await bench.seen.saw('finished b');
  });

  test('keeps its place in BullMQ when a worker took it without a free slot', async () => {
    const { started, end } = await openWith({ concurrency: 1 });
    await bench.queue.add([job('a')]);
    await until(() => started.includes('a'));
    await bench.queue.add([job('b')]);
    await until(() => offered('b'));
    await bench.queue.add([job('c')]);
    await until(() => offered('c'));
    end('a');
    await until(() => started.length === 2);
    expect(started).toEqual(['a', 'b']);
  });

  test('is not handed to a worker that closes', async () => {
    bench = await makeBench(server.url, { leaseMs, reconcileMs: 600_000 });
    const { run, started } = gatedRun();
    const worker = await bench.worker({ run, leaseMs, concurrency: 1 });
    await until(() => bench.queue.listWorkers().length === 1);
    await bench.queue.add([job('a'), job('b')]);
    await until(() => started.includes('a'));
    await worker.close();
    await bench.seen.saw('finished a');
    await until(() => bench.queue.listWorkers().length === 0);
    expect([started, await bench.queue.counts()]).toEqual([['a'], { queued: 1, running: 0 }]);
  });

  test('takes a slot that BullMQ’s jobs get back when it ends', async () => {
    const { started, end } = await openWith({ concurrency: 2, can: ['gpu'] });
    const needing = (id: string) => ({ ...job(id), payload: { ...job(id).payload, needs: ['gpu'] } });
    await bench.queue.add([job('direct')]);
    await until(() => started.includes('direct'));
    await bench.queue.add([needing('first')]);
    await until(() => started.includes('first'));
    await bench.queue.add([needing('second')]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(started).not.toContain('second');
    end('direct');
    await until(() => started.includes('second'));
  });

  test('begins once, although it is handed over again', async () => {
    const { started, end, session } = await openWith();
    await bench.queue.add([job('a')]);
    await until(() => started.includes('a'));
    await server.client.xadd(down(session), '*', 'm', grantOf('a'));
    end('a');
    await bench.seen.saw('finished a');
    await server.client.xadd(down(session), '*', 'm', grantOf('a'));
    await bench.queue.add([job('b')]);
    await until(() => started.includes('b'));
    expect([started, bench.seen.log.filter((line) => line.startsWith('lost'))]).toEqual([['a', 'b'], []]);
  });

  test('does not begin if its worker hears of it too late', async () => {
    bench = await makeBench(server.url, { leaseMs });
    const { run, started } = gatedRun();
    const worker = await bench.worker({ run, leaseMs });
    await server.client.xadd(down(worker.session), '1000-1', 'm', grantOf('late'));
    await until(() => bench.queue.listWorkers().length === 1);
    await bench.queue.add([job('a')]);
    await until(() => started.includes('a'));
    expect(started).toEqual(['a']);
  });

  test('begins when Bosun is back, if Bosun ended between recording its start and handing it over', async () => {
    const { started } = await openWith();
    const recorded: string[] = [];
    bench.queue.listen({
      ...bench.seen,
      started: (id) => {
        recorded.push(id);
        return new Promise(() => undefined);
      },
    });
    await bench.queue.add([job('a')]);
    await until(() => recorded.length === 1);
    expect(started).toEqual([]);
    const next = await bench.again();
    await until(() => started.length === 1);
    expect(next.seen.log).toEqual([]);
  });

  test('waits in the database for a while if its start cannot be recorded', async () => {
    const { started } = await openWith();
    let failures = 2;
    bench.seen.start = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('the store is full');
      return true;
    };
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    expect(bench.errors).toHaveLength(2);
    expect(bench.seen.log).toEqual(['started a far', 'started a far', 'started a far']);
  });

  test('is lost at once when its worker says goodbye without a result', async () => {
    const { started, session } = await openWith();
    await bench.queue.add([job('a')]);
    await until(() => started.includes('a'));
    await server.client.xadd(`bosun-${bench.home}:up`, '*', 'from', session, 'm', '{"type":"bye"}');
    await bench.seen.saw('lost a far');
  });
});

test('is not handed over while another Bosun may be active', async () => {
  const said: unknown[] = [];
  const note = (what: unknown) => void said.push(what);
  const redis = new Redis({ lazyConnect: true, enableOfflineQueue: false });
  const say = async (...what: unknown[]) => note(what);
  const grants = openGrants({ redis, names: namesOf('h1'), isActive: () => false, say, onError: note });
  const grant = { type: 'grant', id: 'a', withinMs: 1_000, disk: null, payload: pack('{}') } as const;
  expect([await grants.send('w-1', grant), said]).toEqual([false, []]);
});

test('an idle worker is the one with the most free slots that reaches the checkout', () => {
  const takers = [
    { session: 'w-1', name: 'small', slots: 1, isAway: false },
    { session: 'w-2', name: 'large', slots: 3, isAway: true },
  ];
  const idle = idleWorkers(takers, new Map([['w-2', 1]]));
  expect([false, true, true, false, false].map((needsDisk) => idle.take(needsDisk)?.name)).toEqual([
    'large',
    'small',
    undefined,
    'large',
    undefined,
  ]);
  expect(idle.areBusy).toBe(true);
  expect(idleWorkers([], new Map()).areBusy).toBe(false);
});
