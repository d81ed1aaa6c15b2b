// Two workers that Bosun hears nothing of any more: one is cut off, one is stopped. What they had goes to another, and
// what they say when they are back changes nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Runtime } from '../../src/dispatch/index.js';
import { bosun, built } from '../cli/given.js';
import { openStore } from '../open-store.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { givenPlace, type Place } from './place.js';
import { bosunCommand, type Process, processOf } from './processes.js';
import { type Wire, wireTo } from './wire.js';

const leaseS = 3;
const soon = { timeout: 30_000, interval: 30 };

describeRedis('a worker that is not heard any more', () => {
  let redis: RedisServer;
  let wire: Wire;
  let place: Place;
  const processes: Process[] = [];

  beforeAll(async () => {
    await built();
    redis = await startRedis();
    wire = await wireTo(redis.port);
    place = givenPlace({ projects: 2, remoteEvery: null, leaseS, telegram: null, agentS: [0.1, 60] });
  });

  afterAll(async () => {
    for (const one of processes) await one.kill();
    await wire.close();
    await redis.end();
    place.remove();
  });

  async function started(name: string, url: string, ...args: readonly string[]): Promise<Process> {
    const one = processOf({
      ...{ name, ready: /^ready /m, log: join(place.folder, 'logs', `${name}.log`), command: bosunCommand(...args) },
      env: { BOSUN_HOME: place.home, REDIS_URL: url },
    });
    processes.push(one);
    await one.start();
    return one;
  }

  const worker = (name: string, url: string, slots: number) =>
    started(name, url, 'worker', '--name', name, '--concurrency', String(slots));

  function read<T>(act: (store: Runtime['store']) => T): T {
    const store = openStore(place.db, { readonly: true });
    try {
      return act(store);
    } finally {
      store.close();
    }
  }

  const attempts = () => read((store) => ['r1', 'r2'].flatMap((run) => store.attemptsOfRun(run, 100)));
  /** Runs whose attempt this worker has now. */
  const hasNow = (name: string) =>
    attempts()
      .filter(({ attempt }) => attempt.worker === name && attempt.state === 'running')
      .map(({ run }) => run);
  const effects = (what: string) =>
    readFileSync(place.effects, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${what} `));

  it('ends its agent before another worker starts the job, and its late results are ignored', async () => {
    await started('bosun', redis.url, 'up', '--no-worker', '--port', '0');
    const [, stopped] = [
      await worker('cut-off', `redis://127.0.0.1:${wire.port}`, 1),
      await worker('stopped', redis.url, 1),
    ];
    for (const project of ['p01', 'p02']) {
      expect((await bosun(['run', project, 'A task'], { home: place.home })).code).toBe(0);
    }
    await expect.poll(() => effects('begin').length, soon).toBe(2);
    const [ofCutOff = ''] = hasNow('cut-off');
    const [ofStopped = ''] = hasNow('stopped');
    const before = attempts();
    const agent = agentOf(ofCutOff, place);
    expect(agent).not.toBeNull();
    // What begins from now on ends soon; what has begun would go on for long.
    writeFileSync(join(place.folder, 'quick'), '');
    wire.hold();
    stopped.pause();

    // By itself, sooner than Bosun gives it away.
    await expect.poll(() => agentOf(ofCutOff, place), soon).toBeNull();
    const endedAt = Date.now();
    await worker('next', redis.url, 2);
    const givenToNext = () =>
      new Set(attempts().flatMap(({ run, attempt }) => (attempt.worker === 'next' ? [run] : [])));
    await expect.poll(() => [...givenToNext()].toSorted(), soon).toEqual([ofCutOff, ofStopped].toSorted());
    const lost = attempts().filter(({ attempt }) => attempt.outcome === 'crashed');
    expect(lost.map(({ attempt }) => attempt.id)).toEqual(before.map(({ attempt }) => attempt.id));
    const lostAt = lost.find(({ run }) => run === ofCutOff)?.attempt.endedAt ?? 0;
    expect(endedAt).toBeLessThan(lostAt);

    const given = attempts().filter(({ attempt }) => attempt.worker === 'next');
    // Not before those are at work: it is Bosun who ended what the stopped one had begun.
    await expect.poll(() => effects('begin').length, soon).toBeGreaterThanOrEqual(4);
    wire.mend();
    stopped.resume();
    // Each of them has said all that it had to say when it takes new work.
    await expect.poll(() => attempts().filter(({ attempt }) => attempt.outcome === 'pass').length, soon).toBe(6);
    for (const { attempt } of lost) {
      const kept = attempts().find((one) => one.attempt.id === attempt.id);
      expect(kept?.attempt).toEqual(attempt);
    }
    for (const { attempt } of given) {
      const kept = attempts().find((one) => one.attempt.id === attempt.id);
      expect(kept?.attempt).toMatchObject({ worker: 'next', startedAt: attempt.startedAt, outcome: 'pass' });
    }
    expect(attempts()).toHaveLength(8);
    expect(effects('overlap')).toEqual([]);
    const results = `bosun-${read(({ homeId }) => homeId)}:results`;
    await expect.poll(() => redis.client.hlen(results), soon).toBe(0);
    expect((await bosun(['verify'], { home: place.home })).out).toMatch(/^ok: 2 runs/);
  });
});

/** The process that plays the agent of this run; null: there is none. */
function agentOf(run: string, { folder }: Place): string | null {
  const marks = [`BOSUN_RUN=${run}\0`, `CHAOS_FOLDER=${folder}\0`];
  const found = readdirSync('/proc').find((pid) => {
    try {
      const environment = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/environ`, 'latin1') : '';
      return marks.every((mark) => environment.includes(mark));
    } catch {
      return false;
    }
  });
  return found ?? null;
}
