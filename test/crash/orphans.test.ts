// What a Bosun that was killed leaves behind: a git that goes on without it, agents, and work that was half done.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { endProcessesOf } from '../../src/agents/index.js';
import { workOnCheckout } from '../../src/dispatch/checkouts/checkout-operations.js';
import { checkpointBeforeInterruption } from '../../src/dispatch/checkouts/interrupted-attempts.js';
import { checkpoint } from '../../src/workspace/index.js';
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
  tempFolder,
  worked,
} from '../dispatch/given.js';
import { envelope, interrupted } from '../engine/builders.js';

function startChild(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Looks whenever something changes in the folder. */
function whenIn(folder: string, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => look());
    const look = () => {
      if (!holds()) return;
      watcher.close();
      resolve();
    };
    look();
  });
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve));

it('a delivery adopts the commit that an orphaned git is just making instead of committing twice', async () => {
  const world = givenWorld('');
  const { store } = benchOf(world);
  const folder = tempFolder();
  const begunPath = join(folder, 'begun');
  const hooks = `echo >> '${begunPath}'; n=$(wc -l < '${begunPath}'); while [ ! -e '${folder}'/go-$((n)) ]; do sleep 0.02; done`;
  world.git('config', 'core.hooksPath', folder);
  writeFileSync(join(folder, 'commit-msg'), `#!/bin/sh\n${hooks}\n`, { mode: 0o755 });
  const inHooks = (count: number) =>
    whenIn(folder, () => existsSync(begunPath) && readFileSync(begunPath, 'utf8').length >= count);
  world.write('made.txt', 'one\n');
  world.git('add', '-A');
  const orphan = startChild('git', ['-C', world.root, 'commit', '-q', '--file=-']);
  orphan.stdin?.end(`US-1: order history\n\nBosun: r1-op2-${store.homeId}-0\n`);
  await inHooks(1);

  const op = { id: 'r1-op2', kind: 'deliver', chain: 'US-1', message: 'US-1: order history' } as const;
  const delivering = workOnCheckout(siteOf(world.root, 'r1', store), op);
  await inHooks(2);
  const gone = ended(orphan);
  writeFileSync(join(folder, 'go-1'), '');
  expect(await gone).toBe(0);
  writeFileSync(join(folder, 'go-2'), '');

  expect(await delivering).toMatchObject({ ok: true, commit: world.git('rev-parse', 'HEAD') });
  expect(world.git('rev-list', '--count', 'HEAD')).toBe('2');
  expect(world.git('status', '--porcelain')).toBe('');
});

it('a delivery waits for a git process that holds index.lock, then commits', async () => {
  const world = givenWorld('');
  const { store } = benchOf(world);
  const lock = join(world.root, '.git', 'index.lock');
  world.write('made.txt', 'one\n');
  writeFileSync(lock, '');
  const op = { id: 'r1-op2', kind: 'deliver', chain: 'US-1', message: 'US-1: order history' } as const;
  const delivering = workOnCheckout(siteOf(world.root, 'r1', store), op);
  startChild('sh', ['-c', `sleep 0.4; rm '${lock}'`]);
  expect(await delivering).toMatchObject({ ok: true, commit: expect.any(String) });
});

it('agents get SIGTERM before SIGKILL, so that their git can remove its locks', async () => {
  const folder = tempFolder();
  const [polite, deaf] = [join(folder, 'polite.lock'), join(folder, 'deaf.lock')];
  const token = 'a-token-of-this-test';
  const agent = (trap: string, lock: string) =>
    startChild('sh', ['-c', `trap "${trap}" TERM; touch '${lock}'; while :; do sleep 0.02; done`], {
      BOSUN_TOKEN: token,
    });
  const children = [agent(`rm '${polite}'; exit`, polite), agent('', deaf)];
  const gone = Promise.all(children.map(ended));
  await whenIn(folder, () => existsSync(polite) && existsSync(deaf));
  expect(await endProcessesOf([token], 300)).toBeGreaterThanOrEqual(2);
  await gone;
  expect([existsSync(polite), existsSync(deaf)]).toEqual([false, true]);
});

it('a retry after an interruption is measured from the checkpoint of the interrupted try', async () => {
  const world = givenWorld('');
  const bench = benchOf(world);
  const run = await begun(bench, 1);
  const before = (tree: string) => ({ head: '0'.repeat(40), branch: 'main', tree: tree.repeat(40), staged: null });
  const noted = (tree: string) => {
    const { attempt } = liveOf(bench, run);
    bench.store.setCheckpoint(attempt, JSON.stringify(before(tree)));
    return attempt;
  };
  expect(checkpointBeforeInterruption(bench.store, noted('a'))).toBeNull();
  await settle(bench, run, interrupted);
  expect(checkpointBeforeInterruption(bench.store, noted('b'))).toEqual(before('a'));
  await settle(bench, run, envelope({ exit: 1 }));
  expect(checkpointBeforeInterruption(bench.store, noted('c'))).toBeNull();
});

const rollingBack = (attempt: string, node: string) =>
  ({ id: 'r1-op2', kind: 'rollback', chain: '', node, attempt, after: 'go_on', keepAs: 'failures/x.diff' }) as const;

it('a rollback undoes nothing for a try interrupted before its checkpoint, and asks no person', async () => {
  const world = givenWorld('');
  const bench = benchOf(world);
  const run = await begun(bench, 1);
  const { attempt } = liveOf(bench, run);
  const { node = '' } = bench.store.attempt(attempt) ?? {};
  await settle(bench, run, interrupted);
  world.write('made.txt', 'one\n');
  const result = await workOnCheckout(siteOf(world.root, run, bench.store), rollingBack(attempt, node));
  expect(result).toMatchObject({ ok: true, note: null });
  expect(world.git('status', '--porcelain')).toContain('made.txt');
});

it('a rollback undoes an interrupted try together with the one that continued from it', async () => {
  const world = givenWorld('');
  const bench = benchOf(world);
  const run = await begun(bench, 1);
  const noted = async () => {
    const { attempt } = liveOf(bench, run);
    bench.store.setCheckpoint(attempt, JSON.stringify(await checkpoint(world.root)));
    return attempt;
  };
  await noted();
  world.write('half.txt', 'half\n');
  await settle(bench, run, interrupted);
  const second = await noted();
  world.write('whole.txt', 'whole\n');
  const { node = '' } = bench.store.attempt(second) ?? {};
  const result = await workOnCheckout(siteOf(world.root, run, bench.store), rollingBack(second, node));
  expect(result).toMatchObject({ ok: true, note: expect.stringContaining('Rolled back 2 files') });
  expect(world.git('status', '--porcelain')).toBe('');
});

it('recovery drops the queued job of a run aborted just before Bosun died', async () => {
  const world = givenWorld('note ran');
  const bench = benchOf(world);
  const run = await begun(bench, 1);
  const { attempt } = liveOf(bench, run);
  const by = { run, chain: '', at: 5, by: 'ada' };
  await bench.dispatcher.submitEvent({ ...by, type: 'abort' });
  const [asked] = bench.store.openInteractions(null);
  const answer = { interaction: asked?.interaction.id ?? '', option: 'abort', text: null, behind: null };
  await bench.dispatcher.submitEvent({ ...by, type: 'answered', ...answer });
  bench.store.close();
  const runtime = roomOf(world);
  await runtime.recover();
  runtime.startWorker(1);
  expect(await runtime.whenAtRest(null, 5_000)).toBe(true);
  expect(runtime.store.attempt(attempt)?.attempt).toMatchObject({ state: 'settled', outcome: 'cancelled' });
  expect(world.notes()).toEqual([]);
});

it('recovery succeeds although one run throws, and reports the error in its thread', async () => {
  const world = givenWorld('');
  const bench = benchOf(world);
  const run = await begun(bench, 1);
  await bench.dispatcher.submitEvent(startOf(bench, run));
  bench.store.close();
  const logged: string[] = [];
  const notice = () => {
    throw new Error('a bug');
  };
  const runtime = roomOf(world, { present: { notice }, log: (line) => logged.push(line) });
  await runtime.recover();
  expect(logged).toContain('recovery: Error: a bug');
  const texts = runtime.store.messages('t1', null, 100).map((message) => message.view.text);
  expect(texts.at(-1)).toBe('broken: Error: a bug');
});

async function exportedAfter(path: (bench: Bench, run: string) => Promise<unknown>): Promise<unknown> {
  const world = givenWorld('');
  const bench = benchOf(world);
  await path(bench, await begun(bench, 1));
  bench.store.close();
  const runtime = roomOf(world);
  await runtime.recover();
  await runtime.close();
  return JSON.parse(readFileSync(join(world.root, '.ai', 'STATE.json'), 'utf8'));
}

it('recovery exports the state of a run that ended just before Bosun died', async () => {
  const state = await exportedAfter(async (bench, run) => {
    await settle(bench, run);
    await worked(bench, run);
    expect(bench.store.run(run)?.status).toBe('completed');
  });
  expect(state).toMatchObject({ project: 'shop', step: 'done', status: 'pass' });
});

it('recovery exports the state of the live run, not of a draft queued behind it', async () => {
  const state = await exportedAfter((bench) => bench.dispatcher.submit(() => creation(2)));
  expect(state).toMatchObject({ project: 'shop', step: 'implement', status: 'running' });
});

it('recovery removes the logs of a one-shot run that ended just before Bosun died', async () => {
  const world = givenWorld('');
  const bench = benchOf(world);
  const plan = creation(1);
  const events = plan.events.map((event) => (event.type === 'run_created' ? { ...event, oneShot: true } : event));
  await bench.dispatcher.submit(() => ({ ...plan, events: [...events, starting('r1')] }));
  await worked(bench, 'r1');
  await settle(bench, 'r1');
  await worked(bench, 'r1');
  expect(bench.store.run('r1')?.status).toBe('completed');
  world.write('.ai/runs/r1/logs/_/step-001.jsonl', '{}\n');
  const kept = join(world.home.dir, 'attempt-logs', 'r1');
  mkdirSync(join(kept, 'logs'), { recursive: true });
  bench.store.close();
  const runtime = roomOf(world);
  await runtime.recover();
  await runtime.close();
  expect([join(world.root, '.ai', 'runs', 'r1'), kept].filter((path) => existsSync(path))).toEqual([]);
});
