import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { BosunError } from '../../src/base/error.js';
import { systemClock } from '../../src/base/index.js';
import { type Envelope, emptyEnvelope } from '../../src/engine/index.js';
import type { BosunConnection, JobControl } from '../../src/jobs/attempt-control.js';
import type { AgentCall } from '../../src/jobs/remote-calls.js';
import { lookAtRedis, type QueueEvents } from '../../src/queue/index.js';
import { protocolVersion } from '../../src/queue/redis/protocol/messages.js';
import { job } from '../contract/queue-contract.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { type Bench, gatedRun, makeBench, until } from './bullmq-bench.js';

const freight = {
  ...{ remote: 'git@host:shop', ref: 'refs/bosun/h/a/out', commit: 'c'.repeat(40), backRef: 'refs/bosun/h/a/back' },
  ...{ prefix: 'sub', setup: 'npm ci' },
};

describeRedis('a worker without the home’s disk', () => {
  let server: RedisServer;
  const benches: Bench[] = [];

  beforeAll(async () => {
    server = await startRedis();
  });

  afterEach(async () => {
    for (const one of benches.splice(0)) await one.end();
  });

  afterAll(() => server.end());

  async function open(options: Parameters<typeof makeBench>[1] = {}): Promise<Bench> {
    const bench = await makeBench(server.url, options);
    benches.push(bench);
    return bench;
  }

  function afarOf({ connection: afar }: JobControl): BosunConnection {
    if (afar === undefined) throw new Error('has the disk');
    return afar;
  }

  /** Runs one job on such a worker; gives its envelope. */
  async function runAfar(
    events: Partial<QueueEvents>,
    act: (afar: BosunConnection) => Promise<Partial<Envelope>>,
  ): Promise<Envelope | undefined> {
    const bench = await open();
    bench.queue.listen({ ...bench.seen, ...events });
    const run = async (_: unknown, control: JobControl) => ({ ...emptyEnvelope, ...(await act(afarOf(control))) });
    await bench.worker({ run, isAway: true });
    await bench.queue.add([job('a')]);
    await bench.seen.saw('finished a');
    return bench.seen.envelopes.get('a');
  }

  const needing = (id: string, ...needs: string[]) => ({ ...job(id), payload: { ...job(id).payload, needs } });
  const lyingIn = ({ home }: Bench, rest: string) => server.client.keys(`*bosun-${home}-${rest}`);

  test('fetches the ref of its checkout', async () => {
    const envelope = await runAfar({ fetch: async (id) => ({ ...freight, prefix: id }) }, async (afar) => {
      return { warnings: [JSON.stringify(await afar.fetch())] };
    });
    expect(JSON.parse(envelope?.warnings[0] ?? '')).toEqual({ ...freight, prefix: 'a' });
  });

  test('gets Bosun’s error message if its checkout cannot be sent', async () => {
    const fetch = async () => {
      throw new BosunError('git', 'The remote is gone', { hint: 'Look at git.remote.' });
    };
    const envelope = await runAfar({ fetch }, async (afar) => {
      await afar.fetch();
      return {};
    });
    expect(envelope?.fault?.message).toBe('The remote is gone. Look at git.remote.');
  });

  test('forwards calls of its agent and their answers, up to 70,000 characters', async () => {
    const calls: (AgentCall & { readonly id: string })[] = [];
    const call = async (id: string, said: AgentCall) => {
      calls.push({ id, ...said });
      return { status: 201, body: `ok ${said.body.length}` };
    };
    const body = '\u0002'.repeat(70_000);
    const envelope = await runAfar({ call }, async (afar) => {
      const reply = await afar.call({ path: '/agent/permission', body });
      return { warnings: [`${reply.status} ${reply.body}`] };
    });
    expect(envelope?.warnings).toEqual(['201 ok 70000']);
    expect(calls).toEqual([{ id: 'a', path: '/agent/permission', body }]);
  });

  test('gets status 500 without details if Bosun’s handler throws', async () => {
    const call = async () => {
      throw new Error('secret');
    };
    const envelope = await runAfar({ call }, async (afar) => {
      const reply = await afar.call({ path: '/agent/ask', body: '{}' });
      return { warnings: [`${reply.status} ${reply.body}`] };
    });
    expect(envelope?.warnings[0]).toMatch(/^500 /);
    expect(envelope?.warnings[0]).not.toContain('secret');
  });

  test('is answered once for a repeated call, and calls of other sessions are ignored', async () => {
    const bench = await open();
    const asked: string[] = [];
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const call = async (_: string, { body }: AgentCall) => {
      asked.push(body);
      await released;
      return { status: 200, body: `re ${body}` };
    };
    bench.queue.listen({ ...bench.seen, call });
    const { run, started, end } = gatedRun();
    const worker = await bench.worker({ run, isAway: true });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    const say = (from: string, name: string, body: string) => {
      const said = { type: 'call', id: 'a', call: name, path: '/agent/ask', body };
      return server.client.xadd(`bosun-${bench.home}:up`, '*', 'from', from, 'm', JSON.stringify(said));
    };
    await say('w-another', 'c0', 'foreign');
    await say(worker.session, 'c1', 'one');
    await say(worker.session, 'c1', 'one');
    await say(worker.session, 'c2', 'two');
    await until(() => asked.length === 2);
    release();
    await say(worker.session, 'c1', 'one');
    await say(worker.session, 'c3', 'three');
    await until(() => asked.length === 3);
    expect(asked).toEqual(['one', 'two', 'three']);
    end('a');
    await bench.seen.saw('finished a');
  });

  test('is answered by a restarted Bosun', async () => {
    const first = await open();
    const asked: string[] = [];
    first.queue.listen({
      ...first.seen,
      fetch: (id) => {
        asked.push(id);
        return new Promise(() => undefined);
      },
    });
    // Says again sooner than a real one, so that nobody has to wait for it.
    const clock = {
      ...systemClock,
      after(ms: number, call: () => void) {
        const timer = setTimeout(call, ms === 10_000 ? 100 : ms);
        return () => clearTimeout(timer);
      },
    };
    const run = async (_: unknown, control: JobControl) => {
      const { commit } = await afarOf(control).fetch();
      return { ...emptyEnvelope, warnings: [commit] };
    };
    await first.worker({ run, isAway: true, clock, patienceMs: 2_000 });
    await first.queue.add([job('a')]);
    await until(() => asked.length === 1);
    const bench = await first.again();
    bench.queue.listen({ ...bench.seen, fetch: async () => freight });
    await bench.seen.saw('finished a');
    expect(bench.seen.envelopes.get('a')?.warnings).toEqual([freight.commit]);
    expect(asked).toEqual(['a']);
  });

  test('takes no job that needs the home’s disk, and a worker with the disk takes it at once', async () => {
    const bench = await open();
    const [away, near] = [gatedRun(), gatedRun()];
    await bench.worker({ run: away.run, name: 'away', isAway: true, can: ['gpu', 'home-disk'] });
    await bench.queue.add([needing('a', 'home-disk'), job('b'), needing('c', 'gpu')]);
    await until(() => away.started.length === 2);
    expect(away.started.toSorted()).toEqual(['b', 'c']);
    await bench.worker({ run: near.run, name: 'near' });
    const from = performance.now();
    await until(() => near.started.length === 1);
    expect(performance.now() - from).toBeLessThan(1_500);
    expect(near.started).toEqual(['a']);
  });

  test('takes a job as soon as it no longer needs the home’s disk', async () => {
    let isBound = true;
    const bench = await open({ needsOf: () => (isBound ? ['home-disk'] : []) });
    const [away, near] = [gatedRun(), gatedRun()];
    await bench.worker({ run: near.run, name: 'near', concurrency: 1 });
    await bench.queue.add([job('busy')]);
    await until(() => near.started.length === 1);
    await bench.worker({ run: away.run, name: 'away', isAway: true });
    await bench.queue.add([job('a'), job('b')]);
    await until(async () => (await lyingIn(bench, 'home-disk:a')).length === 1);
    await bench.queue.reconcile();
    expect(away.started).toEqual([]);
    isBound = false;
    await bench.queue.reconcile();
    await until(() => away.started.length === 2);
    expect(await lyingIn(bench, 'home-disk:a')).toEqual([]);
    for (const id of ['a', 'b']) away.end(id);
    for (const id of ['a', 'b']) await bench.seen.saw(`finished ${id}`);
  });

  test('does not starve jobs that need the home’s disk while other jobs keep every worker busy', async () => {
    const bench = await open();
    let ended = 0;
    const run = async () => {
      await new Promise((resolve) => setTimeout(resolve, 25));
      ended += 1;
      return emptyEnvelope;
    };
    await bench.worker({ run, name: 'near', concurrency: 1 });
    const others = Array.from({ length: 400 }, (_, at) => job(`j${at}`));
    await bench.queue.add(others);
    await until(() => ended > 3);
    await bench.queue.add([needing('a', 'home-disk')]);
    await bench.seen.saw('finished a');
    expect(ended).toBeLessThan(others.length / 2);
  });

  test('is listed with machine, version and running jobs, in Bosun and in Redis', async () => {
    const bench = await open();
    const { run, started } = gatedRun();
    await bench.worker({ run, isAway: true, host: 'box', version: '9.9.9', can: ['GPU'] });
    await bench.queue.add([job('a')]);
    await until(() => started.length === 1);
    await until(() => bench.queue.listWorkers()[0]?.runs.length === 1);
    const self = { name: 'far', host: 'box', isAway: true, bosun: '9.9.9', can: ['gpu'], isForeign: false };
    expect(bench.queue.listWorkers()).toMatchObject([{ ...self, runs: ['a'] }]);
    const look = () => lookAtRedis(server.url, bench.home);
    await until(async () => (await look()).workers[0]?.runs === 1);
    expect((await look()).workers).toMatchObject([{ ...self, ids: ['a'], slots: 4 }]);
  });

  test('is listed as foreign if it speaks another protocol version', async () => {
    const bench = await open();
    const said = { type: 'beat', version: 1, name: 'old', can: [], slots: 2, runs: [] };
    await server.client.xadd(`bosun-${bench.home}:up`, '*', 'from', 'w-old', 'm', JSON.stringify(said));
    await until(() => bench.queue.listWorkers().length === 1);
    expect(protocolVersion).not.toBe(1);
    expect(bench.queue.listWorkers()).toMatchObject([{ name: 'old', isForeign: true, isAway: false }]);
    const shown = JSON.stringify({ name: 'old', slots: 2, runs: 0, at: Date.now() });
    await server.client.set(`bosun-${bench.home}:worker:w-old`, shown);
    const { workers } = await lookAtRedis(server.url, bench.home);
    expect(workers).toMatchObject([{ name: 'old', isForeign: true, host: '' }]);
  });

  test('has named connections in Redis’s client list', async () => {
    const bench = await open();
    await bench.worker({ name: 'the other one' });
    const names = async () => [...String(await server.client.client('LIST')).matchAll(/ name=(\S+)/g)].map((m) => m[1]);
    await until(async () => (await names()).includes('the-other-one-takes'));
    expect(await names()).toEqual(
      expect.arrayContaining([`bosun-${bench.home}`, `bosun-${bench.home}-reads`, 'the-other-one-says']),
    );
  });
});
