// One run after another, each with a fault at another of its commits: nothing is lost, nothing happens twice, and no run
// stands still.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProblems } from '../../src/cli/verify-run.js';
import { redisQueue } from '../../src/dispatch/redis-queue.js';
import type { Room } from '../../src/dispatch/room.js';
import { configOf, creation, givenWorld, oneAgent, roomOf, starting, type World } from '../dispatch/given.js';
import { def, workflow } from '../engine/builders.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { beginFault, catchWriter, type Fault, faults } from './fault.js';

const longMs = 30_000;
/** Each start is noted; the work takes long enough for a fault to meet it. */
const agent =
  'note "$BOSUN_STEP of $BOSUN_RUN"; echo "$BOSUN_RUN" >> "made-$BOSUN_RUN-$BOSUN_STEP.txt"; echo "STATUS: pass"';
const steps = workflow([def('a'), def('look', { kind: 'human' }), def('b')]);

interface Stage {
  readonly world: World;
  readonly room: Room;
  readonly db: Database;
  readonly log: string[];
}

async function openStage(redis?: string): Promise<Stage> {
  const world = givenWorld(agent, redis === undefined ? oneAgent : `${oneAgent}queue: { redis: "${redis}" }\n`);
  const log: string[] = [];
  const queue = await redisQueue(configOf(world), world.home);
  const open = () => roomOf(world, { ...(queue && { queue }), log: (message) => void log.push(message) });
  const { opened, db } = await catchWriter(open);
  return { world, room: opened, db, log };
}

/** The fault begins right after the commit of this number. `over` says, once it has ended, whether a write met it. */
function failAfter({ room, db, log }: Stage, commit: number, fault: Fault): { readonly over: () => Promise<boolean> } {
  let count = 0;
  let over = Promise.resolve(false);
  const stop = room.onCommits(() => {
    count += 1;
    if (count !== commit) return;
    stop();
    const end = beginFault(fault, db);
    const before = log.length;
    over = new Promise((resolve) => {
      setTimeout(() => {
        end();
        resolve(log.slice(before).some((line) => line.includes('takes no writes')));
      }, faultMs);
    });
  });
  return { over: () => over };
}

const faultMs = 250;

/** As a person, who says it again where it was not taken. */
async function say<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** From its start to its end, with the answer of a person in between. */
async function play({ room }: Stage, number: number): Promise<void> {
  const run = `r${number}`;
  const plan = creation(number, { workflow: steps });
  await say(() => room.submit((now) => ({ ...plan, events: [...plan.events, starting(run, now.at)] })));
  expect(await room.whenAtRest('shop', longMs)).toBe(true);
  const [open] = room.store.openInteractions('shop');
  expect([run, open?.interaction.kind]).toEqual([run, 'review']);
  const interaction = open?.interaction.id ?? '';
  const answer = { type: 'answered', run, chain: '', by: 'ada', interaction, option: 'approve' } as const;
  await say(() => room.submit((now) => ({ events: [{ ...answer, at: now.at, text: null, behind: null }] })));
  expect(await room.whenAtRest('shop', longMs)).toBe(true);
}

function expectOnce({ world, room }: Stage, runs: number): void {
  const ids = Array.from({ length: runs }, (_, at) => `r${at + 1}`);
  expect(ids.map((run) => `${run} ${room.store.run(run)?.status}`)).toEqual(ids.map((run) => `${run} completed`));
  expect(world.notes()).toEqual(ids.flatMap((run) => [`a of ${run}`, `b of ${run}`]));
  expect(world.git('log', '--reverse', '--format=%s', '-n', String(runs)).split('\n')).toEqual(
    ids.map((run) => `Task ${run.slice(1)}`),
  );
  expect(room.store.auditBreak()).toBe(null);
  expect(ids.flatMap((run) => findProblems(room.store, run))).toEqual([]);
  expect(room.writeState).toEqual({ problem: null, waiting: 0 });
}

async function commitsOf(stage: Stage, number: number): Promise<number> {
  let count = 0;
  const stop = stage.room.onCommits(() => {
    count += 1;
  });
  await play(stage, number);
  stop();
  return count;
}

describe('a database that refuses writes for a moment', () => {
  it('after each commit of a run in turn loses nothing and does nothing twice', { timeout: 90_000 }, async () => {
    const stage = await openStage();
    await stage.room.recover();
    stage.room.startWorker(2);
    const commits = await commitsOf(stage, 1);
    expect(commits).toBe(8);
    const met = new Set<Fault>();
    for (let at = 0; at < 2 * commits; at += 1) {
      const round = Math.floor(at / commits);
      const fault = faults[(at + round) % faults.length] ?? 'full';
      const failing = failAfter(stage, 1 + (at % commits), fault);
      await play(stage, at + 2);
      if (await failing.over()) met.add(fault);
    }
    // A lock is not logged before it lasts for longer.
    expect([...met].sort()).toEqual(['full', 'io', 'read-only']);
    expectOnce(stage, 2 * commits + 1);
  });

  it('leaves the event loop free while another process locks it, and tells the thread once afterwards', async () => {
    const stage = await openStage();
    const { room, db, world } = stage;
    await room.recover();
    room.startWorker(2);
    const heard: string[] = [];
    room.onMessages((messages) => heard.push(...messages.map(({ view }) => view.text)));
    let endLock: () => void = () => undefined;
    const stop = room.onCommits(({ batch }) => {
      if (!batch.events.some(({ type }) => type === 'attempt_started')) return;
      stop();
      endLock = beginFault('locked', db);
    });
    const delay = monitorEventLoopDelay({ resolution: 10 });
    const plan = creation(1);
    await room.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
    await expect.poll(() => room.writeState.waiting).toBe(1);
    delay.enable();
    await expect.poll(() => room.writeState.problem).toContain('SQLITE_BUSY');
    delay.disable();
    // "--wait" waits for the result that is not stored yet.
    expect(await room.whenAtRest('shop', 50)).toBe(false);
    endLock();
    expect(await room.whenAtRest('shop', longMs)).toBe(true);
    expect(room.store.run('r1')?.status).toBe('completed');
    expect(world.notes()).toEqual(['implement of r1']);
    await expect.poll(() => heard.filter((text) => text.startsWith('unwritten'))).toHaveLength(1);
    // SQLite waits 100 ms; the rest is what a busy machine needs.
    expect(delay.max / 1e6).toBeLessThan(1_000);
  });
});

describeRedis('a database that refuses writes for a moment', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis();
  });

  afterAll(() => server.end());

  it('while a worker of a Redis queue hands its result in loses nothing and does nothing twice', async () => {
    const stage = await openStage(server.url);
    await stage.room.recover();
    stage.room.startWorker(2);
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
