import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/index.js';
import { workerStatuses } from '../../src/dispatch/attempts/worker-status.js';
import { redisQueue } from '../../src/dispatch/choose-queue.js';
import type { JobControl } from '../../src/jobs/attempt-control.js';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import type { OpenQueue } from '../../src/queue/runtime-queue.js';
import { attemptNotes } from '../../src/worker/attempt/attempt-notes.js';
import { type RemoteWorkerParts, remoteRunner, startRemoteWorker } from '../../src/worker/start-worker.js';
import { isRunning } from '../agents/attempts/given.js';
import { def, workflow } from '../engine/builders.js';
import { openStore } from '../open-store.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { aJob } from '../store/values.js';
import {
  type Bench,
  begun,
  benchOf,
  configOf,
  creation,
  givenWorld,
  liveOf,
  oneAgent,
  roomOf,
  starting,
  startOf,
  type World,
} from './given.js';

const noting = 'note "$BOSUN_STEP"; echo x >> made.txt; echo "STATUS: pass"';
const leaseMs = 1_500;

function withRedis(world: World, redis: string): Config {
  return { ...configOf(world), queue: { perProject: null, perKind: {}, redis, leaseMs } };
}

function partsOf(world: World, config: Config, name = 'far'): RemoteWorkerParts {
  const { home } = world;
  const nothing = { can: [], bosun: null, version: '', onOtherDisk: () => undefined, log: () => undefined };
  return { ...nothing, home, name, config: () => config, env: {}, concurrency: 2, url: () => '' };
}

async function queueOf(world: World, redis: string): Promise<OpenQueue> {
  const open = await redisQueue(withRedis(world, redis), world.home);
  if (open === null) throw new Error('no queue');
  return (parts) => open({ ...parts, leaseMs });
}

/** Begun by a process that is gone now. */
async function begunBy(worker: string, bench: Bench, number: number): Promise<string> {
  const run = await begun(bench, number, { project: `p${number}` });
  const { attempt } = liveOf(bench, run);
  bench.store.jobs.exchange([], [{ id: attempt, worker }], 'a-dead-process', Date.now() + 60_000);
  const event = startOf(bench, run);
  await bench.dispatcher.submitEvent(event.type === 'attempt_started' ? { ...event, worker } : event);
  return attempt;
}

function agentOf(world: World, attempt: string): number {
  const env = { PATH: process.env['PATH'], BOSUN_TOKEN: attemptToken(world.home.secret, attempt) };
  const pid = spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env }).pid ?? 0;
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  return pid;
}

describeRedis('a runtime with remote workers', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  it('recovery keeps jobs of remote workers running, and settles those of its own dead workers', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const far = await begunBy('far', bench, 1);
    const own = await begunBy('local-1', bench, 2);
    const claimed = await begun(bench, 3, { project: 'p3' });
    const waiting = liveOf(bench, claimed).attempt;
    bench.store.jobs.exchange([], [{ id: waiting, worker: 'far' }], 'a-dead-process', Date.now() + 60_000);
    bench.store.close();
    const [farPid, ownPid] = [agentOf(world, far), agentOf(world, own)];
    const runtime = roomOf(world, { queue: await queueOf(world, redis.url) });
    await runtime.recover();
    const stateOf = (id: string) => runtime.store.attempt(id)?.attempt.state;
    expect([stateOf(far), stateOf(own), stateOf(waiting)]).toEqual(['running', 'settled', 'queued']);
    expect([isRunning(farPid), isRunning(ownPid)]).toEqual([true, false]);
    const stored = openStore(world.home.dbPath, { readonly: true });
    expect(stored.jobs.leased().map(({ id }) => id)).toEqual([far]);
    expect(stored.jobs.queued().map(({ id }) => id)).toContain(waiting);
    stored.close();
    // Neither Redis nor a worker knows of it: it is lost, and what it left on this machine is ended.
    await expect.poll(() => stateOf(far), { timeout: 8_000 }).toBe('settled');
    expect(isRunning(farPid)).toBe(false);
  });

  it('the queue starts to listen to workers only after the previous process’s jobs are settled', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const own = await begunBy('local-1', bench, 1);
    bench.store.close();
    const open = await queueOf(world, redis.url);
    const states: unknown[] = [];
    const runtime = roomOf(world, {
      queue: (parts) => {
        const queue = open(parts);
        const listen = queue.listen.bind(queue);
        queue.listen = (events) => {
          states.push(runtime.store.attempt(own)?.attempt.state);
          listen(events);
        };
        return queue;
      },
    });
    expect(states).toEqual([]);
    await runtime.recover();
    expect(states).toEqual(['settled']);
  });

  it('two workers finish a run over Redis, note the checkpoints for rollbacks, and are listed', async () => {
    const world = givenWorld(noting);
    const runtime = roomOf(world, { queue: await queueOf(world, redis.url) });
    await runtime.recover();
    const parts = partsOf(world, withRedis(world, redis.url));
    const workers = [await startRemoteWorker(parts), await startRemoteWorker(parts)];
    const plan = creation(1, { workflow: workflow([def('a'), def('b')]) });
    await runtime.submit(() => ({ ...plan, events: [...plan.events, starting('r1')] }));
    expect(await runtime.whenAtRest(null, 20_000)).toBe(true);
    expect(runtime.store.run('r1')?.status).toBe('completed');
    const rows = runtime.store.nodes('r1').flatMap((node) => runtime.store.attempts('r1', node.id));
    expect(rows.map(({ attempt, checkpoint }) => [attempt.outcome, checkpoint !== null])).toEqual([
      ['pass', true],
      ['pass', true],
    ]);
    expect(rows[0]?.attempt.filesChanged).toEqual(['made.txt']);
    expect(readdirSync(join(world.home.dir, 'attempts'))).toEqual([]);
    await expect.poll(() => runtime.workers().length, { timeout: 5_000 }).toBe(2);
    const names = runtime.workers().map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^far \(\w{4}\)$/);
    const idle = { running: 0, slots: 2 };
    await expect.poll(() => runtime.workers().map(({ load }) => load), { timeout: 5_000 }).toEqual([idle, idle]);
    await Promise.all(workers.map((worker) => worker.close()));
  });
});

describeRedis('workers with different capabilities', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  it('workers take only jobs whose needs they can meet', async () => {
    const world = givenWorld(noting);
    world.configure(oneAgent.replace('kind: command,', 'kind: command, needs: [gpu],'));
    const runtime = roomOf(world, { queue: await queueOf(world, redis.url) });
    await runtime.recover();
    const parts = partsOf(world, withRedis(world, redis.url));
    const plain = await startRemoteWorker({ ...parts, name: 'plain' });
    const plan = creation(1);
    await runtime.submit(() => ({ ...plan, events: [...plan.events, starting('r1')] }));
    await expect
      .poll(() => runtime.queueView(10).groups, { timeout: 5_000 })
      .toMatchObject([{ needs: ['gpu', 'home-disk'] }]);
    const able = await startRemoteWorker({ ...parts, name: 'able', can: ['gpu', 'macos'] });
    expect(await runtime.whenAtRest(null, 15_000)).toBe(true);
    const began = runtime.store.events('r1', 0, 100).flatMap(({ event }) => ('worker' in event ? [event.worker] : []));
    expect(began).toEqual(['able']);
    await Promise.all([plain.close(), able.close()]);
  });
});

describeRedis('a draining worker', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  async function atWork(agent: string) {
    const world = givenWorld(agent);
    const runtime = roomOf(world, { queue: await queueOf(world, redis.url) });
    await runtime.recover();
    const parts = partsOf(world, withRedis(world, redis.url));
    const worker = await startRemoteWorker(parts);
    const plan = creation(1, { workflow: workflow([def('a'), def('b')]) });
    await runtime.submit(() => ({ ...plan, events: [...plan.events, starting('r1')] }));
    await expect.poll(() => world.notes(), { timeout: 8_000 }).toEqual(['began']);
    const outcomes = () =>
      runtime.store
        .nodes('r1')
        .flatMap((node) => runtime.store.attempts('r1', node.id))
        .map(({ attempt }) => `${attempt.state} ${attempt.reason ?? attempt.outcome}`);
    return { world, runtime, parts, worker, outcomes };
  }

  it('a draining worker finishes its job, even beyond a lease, and takes no other', async () => {
    const { world, runtime, worker, outcomes } = await atWork(
      `note began; sleep ${(leaseMs * 2) / 1_000}; echo "STATUS: pass"`,
    );
    const drained = worker.drain(15_000);
    await expect.poll(() => runtime.workers()).toMatchObject([{ self: { isDraining: true } }]);
    expect(await drained).toBe(true);
    await expect.poll(outcomes).toEqual(['settled pass', 'queued null']);
    await worker.close();
    expect(world.notes()).toEqual(['began']);
  });

  it('a draining worker gives up after its timeout, and another worker takes the interrupted job', async () => {
    const { world, runtime, parts, worker, outcomes } = await atWork('note began; sleep 600');
    expect(await worker.drain(50)).toBe(false);
    world.agent('echo "STATUS: pass"');
    await worker.close();
    const other = await startRemoteWorker({ ...parts, name: 'other' });
    expect(await runtime.whenAtRest(null, 15_000)).toBe(true);
    expect(outcomes()).toEqual(['settled interrupted', 'settled pass', 'settled pass']);
    await other.close();
  });
});

describe('a worker in a process of its own', () => {
  const control: JobControl = {
    signal: new AbortController().signal,
    onExtend: () => undefined,
    report: () => undefined,
  };

  it('refuses a job whose folder is missing on its machine, naming folder, worker and machine', async () => {
    const world = givenWorld(noting);
    rmSync(world.root, { recursive: true });
    const { payload } = aJob('a1');
    const run = remoteRunner(partsOf(world, configOf(world), 'elsewhere'));
    const { fault } = await run({ ...payload, root: world.root, workdir: world.root }, control);
    expect(fault).toMatchObject({ code: 'worker_folder', remedy: 'ask' });
    expect(fault?.message).toContain(` does not have ${world.root} of ${payload.step}.`);
    expect(world.notes()).toEqual([]);
  });

  it('is refused without Redis, and under a reserved, empty or overlong name', async () => {
    const world = givenWorld(noting);
    await expect(startRemoteWorker(partsOf(world, configOf(world)))).rejects.toThrow('sets no queue.redis');
    const config = withRedis(world, 'redis://127.0.0.1:1');
    for (const name of ['local-5', '', 'x'.repeat(201)]) {
      await expect(startRemoteWorker(partsOf(world, config, name))).rejects.toMatchObject({ code: 'usage' });
    }
  });

  it('is listed by its plain name unless another session uses the same one', () => {
    const self = { host: 'box', isAway: true, can: ['gpu'], isForeign: false, isDraining: false, runs: ['x'] };
    const one = { ...self, session: 'w-0123456789', name: 'a', slots: 4, bosun: '1.2.3', heardAt: 5 };
    expect(workerStatuses([one])).toEqual([
      { name: 'a', seenAt: 5, load: { running: 1, slots: 4 }, self: { ...self, version: '1.2.3' } },
    ]);
    const names = workerStatuses([one, { ...one, session: 'w-abcdefghij' }]).map(({ name }) => name);
    expect(names).toEqual(['a (6789)', 'a (ghij)']);
  });
});

describe('notes kept beside the queue', () => {
  it('are read back as they were written, and deleted with their attempt', () => {
    const notes = attemptNotes(givenWorld(noting).home);
    const sha = 'a'.repeat(40);
    const checkpoint = { head: sha, branch: 'main', tree: sha, staged: null };
    const before = { checkpoint, tries: { before: checkpoint, files: ['a.txt'] } };
    notes.writeBefore('a1', before);
    notes.writeCheckpoint('a1', checkpoint);
    notes.writeCheckpoint('a2', checkpoint);
    expect(notes.readBefore('a1')).toEqual(before);
    expect(notes.readBefore('a2')).toEqual({ checkpoint: null, tries: null });
    notes.keep(new Set(['a1']));
    expect([notes.readCheckpoint('a1'), notes.readCheckpoint('a2')]).toEqual([checkpoint, null]);
    notes.forget('a1');
    expect(notes.readCheckpoint('a1')).toBeNull();
  });
});
