import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../src/cli/app.js';
import { workOnCheckout } from '../../src/dispatch/checkouts/checkout-operations.js';
import type { Runtime } from '../../src/dispatch/runtime.js';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import type { SqliteStore } from '../../src/store/index.js';
import { isRunning } from '../agents/attempts/given.js';
import { def, workflow } from '../engine/builders.js';
import { openStore } from '../open-store.js';
import {
  type Bench,
  begun,
  benchOf,
  creation,
  givenWorld,
  liveOf,
  roomOf,
  settle,
  siteOf,
  starting,
  startOf,
  type World,
} from './given.js';

const noting = 'note "$BOSUN_STEP $BOSUN_ATTEMPT"; echo "STATUS: pass"';
const twoSteps = workflow([def('a'), def('b')]);
const longMs = 30_000;

async function recovered(world: World): Promise<Runtime> {
  const runtime = roomOf(world);
  await runtime.recover();
  return runtime;
}

async function worksUntilRest(runtime: Runtime): Promise<void> {
  runtime.startWorker(2);
  expect(await runtime.whenAtRest(null, longMs)).toBe(true);
}

/** A process that an attempt started and that outlived Bosun; it does not listen to polite words. */
function straggler(world: World, attempt: string): number {
  const child = spawn('sh', ['-c', 'trap "" TERM HUP; sleep 600 & wait; wait'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], BOSUN_TOKEN: attemptToken(world.home.secret, attempt) },
  });
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(-pid, 'SIGKILL');
  });
  return pid;
}

function claim(bench: Bench, attempt: string): void {
  bench.store.jobs.exchange([], [{ id: attempt, worker: 'w1' }], 'a-dead-process', Date.now() + 60_000);
}

const settledIn = (store: Pick<SqliteStore, 'events'>, run: string) =>
  store.events(run, 0, 1_000).flatMap(({ event }) => (event.type === 'attempt_settled' ? [event] : []));

describe('an attempt that was running at a crash', () => {
  it('is settled as crashed once, after its leftover processes were killed, and retried', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1);
    const { attempt } = liveOf(bench, run);
    claim(bench, attempt);
    await bench.dispatcher.submitEvent(startOf(bench, run));
    bench.store.close();
    const pid = straggler(world, attempt);
    const wasRunning: boolean[] = [];
    const runtime = roomOf(world, {
      present: {
        notice: (notice) => {
          if (notice.type === 'settled') wasRunning.push(isRunning(pid));
          return [];
        },
      },
    });
    await runtime.recover();
    expect(wasRunning).toEqual([false]);
    expect(settledIn(runtime.store, run).map((event) => [event.attempt, event.envelope.killed])).toEqual([
      [attempt, 'interrupted'],
    ]);
    const rows = runtime.store.attempts(run, liveOf(runtime, run).node).map((row) => row.attempt);
    expect(rows.map(({ state, outcome, number }) => [state, outcome, number])).toEqual(
      expect.arrayContaining([
        ['settled', 'crashed', 1],
        ['queued', null, 1],
      ]),
    );
    await runtime.close();
    const stored = openStore(world.home.dbPath);
    expect(stored.jobs.leased()).toEqual([]);
    expect(stored.jobs.queued().map(({ id }) => id)).toEqual([liveOf({ store: stored }, run).attempt]);
    stored.close();

    const third = await recovered(world);
    expect(settledIn(third.store, run)).toHaveLength(1);
    await worksUntilRest(third);
    expect(world.notes()).toEqual(['implement 1']);
    expect(third.store.run(run)?.status).toBe('completed');
  });

  it('does not kill processes of unknown attempts', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1);
    await bench.dispatcher.submitEvent(startOf(bench, run));
    bench.store.close();
    const stranger = straggler(world, 'another-attempt');
    await recovered(world);
    expect(isRunning(stranger)).toBe(true);
  });

  it('is not run again if its result was stored and only its job was left', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1, { workflow: twoSteps });
    const { attempt } = liveOf(bench, run);
    claim(bench, attempt);
    await settle(bench, run);
    bench.store.close();
    const runtime = await recovered(world);
    await worksUntilRest(runtime);
    expect(world.notes()).toEqual(['b 1']);
    expect(
      settledIn(runtime.store, run)
        .map((event) => event.attempt)
        .filter((id) => id === attempt),
    ).toHaveLength(1);
  });
});

describe('an attempt that a person killed just before a crash', () => {
  it.each([
    ['was at work', true],
    ['waited', false],
  ])('is settled as cancelled and not retried, although it %s', async (_, hasBegun) => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1);
    const { attempt } = liveOf(bench, run);
    if (hasBegun) {
      claim(bench, attempt);
      await bench.dispatcher.submitEvent(startOf(bench, run));
    }
    await bench.dispatcher.submitEvent({ type: 'kill', run, chain: '', at: 3, by: 'ada' });
    expect(bench.acts.flatMap(({ cancels }) => cancels)).toEqual([attempt]);
    bench.store.close();
    const runtime = await recovered(world);
    expect(settledIn(runtime.store, run).map((event) => [event.attempt, event.envelope.killed])).toEqual([
      [attempt, 'cancel'],
    ]);
    expect(runtime.store.openAttempts()).toEqual([]);
  });
});

describe('an attempt that had not begun at a crash', () => {
  it('runs once if it was queued', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1);
    bench.store.close();
    const runtime = await recovered(world);
    expect(settledIn(runtime.store, run)).toEqual([]);
    await worksUntilRest(runtime);
    expect(world.notes()).toEqual(['implement 1']);
  });

  it('runs once, as the same attempt, if it was claimed but its start was never stored', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1);
    const { attempt } = liveOf(bench, run);
    claim(bench, attempt);
    bench.store.close();
    const runtime = await recovered(world);
    await worksUntilRest(runtime);
    expect(world.notes()).toEqual(['implement 1']);
    expect(settledIn(runtime.store, run).map((event) => event.attempt)).toEqual([attempt]);
  });
});

describe('checkout work that was open at a crash', () => {
  const trailers = (world: World) => world.git('log', '--format=%B').match(/^Bosun: .*$/gm) ?? [];

  it('finds the commit of the first try and makes no second one', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1);
    await settle(bench, run);
    const op = bench.store.run(run)?.ops[0];
    if (!op) throw new Error('nothing to deliver');
    world.write('made.txt', 'by the agent\n');
    await workOnCheckout(siteOf(world.root, run, bench.store), op);
    bench.store.close();
    const sha = world.git('rev-parse', 'HEAD');
    const runtime = await recovered(world);
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    expect(trailers(world)).toEqual([expect.stringContaining(`Bosun: ${op.id}-`)]);
    expect(world.git('rev-parse', 'HEAD')).toBe(sha);
    const done = runtime.store
      .events(run, 0, 100)
      .map(({ event }) => event)
      .findLast((event) => event.type === 'workspace_done');
    expect(done).toMatchObject({ op: op.id, result: { ok: true, commit: sha } });
    expect(runtime.store.run(run)?.status).toBe('completed');
  });

  it('delivers if the first try did not get that far', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1);
    await settle(bench, run);
    world.write('made.txt', 'by the agent\n');
    bench.store.close();
    const runtime = await recovered(world);
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    expect(trailers(world)).toHaveLength(1);
    expect(world.git('show', '--stat', '--format=%s', 'HEAD')).toContain('made.txt');
  });

  it('finds the stash of the first try, and restores it when the run ends', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    await bench.dispatcher.submit(() => ({ ...creation(1), events: [...creation(1).events, starting('r1')] }));
    const first = bench.store.run('r1')?.ops[0]?.id ?? '';
    const dirty = { ok: false, code: 'dirty', message: 'dirty', files: ['README.md'] } as const;
    await bench.dispatcher.submitEvent({
      type: 'workspace_done',
      run: 'r1',
      chain: '',
      at: 3,
      op: first,
      result: dirty,
    });
    const asked = bench.store.openInteractions('shop')[0]?.interaction.id ?? '';
    await bench.dispatcher.submitEvent({
      type: 'answered',
      run: 'r1',
      chain: '',
      at: 4,
      by: 'ada',
      interaction: asked,
      option: 'stash',
      text: null,
      behind: null,
    });
    const op = bench.store.run('r1')?.ops[0];
    if (op?.kind !== 'prepare') throw new Error('nothing to prepare');
    world.write('README.md', 'mine, unfinished\n');
    await workOnCheckout(siteOf(world.root, 'r1', bench.store), op);
    bench.store.close();
    const sha = world.git('rev-parse', 'stash@{0}');
    const runtime = await recovered(world);
    await worksUntilRest(runtime);
    const results = runtime.store
      .events('r1', 0, 100)
      .flatMap(({ event }) => (event.type === 'workspace_done' ? [event.result] : []));
    expect(results[1]).toMatchObject({ ok: true, stash: sha });
    expect(world.git('stash', 'list')).toBe('');
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(readFileSync(join(world.root, 'README.md'), 'utf8')).toBe('mine, unfinished\n');
  });
});

describe('recovery after a crash', () => {
  it('starts approved drafts, the oldest one of each project', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    for (const [number, project] of [
      [1, 'shop'],
      [2, 'shop'],
      [3, 'blog'],
      [4, 'wiki'],
    ] as const) {
      await bench.dispatcher.submit(() => creation(number, { project }));
      if (project !== 'wiki') await bench.dispatcher.submitEvent(starting(`r${number}`, 2, 'r77'));
    }
    bench.store.close();
    const runtime = await recovered(world);
    expect(['r1', 'r2', 'r3', 'r4'].map((run) => runtime.store.run(run)?.status)).toEqual([
      'running',
      'draft',
      'running',
      'draft',
    ]);
  });

  it('starts no draft while a run is live', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const run = await begun(bench, 1, { level: 'manual' });
    await bench.dispatcher.submit(() => creation(2));
    await bench.dispatcher.submitEvent(starting('r2', 2, run));
    bench.store.close();
    const runtime = await recovered(world);
    expect(runtime.store.run('r2')?.status).toBe('draft');
  });

  it('writes the export files again', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    await begun(bench, 1);
    bench.store.close();
    rmSync(join(world.root, '.ai'), { recursive: true, force: true });
    const runtime = await recovered(world);
    await runtime.close();
    expect(existsSync(join(world.root, '.ai', 'STATE.json'))).toBe(true);
    expect(JSON.parse(readFileSync(join(world.root, '.ai', 'STATE.json'), 'utf8'))).toMatchObject({
      project: 'shop',
      status: 'running',
    });
  });

  it('answers stored inbound messages that were not answered, once', async () => {
    const world = givenWorld(noting);
    const bench = benchOf(world);
    const body = { type: 'text', text: 'projects', replyTo: null } as const;
    for (const externalId of ['x1', 'x1', 'x2'])
      bench.store.receive({ source: 'local', externalId, thread: 't1', by: null, at: 1, body });
    bench.store.close();
    for (const _ of ['first', 'second']) {
      const app = await openApp({ home: world.home, work: false });
      expect(app.runtime.store.pendingInbox()).toEqual([]);
      expect(app.runtime.store.messages('t1', null, 10).map(({ view }) => view.text)).toEqual([
        'shop: idle',
        'shop: idle',
      ]);
      await app.close();
    }
  });
});
