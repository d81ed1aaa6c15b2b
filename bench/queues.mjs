// Bosun on BullMQ beside bare BullMQ, on a redis-server of its own: how many jobs that do nothing go through, how long one
// takes from being added to being begun, and what those that wait cost.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { emptyEnvelope } from '../dist/engine/index.js';
import { openBullmqQueue } from '../dist/queue/index.js';
import { openStore } from '../dist/store/index.js';

const many = 10_000;
const alone = 500;
const rounds = 3;

export async function measureQueues() {
  const server = await startRedis();
  if (server === null) return [{ title: 'Queues: there is no redis-server here', rows: [] }];
  try {
    return [
      { title: 'A queue on Redis: jobs that do nothing (AOF everysec)', rows: await throughput(server) },
      { title: `${many.toLocaleString('en')} jobs that wait`, rows: await waiting(server) },
      { title: 'Workers whose agents take 200 ms, 4 at a time each', rows: await scaling(server) },
    ];
  } finally {
    await server.end();
  }
}

async function throughput(server) {
  const bare = await medianOf(rounds, () => withBare(server, measureRate));
  const bosun = await medianOf(rounds, () => withBosun(server, measureRate));
  const row = (what, { single, together, p50, p99 }) => ({
    what,
    '1 at a time, jobs/s': Math.round(single),
    '50 at a time, jobs/s': Math.round(together),
    'add → start p50, ms': p50.toFixed(2),
    'p99, ms': p99.toFixed(2),
  });
  return [
    row('BullMQ alone', bare),
    row('Bosun on BullMQ', bosun),
    {
      what: 'Bosun : BullMQ',
      '1 at a time, jobs/s': (bosun.single / bare.single).toFixed(2),
      '50 at a time, jobs/s': (bosun.together / bare.together).toFixed(2),
      'add → start p50, ms': (bosun.p50 / bare.p50).toFixed(1),
      'p99, ms': (bosun.p99 / bare.p99).toFixed(1),
    },
  ];
}

/** `under` adds jobs, and calls back for each that begins and each that has ended. */
async function measureRate(under) {
  const waits = [];
  await under.work(50);
  await runAll(under, ids('warm', 200));
  const singleFrom = performance.now();
  for (const id of ids('s', alone)) {
    const addedAt = performance.now();
    const begun = under.onBegin(id).then(() => waits.push(performance.now() - addedAt));
    await runAll(under, [id]);
    await begun;
  }
  const single = (alone * 1_000) / (performance.now() - singleFrom);
  const from = performance.now();
  await runAll(under, ids('t', many / 2));
  const together = (many * 500) / (performance.now() - from);
  waits.sort((a, b) => a - b);
  return { single, together, p50: waits[Math.floor(alone / 2)], p99: waits[Math.floor(alone * 0.99)] };
}

async function waiting(server) {
  return [
    await measureWaiting('BullMQ alone', server, withBare),
    await measureWaiting('Bosun on BullMQ', server, withBosun),
  ];
}

async function measureWaiting(what, server, withOne) {
  return withOne(server, async (under) => {
    const memory = await server.memory();
    const from = performance.now();
    await under.add(ids('q', many));
    await under.laidOut(many);
    const laidMs = performance.now() - from;
    const perJob = ((await server.memory()) - memory) / many;
    const workFrom = performance.now();
    const ended = Promise.all(ids('q', many).map((id) => under.onEnd(id)));
    await under.work(50);
    await ended;
    return {
      what,
      'laid out, jobs/s': Math.round((many * 1_000) / laidMs),
      'Redis, bytes a job': Math.round(perJob),
      'worked off, jobs/s': Math.round((many * 1_000) / (performance.now() - workFrom)),
    };
  });
}

async function scaling(server) {
  const rows = [];
  for (const workers of [1, 2, 4, 8]) {
    const jobs = workers * 60;
    const perS = await withBosun(server, async (under) => {
      for (let at = 0; at < workers; at += 1) await under.work(4, 200);
      await runAll(under, ids('warm', workers * 4));
      const from = performance.now();
      await runAll(under, ids('a', jobs));
      return (jobs * 1_000) / (performance.now() - from);
    });
    rows.push({
      workers,
      'jobs/s': perS.toFixed(1),
      'of what the agents allow': `${Math.round((perS / (workers * 20)) * 100)} %`,
    });
  }
  return rows;
}

async function runAll(under, jobs) {
  const ended = Promise.all(jobs.map((id) => under.onEnd(id)));
  await under.add(jobs);
  await ended;
}

async function withBare(server, act) {
  const { watch, begin, end } = watchers();
  const name = `bare-${Math.random().toString(36).slice(2)}`;
  const connection = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: null });
  const queue = new Queue(name, { connection });
  const workers = [];
  const opts = { removeOnComplete: true, removeOnFail: true, attempts: 1 };
  const body = JSON.stringify(specOf('x'));
  try {
    return await act({
      ...watch,
      add: (jobs) => queue.addBulk(jobs.map((id) => ({ name: 'shop', data: { body }, opts: { ...opts, jobId: id } }))),
      async work(concurrency) {
        const worker = new Worker(name, async (job) => begin(job.id), { connection, concurrency });
        worker.on('completed', (job) => end(job.id));
        workers.push(worker);
        await worker.waitUntilReady();
      },
      laidOut: async () => undefined,
    });
  } finally {
    for (const worker of workers) await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
    connection.disconnect();
  }
}

async function withBosun(server, act) {
  const { watch, begin, end } = watchers();
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const store = openStore(join(folder, 'bench.db'), { threads: [] });
  const home = `b${Math.random().toString(36).slice(2)}`;
  const queue = await openBullmqQueue({ agentKinds: [], redis: server.url, home, jobs: store.jobs });
  queue.listen({
    started: async () => true,
    progress: () => undefined,
    finished: async (id) => end(id),
    lost: async (id) => {
      throw new Error(`${id} was lost`);
    },
  });
  let workers = 0;
  try {
    return await act({
      ...watch,
      add: (jobs) => queue.add(jobs.map(jobOf)),
      async work(concurrency, agentMs = 0) {
        workers += 1;
        const run = async ({ attempt }) => {
          begin(attempt);
          if (agentMs > 0) await new Promise((resolve) => setTimeout(resolve, agentMs));
          return emptyEnvelope;
        };
        queue.work({ name: `w${workers}`, concurrency, run });
      },
      async laidOut(count) {
        const key = `bull:bosun-${home}-any:prioritized`;
        while ((await server.client.zcard(key)) < count) await new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
  } finally {
    await queue.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
    await server.client.flushall();
  }
}

function watchers() {
  const begins = new Map();
  const ends = new Map();
  const wait = (map) => (id) => new Promise((resolve) => map.set(id, resolve));
  const tell = (map) => (id) => {
    map.get(id)?.();
    map.delete(id);
  };
  return { watch: { onBegin: wait(begins), onEnd: wait(ends) }, begin: tell(begins), end: tell(ends) };
}

const ids = (word, count) => Array.from({ length: count }, (_, at) => `${word}${at}`);

function jobOf(id) {
  return { id, project: 'shop', run: 'r1', checkout: null, group: null, priority: 10, payload: specOf(id) };
}

/** As large as that of a usual step. */
function specOf(attempt) {
  return {
    ...{
      attempt,
      token: 't'.repeat(32),
      project: 'shop',
      run: 'r1',
      item: '',
      node: 'n1',
      step: 'impl',
      label: 'impl',
    },
    ...{ attemptNumber: 1, kind: 'agent', prompt: 'p'.repeat(3_000), root: '/srv/shop', workdir: '/srv/shop' },
    executor: { kind: 'command', run: ['./agent.sh'], env: {}, passEnv: [] },
    ...{ sharedDir: '/srv/shop/.ai/runs/r1', logPath: '/srv/shop/log', url: '', timeoutMs: 1_000, red: false },
    ...{ tests: null, check: null, checkTimeoutMs: 1_000, outputs: null, keepsProgress: false, isBeside: false },
    ...{ slot: null, access: 'write', agentRole: null, resume: null, spendUsd: null, team: null },
  };
}

async function medianOf(times, measure) {
  const all = [];
  for (let at = 0; at < times; at += 1) all.push(await measure());
  const median = (key) => all.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(times / 2)];
  return Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(key)]));
}

/** Null: there is none. */
async function startRedis() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-redis-'));
  const args = ['--bind', '127.0.0.1', '--port', port, '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const child = spawn('redis-server', [...args, '--maxmemory-policy', 'noeviction'].map(String), { stdio: 'ignore' });
  const isThere = await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  if (!isThere) return null;
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await client.ping();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    client,
    memory: async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1]),
    async end() {
      client.disconnect();
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
