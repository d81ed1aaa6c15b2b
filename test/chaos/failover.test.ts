// Redis fails over to its replica: what the replica has goes on, and what it lacks is offered again or told as lost.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { job } from '../contract/queue-contract.js';
import { type Bench, gatedRun, makeBench, until } from '../queue/bullmq-bench.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { type Wire, wireTo } from './wire.js';

/** Longer than it takes to fail over, on a machine that is busy with other things too. */
const leaseMs = 4_000;

describeRedis('a Redis that fails over', () => {
  let master: RedisServer;
  let replica: RedisServer;
  let wire: Wire;
  let bench: Bench;

  beforeEach(async () => {
    master = await startRedis();
    replica = await startRedis(['--replicaof', '127.0.0.1', String(master.port)]);
    await until(async () => /master_link_status:up/.test(await replica.client.info('replication')));
    wire = await wireTo(master.port);
    bench = await makeBench(`redis://127.0.0.1:${wire.port}`, { leaseMs });
  });

  afterEach(async () => {
    await bench.end();
    await wire.close();
    await replica.end();
    await master.end();
  });

  const of = (word: string) => bench.seen.log.filter((line) => line.startsWith(`${word} `));

  /** All that the master has is with the replica too. */
  async function alike(): Promise<void> {
    const offset = /master_repl_offset:(\d+)/;
    const at = async (server: RedisServer) => Number(offset.exec(await server.client.info('replication'))?.[1]);
    const wanted = await at(master);
    await until(async () => (await at(replica)) >= wanted);
  }

  const promote = () => replica.client.call('REPLICAOF', 'NO', 'ONE');

  async function failOver(): Promise<void> {
    wire.cut();
    await master.kill();
    await promote();
    wire.turnTo(replica.port);
    wire.mend();
  }

  test('keeps running jobs and starts the waiting ones when the replica was in sync', async () => {
    const { run, started, aborted, end } = gatedRun();
    await bench.worker({ run, leaseMs, concurrency: 1 });
    await bench.queue.add([job('runs'), job('waits')]);
    await until(() => started.length === 1);
    const [first = '', second = ''] = started[0] === 'runs' ? ['runs', 'waits'] : ['waits', 'runs'];
    await alike();
    await failOver();
    await bench.queue.add([job('later')]);
    end(first);
    await bench.seen.saw(`finished ${first}`);
    await until(() => started.includes(second));
    end(second);
    await until(() => started.includes('later'));
    end('later');
    await bench.seen.saw('finished later');
    expect(started).toHaveLength(3);
    expect([of('lost'), aborted, bench.errors]).toEqual([[], [], []]);
  });

  test('offers new jobs again and reports started ones as lost once when the replica lags behind', async () => {
    const { run, started, end } = gatedRun();
    await bench.worker({ run, leaseMs, concurrency: 2 });
    await bench.queue.add([job('settled')]);
    await until(() => started.includes('settled'));
    // Late enough for the replica to be deaf by then, on a busy machine too.
    await bench.queue.add([job('begun', { notBefore: Date.now() + 1_500 })]);
    await alike();
    // From here on the replica hears nothing.
    await promote();
    end('settled');
    await bench.seen.saw('finished settled');
    await until(() => started.includes('begun'));
    await bench.queue.add([job('offered', { checkout: '/o' }), job('offered-2', { checkout: '/o2' })]);
    await until(() => started.length === 3);
    const waiting = started.includes('offered') ? 'offered-2' : 'offered';
    const running = started.filter((id) => id !== 'settled');
    await until(async () => (await master.client.keys(`bull:*:${waiting}`)).length === 1);
    await failOver();
    // What had begun is unknown to this Redis: it is lost, once, and ends.
    for (const id of running) await bench.seen.saw(`lost ${id} far`);
    await until(() => started.includes(waiting));
    end(waiting);
    await bench.seen.saw(`finished ${waiting}`);
    for (const id of running) await bench.queue.add([job(`${id}-again`)]);
    for (const id of running) {
      await until(() => started.includes(`${id}-again`));
      end(`${id}-again`);
      await bench.seen.saw(`finished ${id}-again`);
    }
    await until(async () => (await replica.client.keys(`bull:bosun-${bench.home}*:begun*`)).length === 0);
    await until(async () => (await replica.client.keys(`bull:bosun-${bench.home}*:settled`)).length === 0);
    expect(of('finished').filter((line) => line === 'finished settled')).toHaveLength(1);
    expect(of('lost')).toHaveLength(running.length);
    expect(new Set(started).size).toBe(started.length);
    expect(bench.errors).toEqual([]);
  });

  test('lets no second worker start a job that the replica still offers although it is running', async () => {
    const { run, started, end } = gatedRun();
    await bench.queue.add([job('a')]);
    await until(async () => (await master.client.keys(`bull:*:a`)).length === 1);
    await alike();
    await promote();
    await bench.worker({ run, leaseMs });
    await until(() => started.includes('a'));
    await failOver();
    const other = gatedRun();
    await bench.worker({ run: other.run, leaseMs, name: 'other' });
    // The second worker took the offer and was told to give it back.
    await until(async () => (await replica.client.keys('bull:*:a')).length === 0);
    expect([started, other.started]).toEqual([['a'], []]);
    end('a');
    await Promise.race([bench.seen.saw('finished a'), bench.seen.saw('lost a far')]);
    await until(async () => (await replica.client.keys('bull:*:a')).length === 0);
    expect([...of('finished'), ...of('lost')]).toHaveLength(1);
    expect(bench.errors).toEqual([]);
  });
});
