// One run after another, each with a fault at another of its commits: nothing is lost, nothing happens twice, and no run
// stands still.
import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProblems } from '../../src/cli/reads/verify-run.js';
import { redisQueue } from '../../src/dispatch/choose-queue.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Runtime } from '../../src/dispatch/runtime.js';
import { configOf, creation, givenWorld, oneAgent, roomOf, starting, type World } from '../dispatch/given.js';
import { def, workflow } from '../engine/builders.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { beginFault, catchWriter, type Damage, damageFile, damages, type Fault, faults } from './fault.js';

const longMs = 30_000;
/** Each start is noted; the work takes long enough for a fault to meet it. */
const agent =
  'note "$BOSUN_STEP of $BOSUN_RUN"; echo "$BOSUN_RUN" >> "made-$BOSUN_RUN-$BOSUN_STEP.txt"; echo "STATUS: pass"';
const steps = workflow([def('a'), def('look', { kind: 'human' }), def('b')]);

interface Stage {
  readonly world: World;
  readonly runtime: Runtime;
  readonly db: Database;
  readonly log: string[];
}

async function openStage(redis?: string): Promise<Stage> {
  const world = givenWorld(agent, redis === undefined ? oneAgent : `${oneAgent}queue: { redis: "${redis}" }\n`);
  const queue = await redisQueue(configOf(world), world.home);
  return openRoomIn(world, queue);
}

async function openRoomIn(world: World, queue?: Awaited<ReturnType<typeof redisQueue>>): Promise<Stage> {
  const log: string[] = [];
  const open = () => roomOf(world, { ...(queue && { queue }), log: (message) => void log.push(message) });
  const { opened, db } = await catchWriter(open);
  return { world, runtime: opened, db, log };
}

async function startWork({ runtime }: Stage): Promise<void> {
  await runtime.recover();
  runtime.startWorker(2);
}

/** Calls `act` right after the commit of this number. */
function afterCommit(runtime: Runtime, commit: number, act: () => void): void {
  let count = 0;
  const stop = runtime.onCommits(() => {
    count += 1;
    if (count !== commit) return;
    stop();
    act();
  });
}

/** The fault begins right after the commit of this number. `over` says, once it has ended, whether a write met it. */
function failAfter(
  { runtime, db, log }: Stage,
  commit: number,
  fault: Fault,
): { readonly over: () => Promise<boolean> } {
  let over = Promise.resolve(false);
  afterCommit(runtime, commit, () => {
    const end = beginFault(fault, db);
    const before = log.length;
    const isMet = () => log.slice(before).some((line) => line.includes('cannot write the database'));
    // A lock is not logged before it lasts for longer, and nothing is written after the last commit.
    const isLogged = fault !== 'locked' && commit < lastCommit;
    over = (async () => {
      await wait(faultMs);
      for (let tries = 0; isLogged && !isMet() && tries < 200; tries += 1) await wait(faultMs / 10);
      end();
      return isMet();
    })();
  });
  return { over: () => over };
}

const faultMs = 250;
/** Of a run of `steps`. */
const lastCommit = 8;
const commits = Array.from({ length: lastCommit }, (_, at) => at + 1);

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** More at once than there are processors: most of the time a play waits. */
const playsAtOnce = 8;

/** Each of these, some at once. */
async function playAll<T>(all: readonly T[], play: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const lane = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const name = JSON.stringify(one);
      await play(one).catch((error: unknown) => {
        throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: playsAtOnce }, lane));
}

/** As a person, who says it again where it was not taken. */
async function say<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (tries === 100) throw error;
      await wait(50);
    }
  }
}

/** From its start to its end, with the answer of a person in between. */
async function play(stage: Stage, number: number): Promise<void> {
  await start(stage, number);
  await finish(stage, number);
}

async function start({ runtime }: Stage, number: number): Promise<void> {
  const plan = creation(number, { workflow: steps });
  await say(() => runtime.submit((now) => ({ ...plan, events: [...plan.events, starting(`r${number}`, now.at)] })));
}

/** Whatever is asked is answered, and the run goes on to its end. */
async function finish({ runtime }: Stage, number: number): Promise<void> {
  const run = `r${number}`;
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
  if (runtime.store.run(run)?.status === 'completed') return;
  const [open] = runtime.store.openInteractions('shop');
  // A run that stands still without a question is stuck.
  expect([run, open?.interaction.kind]).toEqual([run, 'review']);
  await say(() => answer(runtime, run, open?.interaction.id ?? ''));
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
}

function answer(runtime: Runtime, run: string, interaction: string) {
  const answered = { type: 'answered', run, chain: '', by: 'ada', interaction, option: 'approve' } as const;
  return runtime.submit((now) => ({ ...emptyPlan, events: [{ ...answered, at: now.at, text: null, behind: null }] }));
}

function expectOnce({ world, runtime }: Stage, runs: number): void {
  const ids = Array.from({ length: runs }, (_, at) => `r${at + 1}`);
  expect(ids.map((run) => `${run} ${runtime.store.run(run)?.status}`)).toEqual(ids.map((run) => `${run} completed`));
  expect(world.notes()).toEqual(ids.flatMap((run) => [`a of ${run}`, `b of ${run}`]));
  expect(world.git('log', '--reverse', '--format=%s', '-n', String(runs)).split('\n')).toEqual(
    ids.map((run) => `Task ${run.slice(1)}`),
  );
  expect(runtime.store.auditBreak()).toBe(null);
  expect(ids.flatMap((run) => findProblems(runtime.store, run))).toEqual([]);
  expect(runtime.writeState).toEqual({ problem: null, waiting: 0 });
}

describe('a database that refuses writes for a moment', () => {
  it('loses and repeats nothing, after any commit of a run and with any of four faults', {
    timeout: 90_000,
  }, async () => {
    const plays = commits.flatMap((commit) => faults.map((fault) => ({ commit, fault })));
    const met: string[] = [];
    await playAll(plays, async ({ commit, fault }) => {
      const stage = await openStage();
      await startWork(stage);
      let count = 0;
      stage.runtime.onCommits(() => {
        count += 1;
      });
      const failing = failAfter(stage, commit, fault);
      await play(stage, 1);
      if (await failing.over()) met.push(`${fault} ${commit}`);
      expectOnce(stage, 1);
      // Writes that a fault met may have become one commit more, to tell of it.
      if (commit === lastCommit) expect(count).toBe(lastCommit);
      await stage.runtime.close();
    });
    const isLogged = ({ commit, fault }: (typeof plays)[number]) => fault !== 'locked' && commit < lastCommit;
    const expected = plays.filter(isLogged).map(({ commit, fault }) => `${fault} ${commit}`);
    expect(met.sort()).toEqual(expected.sort());
  });

  it('does not block the event loop while another process locks it, and notifies the thread once', async () => {
    const stage = await openStage();
    const { runtime, db, world } = stage;
    await startWork(stage);
    const heard: string[] = [];
    runtime.onMessages((messages) => heard.push(...messages.map(({ view }) => view.text)));
    let endLock: () => void = () => undefined;
    const stop = runtime.onCommits(({ batch }) => {
      if (!batch.events.some(({ type }) => type === 'attempt_started')) return;
      stop();
      endLock = beginFault('locked', db);
    });
    const delay = monitorEventLoopDelay({ resolution: 10 });
    const plan = creation(1);
    await runtime.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
    await expect.poll(() => runtime.writeState.waiting).toBe(1);
    delay.enable();
    await expect.poll(() => runtime.writeState.problem).toContain('SQLITE_BUSY');
    delay.disable();
    // "--wait" waits for the result that is not stored yet.
    expect(await runtime.whenAtRest('shop', 50)).toBe(false);
    endLock();
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(world.notes()).toEqual(['implement of r1']);
    await expect.poll(() => heard.filter((text) => text.startsWith('unwritten'))).toHaveLength(1);
    // SQLite waits 100 ms; the rest is what a busy machine needs.
    expect(delay.max / 1e6).toBeLessThan(1_000);
  });
});

describe('a database file that is lost', () => {
  it('allows no write and no agent start after any commit of a run, and a restored copy continues', {
    timeout: 90_000,
  }, async () => {
    const kinds = ['vanished', 'replaced', 'corrupt'] as const satisfies readonly Damage[];
    const plays = commits.flatMap((commit) => kinds.map((damage) => ({ commit, damage })));
    await playAll(plays, async ({ commit, damage }) => {
      const stage = await openStage();
      const { world } = stage;
      const path = world.home.dbPath;
      const copy = `${path}.copy`;
      await startWork(stage);
      const lost = loseAfter(stage, commit, damage, copy);
      await start(stage, 1);
      // It has no end any more.
      if (commit > commitsBeforeAnswer) finish(stage, 1).catch(() => null);
      const { message } = await stage.runtime.broken;
      expect(message).toContain(path);
      expect(message).toContain(damages[damage]);
      const { changes, bytes, notes } = lost();
      expect(changesOf(stage.db)).toBe(changes);
      await stage.runtime.close();
      expect(world.notes()).toEqual(notes);
      expect(bytesOf(path)).toEqual(bytes);
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
      renameSync(copy, path);
      const again = await openRoomIn(world);
      await startWork(again);
      await finish(again, 1);
      expectOnce(again, 1);
      const settled = again.runtime.store.events('r1', 0, 100).filter(({ event }) => event.type === 'attempt_settled');
      const attempts = again.runtime.store.attemptsOfRun('r1', 10).map(({ attempt }) => attempt.id);
      expect(settled.map(({ event }) => 'attempt' in event && event.attempt).sort()).toEqual(attempts.sort());
      await again.runtime.close();
    });
  });
});

/** The run waits for a person after this one. */
const commitsBeforeAnswer = 4;

interface Lost {
  readonly changes: unknown;
  readonly bytes: Buffer | null;
  readonly notes: readonly string[];
}

/** Gives how things stood right after the file was lost. */
function loseAfter({ runtime, db, world }: Stage, commit: number, damage: Damage, copy: string): () => Lost {
  let lost: Lost | null = null;
  afterCommit(runtime, commit, () => {
    damageFile(damage, db, copy);
    lost = { changes: changesOf(db), bytes: bytesOf(db.name), notes: world.notes() };
  });
  return () => {
    if (lost === null) throw new Error(`no commit ${commit}`);
    return lost;
  };
}

/** Rows that this connection has written so far. */
function changesOf(db: Database): unknown {
  return db.prepare('SELECT total_changes()').pluck().get();
}

/** Read by another process, as closing the file in this one drops the locks that SQLite has on it. */
function bytesOf(path: string): Buffer | null {
  return existsSync(path) ? execFileSync('cat', [path]) : null;
}

describeRedis('a database that refuses writes for a moment', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis();
  });

  afterAll(() => server.end());

  it('loses and repeats nothing while a Redis worker reports the start or end of a step', async () => {
    const stage = await openStage(server.url);
    await startWork(stage);
    // The commits of a step's begin and end.
    const places = [2, 3, 6, 7];
    for (const [at, commit] of places.entries()) {
      const failing = failAfter(stage, commit, faults[at] ?? 'full');
      await play(stage, at + 1);
      await failing.over();
    }
    expectOnce(stage, places.length);
  });
});
