import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.js';
import { emptyEnvelope } from '../../src/engine/index.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { proxyTo, type RedisProxy } from '../redis/proxy.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { type WorkerPlace, workerPlace } from '../redis/worker-child.js';
import { type Bench, gatedRun, leaseMs, makeBench, until } from './bullmq-bench.js';

describeRedis('a queue with remote workers', () => {
  let server: RedisServer;
  let place: WorkerPlace | null = null;
  let proxy: RedisProxy | null = null;
  const benches: Bench[] = [];

  beforeAll(async () => {
    server = await startRedis();
  });

  afterEach(async () => {
    server.resume();
    for (const one of benches.splice(0)) await one.end();
    await place?.remove();
    await proxy?.close();
    place = null;
    proxy = null;
    await server.client.config('SET', 'maxmemory', '0');
  });

  afterAll(() => server.end());

  async function open(...args: Parameters<typeof makeBench> | []): Promise<Bench> {
    const bench = await makeBench(args[0] ?? server.url, args[1]);
    benches.push(bench);
    return bench;
  }

  const of = (bench: Bench, word: string) => bench.seen.log.filter((line) => line.startsWith(`${word} `));
  const lyingIn = (bench: Bench, rest: string) => server.client.keys(`*bosun-${bench.home}${rest}`);

  test('offers jobs again under the same ids after Redis lost them, and runs each once', async () => {
    const bench = await open();
    await bench.queue.add([job('a'), job('b', { priority: 3 })]);
    await until(async () => (await lyingIn(bench, '-any:a')).length === 1);
    await server.client.flushall();
    const { run, started, end } = gatedRun();
    await bench.worker({ run });
    await until(() => started.length === 2);
    end('a');
    end('b');
    await bench.seen.saw('finished a');
    await bench.seen.saw('finished b');
    expect(of(bench, 'started').sort()).toEqual(['started a far', 'started b far']);
    expect(of(bench, 'lost')).toEqual([]);
  });

  test('reports a running job as lost when Redis loses it, and ignores its handler’s late result', async () => {
    const bench = await open();
    const { run, started, aborted } = gatedRun();
    await bench.worker({ run });
    await bench.queue.add([job('a', { checkout: '/x' }), job('b', { checkout: '/x' })]);
    await until(() => started.includes('a'));
    await server.client.flushall();
    await bench.seen.saw('lost a far');
    await until(() => aborted.includes('a interrupted'));
    await until(() => started.includes('b'));
    expect(of(bench, 'finished')).toEqual([]);
    expect(bench.errors).toEqual([]);
  });

  test('keeps nothing of settled jobs in Redis, so that an id can be used again', async () => {
    const bench = await open();
    const { run, started, end } = gatedRun();
    await bench.worker({ run });
    bench.seen.start = async (id) => id !== 'refused';
    await bench.queue.add([job('a'), job('refused')]);
    await until(() => started.includes('a'));
    end('a');
    await bench.seen.saw('finished a');
    await until(
      async () => (await lyingIn(bench, '-any:a')).length + (await lyingIn(bench, '-any:refused')).length === 0,
    );
    await until(async () => (await server.client.hlen(`bosun-${bench.home}:results`)) === 0);
    await until(async () => (await server.client.xlen(`bosun-${bench.home}:up`)) < 5);
    // BullMQ would keep ten thousand of them.
    expect(await server.client.hget(`bull:bosun-${bench.home}-any:meta`, 'opts.maxLenEvents')).toBe('100');
  });

  test('offers a job again if its worker died before the start was recorded', async () => {
    const bench = await open();
    await bench.queue.add([job('a')]);
    const connection = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: null });
    const doomed = new Worker(`bosun-${bench.home}-any`, null, { connection, lockDuration: 200 });
    await doomed.waitUntilReady();
    await until(async () => (await doomed.getNextJob('token', { block: false }))?.id === 'a');
    await doomed.close(true);
    connection.disconnect();
    const { run, started, end } = gatedRun();
    await bench.worker({ run });
    await until(() => started.length === 1);
    end('a');
    await bench.seen.saw('finished a');
    expect(of(bench, 'started')).toEqual(['started a far']);
  });

  test('recovers after Redis was killed and restarted, and reports the outage once', async () => {
    const bench = await open();
    const { run, started, end } = gatedRun();
    await bench.worker({ run });
    await bench.queue.add([job('a')]);
    await until(() => started.includes('a'));
    await server.kill();
    await until(() => bench.queue.problem !== null);
    const before = Date.now();
    await bench.queue.add([job('b')]);
    expect(await bench.queue.known()).toEqual(['a', 'b']);
    expect(Date.now() - before).toBeLessThan(200);
    end('a');
    await server.start();
    await bench.seen.saw('finished a');
    await until(() => started.includes('b'));
    end('b');
    await bench.seen.saw('finished b');
    expect(bench.problems).toEqual([expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ is unreachable\./), null]);
    expect([of(bench, 'lost'), bench.errors]).toEqual([[], []]);
  });

  test('loses no worker while Redis itself hangs for longer than a lease', async () => {
    const bench = await open();
    const { run, started, aborted } = gatedRun();
    await bench.worker({ run });
    await bench.queue.add([job('a'), job('z', { notBefore: Date.now() + 600_000 })]);
    await until(() => started.includes('a'));
    server.pause();
    await until(() => aborted.includes('a interrupted'));
    await new Promise((resolve) => setTimeout(resolve, leaseMs));
    expect(of(bench, 'lost')).toEqual([]);
    expect(bench.problems).toEqual([expect.stringContaining('Redis at')]);
    server.resume();
    await bench.seen.saw('finished a');
    expect(bench.seen.envelopes.get('a')?.killed).toBe('interrupted');
    expect(await bench.queue.known()).toContain('z');
  });

  test('accepts jobs while Redis is full, keeps running ones, and resumes when it has room', async () => {
    const bench = await open();
    const { run, started, aborted, end } = gatedRun();
    await bench.worker({ run });
    await bench.queue.add([job('a'), job('c')]);
    await until(() => started.length === 2);
    await server.client.config('SET', 'maxmemory', '1');
    await bench.queue.add([job('b')]);
    await until(() => bench.queue.problem?.includes('is out of memory') === true);
    end('a');
    await new Promise((resolve) => setTimeout(resolve, leaseMs * 1.5));
    expect([started.length, aborted, of(bench, 'finished'), of(bench, 'lost')]).toEqual([2, [], [], []]);
    await server.client.config('SET', 'maxmemory', '0');
    await bench.seen.saw('finished a');
    await until(() => started.includes('b'));
    expect(bench.seen.envelopes.get('a')?.killed).toBeNull();
    expect(bench.queue.problem).toBeNull();
    // BullMQ looks in vain for what lost its lock meanwhile, and Bosun for what BullMQ took away.
    await bench.worker({ run, name: 'fresh' });
    await new Promise((resolve) => setTimeout(resolve, leaseMs * 3));
    expect([aborted, of(bench, 'lost')]).toEqual([[], []]);
    end('c');
    await bench.seen.saw('finished c');
  });

  test('works with a slow Redis', async () => {
    proxy = await proxyTo(server.port);
    proxy.delayMs = 60;
    const bench = await open(proxy.url);
    await bench.worker({});
    await bench.queue.add([job('a'), job('b')]);
    await bench.seen.saw('finished a');
    await bench.seen.saw('finished b');
    expect(of(bench, 'lost')).toEqual([]);
  });

  test('starts without Redis, and runs jobs when it comes up', async () => {
    proxy = await proxyTo(server.port);
    proxy.cut();
    const bench = await open(proxy.url);
    await bench.worker({});
    await bench.queue.add([job('a')]);
    await until(() => bench.problems.length > 0);
    proxy.mend();
    await bench.seen.saw('finished a');
    // In other words once more, where it was found out why.
    const [last, ...before] = [...bench.problems].reverse();
    expect(last).toBeNull();
    expect(before.filter((one) => one?.includes('is unreachable') !== true)).toEqual([]);
  });

  test('detects a killed worker, and reports its job as lost', async () => {
    place = workerPlace();
    const bench = await open();
    const child = place.start({ redis: server.url, home: bench.home, name: 'doomed', leaseMs });
    await bench.queue.add([job('a')]);
    await child.saw('run a');
    expect(bench.queue.listWorkers()).toMatchObject([{ name: 'doomed', slots: 4 }]);
    child.signal('SIGKILL');
    const killedAt = Date.now();
    await bench.seen.saw('lost a doomed');
    expect(Date.now() - killedAt).toBeLessThan(leaseMs * 2);
    await until(async () => (await bench.queue.known()).length === 0);
  });

  test('ignores a suspended worker that wakes up after its job was given to another', async () => {
    place = workerPlace();
    const bench = await open();
    const stopped = place.start({ redis: server.url, home: bench.home, name: 'stopped', leaseMs });
    await bench.queue.add([job('a', { checkout: '/x' })]);
    await stopped.saw('run a');
    stopped.signal('SIGSTOP');
    await bench.seen.saw('lost a stopped');
    const { run, started, end } = gatedRun();
    await bench.worker({ run, name: 'next' });
    await bench.queue.add([job('a-2', { checkout: '/x' })]);
    await until(() => started.includes('a-2'));
    place.openGate();
    stopped.signal('SIGCONT');
    await stopped.saw('end a');
    // What it says of `a` has come and gone once a later one of it has been settled.
    await bench.queue.add([job('c'), job('d'), job('e'), job('f'), job('g')]);
    await Promise.race(['c', 'd', 'e', 'f', 'g'].map((id) => bench.seen.saw(`finished ${id}`)));
    await until(async () => (await server.client.hlen(`bosun-${bench.home}:results`)) === 0);
    end('a-2');
    await bench.seen.saw('finished a-2');
    expect(of(bench, 'lost')).toEqual(['lost a stopped']);
    expect(of(bench, 'finished')).not.toContain('finished a');
    expect(bench.seen.envelopes.get('a-2')?.exit).toBe(0);
  });

  test('takes an envelope that arrived while Bosun was down, once, and keeps workers running', async () => {
    const first = await open();
    const { run, started, end } = gatedRun();
    await first.worker({ run });
    await first.queue.add([job('a'), job('b')]);
    await until(() => started.length === 2);
    const bench = await first.again();
    end('a');
    await bench.seen.saw('finished a');
    await new Promise((resolve) => setTimeout(resolve, leaseMs * 1.5));
    expect(of(bench, 'lost')).toEqual([]);
    expect(await bench.queue.known()).toEqual(['b']);
    expect(await bench.queue.outliving?.()).toEqual(['b']);
    end('b');
    await bench.seen.saw('finished b');
    expect(first.seen.envelopes.size).toBe(0);
  });

  test('applies an envelope once if it is delivered twice', async () => {
    const bench = await open();
    const worker = await bench.worker({});
    await bench.queue.add([job('a')]);
    await bench.seen.saw('finished a');
    const written = JSON.stringify({ worker: 'far', envelope: { ...emptyEnvelope, exit: 99 } });
    const { home } = bench;
    for (const session of [worker.session, 'another']) {
      await server.client.hset(`bosun-${home}:results`, `a ${session}`, written);
      const said = JSON.stringify({ type: 'result', id: 'a' });
      await server.client.xadd(`bosun-${home}:up`, '*', 'from', session, 'm', said);
    }
    await until(async () => (await server.client.hlen(`bosun-${home}:results`)) === 0);
    expect(of(bench, 'finished')).toEqual(['finished a']);
    expect(bench.seen.envelopes.get('a')?.exit).toBeNull();
  });

  test('rejects an envelope of another session, and finds one whose message was lost', async () => {
    const bench = await open();
    const { run, started } = gatedRun();
    const worker = await bench.worker({ run });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    const results = `bosun-${bench.home}:results`;
    const written = (exit: number) => JSON.stringify({ worker: 'far', envelope: { ...emptyEnvelope, exit } });
    await server.client.hset(results, 'a another', written(98));
    await until(async () => (await server.client.hlen(results)) === 0);
    expect(of(bench, 'finished')).toEqual([]);
    await server.client.hset(results, `a ${worker.session}`, written(5));
    await bench.seen.saw('finished a');
    expect(bench.seen.envelopes.get('a')?.exit).toBe(5);
  });

  test('returns a job to the queue if Bosun does not answer, and starts it once Bosun is back', async () => {
    const first = await open();
    await first.queue.add([job('a')]);
    await until(async () => (await lyingIn(first, '-any:a')).length === 1);
    const home = first.home;
    const next = first.again.bind(first);
    await first.queue.close();
    const { run, started } = gatedRun();
    await first.worker({ run, patienceMs: 200 });
    await until(async () => (await server.client.zcard(`bull:bosun-${home}-any:delayed`)) === 1);
    expect(started).toEqual([]);
    const bench = await next();
    await until(() => started.length === 1);
    expect(of(bench, 'started')).toEqual(['started a far']);
  });

  test('delivers a cancel within two seconds, even one made while Redis was away', async () => {
    proxy = await proxyTo(server.port);
    const bench = await open(proxy.url);
    const { run, started, aborted } = gatedRun();
    await bench.worker({ run, redis: server.url });
    await bench.queue.add([job('a'), job('b')]);
    await until(() => started.length === 2);
    const saidAt = Date.now();
    await bench.queue.cancel('a');
    await until(() => aborted.includes('a cancel'));
    expect(Date.now() - saidAt).toBeLessThan(2_000);
    proxy.cut();
    await until(() => bench.queue.problem !== null);
    expect(await bench.queue.cancel('b')).toBe('signalled');
    proxy.mend();
    const mendedAt = Date.now();
    await until(() => aborted.includes('b cancel'));
    expect(Date.now() - mendedAt).toBeLessThan(4_000);
  });

  test('gives jobs only to workers that meet their needs, up to their concurrency', async () => {
    const bench = await open();
    const [plain, able] = [gatedRun(), gatedRun()];
    await bench.worker({ run: plain.run, name: 'plain' });
    const needing = (id: string, ...needs: string[]) => ({ ...job(id), payload: { ...job(id).payload, needs } });
    await bench.queue.add([needing('a', 'gpu'), needing('b', 'gpu', 'macos'), needing('c', 'cobol')]);
    await bench.worker({ run: able.run, name: 'able', can: ['macos', 'gpu'], concurrency: 1 });
    await until(() => able.started.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(able.started).toHaveLength(1);
    able.end(able.started[0] ?? '');
    await until(() => able.started.length === 2);
    expect([...able.started].sort()).toEqual(['a', 'b']);
    expect(plain.started).toEqual([]);
    // The worker has the next one while Bosun still writes down the end of the one before.
    await until(async () => (await bench.queue.counts()).running === 1);
    expect(await bench.queue.counts()).toEqual({ queued: 1, running: 1 });
  });

  test('excludes jobs without a capable worker from limits until one arrives', async () => {
    const bench = await open(server.url, { limits: { ofKind: () => 2 }, reconcileMs: 600_000 });
    const [plain, able] = [gatedRun(), gatedRun()];
    const needing = (id: string) => ({ ...job(id), payload: { ...job(id).payload, needs: ['gpu'] } });
    const first = await bench.worker({ name: 'first' });
    await until(() => bench.queue.listWorkers().length === 1);
    await first.close();
    await until(() => bench.queue.listWorkers().length === 0);
    // Nobody is there: it is not known yet what cannot be done.
    await bench.queue.add([needing('a'), needing('b'), job('c'), job('d')]);
    await until(() => bench.queue.onOffer().size === 2);
    await bench.worker({ run: plain.run, name: 'plain' });
    await until(() => plain.started.length === 2);
    expect(bench.queue.onOffer().size).toBe(0);
    await bench.worker({ run: able.run, name: 'able', can: ['gpu'] });
    plain.end('c');
    await until(() => able.started.length === 1);
    plain.end('d');
    await until(() => able.started.length === 2);
    expect([...plain.started, ...able.started]).toEqual(['c', 'd', 'a', 'b']);
  });

  test('lets a later worker find jobs that were offered after Redis lost everything', async () => {
    const bench = await open(server.url, { reconcileMs: 600_000 });
    const needing = (id: string) => ({ ...job(id), payload: { ...job(id).payload, needs: ['gpu'] } });
    await bench.worker({ can: ['gpu'], run: gatedRun().run, concurrency: 1 });
    await until(() => bench.queue.listWorkers().length === 1);
    await bench.queue.reconcile();
    await bench.queue.add([needing('a')]);
    await until(async () => (await lyingIn(bench, '-gpu:a')).length === 1);
    await server.client.flushall();
    await bench.queue.add([needing('b')]);
    await until(async () => (await lyingIn(bench, '-gpu:b')).length === 1);
    await bench.worker({ can: ['gpu'] });
    await bench.seen.saw('finished b');
  });

  test('offers no more jobs of a project than its limit in Redis', async () => {
    const bench = await open(server.url, { limits: { ofProject: (name) => (name === 'shop' ? 2 : null) } });
    const { run, started, end } = gatedRun();
    await bench.worker({ run, concurrency: 10 });
    const blog = { project: 'blog' };
    await bench.queue.add([job('a'), job('b'), job('c'), job('d', blog), job('e', blog), job('f', blog)]);
    await until(() => started.length === 5);
    expect(started).not.toContain('c');
    expect(await bench.queue.cancel('c')).toBe('removed');
    await bench.queue.add([job('g')]);
    end('a');
    await until(() => started.includes('g'));
    expect(started).toHaveLength(6);
  });

  test('offers no more jobs of one executor kind than its limit, across projects', async () => {
    const bench = await open(server.url, { limits: { ofKind: (kind) => (kind === 'script' ? 1 : null) } });
    const { run, started, end } = gatedRun();
    await bench.worker({ run, concurrency: 10 });
    const scripted = (id: string, project: string) => {
      const { payload } = job(id);
      const executor = { kind: 'script', file: './play.sh', env: {}, passEnv: [] } as const;
      return job(id, { project, payload: { ...payload, project, executor } });
    };
    await bench.queue.add([scripted('a', 'shop'), scripted('b', 'blog'), job('c'), job('d', { project: 'blog' })]);
    await until(() => started.length === 3);
    expect(started.toSorted()).toEqual(['a', 'c', 'd']);
    expect(await bench.queue.counts()).toEqual({ queued: 1, running: 3 });
    end('a');
    await until(() => started.includes('b'));
  });

  test('keeps working when its machine’s clock is changed', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const bench = await open(server.url, { clock });
    await bench.worker({});
    await until(() => bench.queue.listWorkers().length === 1);
    aheadMs = 1_000;
    await bench.queue.add([job('a')]);
    await bench.seen.saw('finished a');
  });

  test('detects a dead worker in time even if its own clock was set back', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    place = workerPlace();
    const bench = await open(server.url, { clock });
    const child = place.start({ redis: server.url, home: bench.home, name: 'doomed', leaseMs });
    await bench.queue.add([job('a')]);
    await child.saw('run a');
    child.signal('SIGKILL');
    aheadMs = -3_600_000;
    await bench.seen.saw('lost a doomed');
  });

  test('aborts the jobs of a cut-off worker even if the worker’s clock was set back', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    proxy = await proxyTo(server.port);
    const bench = await open();
    const { run, started, aborted } = gatedRun();
    await bench.worker({ run, clock, redis: proxy.url });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    aheadMs = -3_600_000;
    proxy.cut();
    await until(() => aborted.includes('a interrupted'));
  });

  test('keeps a job whose checkout cannot be inspected on the home’s disk, and starts all others', async () => {
    const needsOf = ({ project }: { readonly project: string }) => {
      if (project === 'torn') throw new Error('EIO: i/o error, stat');
      return [];
    };
    const bench = await open(server.url, { needsOf });
    const { run, started } = gatedRun();
    await bench.worker({ run });
    const torn = { payload: { ...job('a').payload, project: 'torn' } };
    await bench.queue.add([job('a', torn), job('b')]);
    await until(() => started.length === 2);
    await bench.queue.reconcile();
    expect(bench.problems).toEqual([]);
    expect(String(bench.errors[0])).toContain('EIO');
  });

  test('does not list a worker whose last heartbeat is old', async () => {
    const bench = await open(server.url, { reconcileMs: 600_000 });
    const beat = { type: 'beat', version: 2, name: 'gone', can: [], slots: 2, runs: [] };
    const up = `bosun-${bench.home}:up`;
    await server.client.xadd(up, '1000-1', 'from', 'w-gone', 'm', JSON.stringify(beat));
    await bench.worker({ name: 'here' });
    await until(() => bench.queue.listWorkers().length > 0);
    expect(bench.queue.listWorkers()).toMatchObject([{ name: 'here' }]);
  });

  test('leaves workers’ messages in the stream while it is not the active process', async () => {
    let isActive = true;
    const bench = await open(server.url, { isActive: () => isActive });
    await bench.worker({ name: 'first' });
    await until(() => bench.queue.listWorkers().length === 1);
    isActive = false;
    const worker = await bench.worker({ name: 'second' });
    const up = `bosun-${bench.home}:up`;
    const said = async () => JSON.stringify(await server.client.xrange(up, '-', '+'));
    await until(async () => (await said()).includes(worker.session));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await said()).toContain(worker.session);
    isActive = true;
    await until(() => bench.queue.listWorkers().length === 2);
  });

  test('reports too many distinct sets of needs as such, not as an outage', async () => {
    const bench = await open(server.url, { leaseMs: 15_000 });
    await until(async () => (await lyingIn(bench, ':alive')).length === 1);
    const needing = (n: number) => ({ ...job(`n${n}`), payload: { ...job(`n${n}`).payload, needs: [`w${n}`] } });
    await bench.queue.add(Array.from({ length: 210 }, (_, n) => needing(n)));
    await until(() => bench.errors.length > 0);
    expect(String(bench.errors[0])).toContain('more than 200 sets of needs');
    expect(bench.problems).toEqual([]);
  });

  test('removes unknown jobs from Redis', async () => {
    const bench = await open();
    await bench.queue.add([job('a'), job('b')]);
    await until(async () => (await lyingIn(bench, '-any:b')).length === 1);
    bench.store.jobs.forget(['b']);
    await until(async () => (await lyingIn(bench, '-any:b')).length === 0);
    expect(await lyingIn(bench, '-any:a')).toHaveLength(1);
  });

  test('skips unreadable messages', async () => {
    const bench = await open();
    const { home } = bench;
    const odd = ['', '{', '{"type":"ask"}', '{"type":"result","id":""}', `"${'x'.repeat(300_000)}"`];
    for (const m of odd) {
      for (const stream of ['up', 'told'])
        await server.client.xadd(`bosun-${home}:${stream}`, '*', 'from', 'w', 'm', m);
    }
    await server.client.xadd(`bosun-${home}:up`, '*', 'other', 'field');
    const worker = await bench.worker({});
    await server.client.xadd(`bosun-${home}:down:${worker.session}`, '*', 'm', 'nothing');
    await bench.queue.add([job('a')]);
    await bench.seen.saw('finished a');
    expect(bench.errors).toEqual([]);
  });

  test('turns an unreadable or oversized envelope into a fault of the worker', async () => {
    const bench = await open();
    const { run, started } = gatedRun();
    const worker = await bench.worker({ run });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    const { home } = bench;
    await server.client.hset(
      `bosun-${home}:results`,
      `a ${worker.session}`,
      '{"worker":"far","envelope":{"exit":"0"}}',
    );
    await server.client.xadd(`bosun-${home}:up`, '*', 'from', worker.session, 'm', '{"type":"result","id":"a"}');
    await bench.seen.saw('finished a');
    expect(bench.seen.envelopes.get('a')?.fault?.code).toBe('result_unreadable');
    const large = { ...emptyEnvelope, warnings: ['x'.repeat(5 * 1024 * 1024)] };
    await bench.worker({ name: 'verbose', can: ['talk'], run: async () => large });
    await bench.queue.add([{ ...job('b'), payload: { ...job('b').payload, needs: ['talk'] } }]);
    await bench.seen.saw('finished b');
    expect(bench.seen.envelopes.get('b')?.fault?.code).toBe('result_too_large');
  });

  test('adjusts a worker with a longer lease to Bosun’s lease', async () => {
    const bench = await open();
    await until(async () => (await lyingIn(bench, ':alive')).length === 1);
    const { run, started, end } = gatedRun();
    await bench.worker({ run, leaseMs: 60_000 });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 2 * leaseMs));
    end('a');
    await bench.seen.saw('finished a');
    expect(of(bench, 'lost')).toEqual([]);
  });

  test('closes at once while Redis is away, and so does the worker', async () => {
    proxy = await proxyTo(server.port);
    const bench = await open(proxy.url);
    const worker = await bench.worker({ redis: proxy.url, closeTimeoutMs: 8_000 });
    await until(() => bench.queue.listWorkers().length === 1);
    await proxy.close();
    await until(() => bench.queue.problem !== null);
    const since = performance.now();
    await Promise.all([worker.close(), bench.queue.close()]);
    expect(performance.now() - since).toBeLessThan(2_000);
  });

  test('rejects a job of another protocol version with a clear message', async () => {
    const bench = await open();
    await bench.queue.add([job('a')]);
    const key = `bull:bosun-${bench.home}-any:a`;
    await until(async () => (await server.client.exists(key)) === 1);
    await server.client.hset(key, 'data', JSON.stringify({ version: 99, body: '{}' }));
    await bench.worker({});
    await bench.seen.saw('finished a');
    expect(bench.seen.envelopes.get('a')?.fault).toMatchObject({ code: 'worker_version', remedy: 'ask' });
    expect(bench.seen.envelopes.get('a')?.fault?.message).toContain('version 99');
  });
});
