// What the agent of an aborted run leaves in the checkout, with real agents and a real repository.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Runtime } from '../../src/dispatch/runtime.js';
import type { Event } from '../../src/engine/index.js';
import { creation, givenWorld, roomOf, starting, type World } from './given.js';

const longMs = 60_000;
const leaving =
  'echo left > left.txt; echo more >> README.md; note "$BOSUN_RUN"; if [ "$BOSUN_RUN" = r1 ]; then sleep 600; fi; mkdir -p .ai; echo "status: pass" > "$BOSUN_RESULT_FILE"; echo "STATUS: pass"';

async function create(runtime: Runtime, number: number, deliver: 'commit' | 'branch'): Promise<void> {
  const plan = creation(number);
  const events = plan.events.map((event) =>
    event.type === 'run_created' ? { ...event, deliver, rules: 5 as const } : event,
  );
  await runtime.submit((now) => ({ ...plan, events: [...(events as Event[]), starting(`r${number}`, now.at)] }));
}

const openIn = (runtime: Runtime) => runtime.store.openInteractions('shop').at(-1);

async function answer(runtime: Runtime, option: string): Promise<void> {
  const open = openIn(runtime);
  if (open === undefined) throw new Error('nothing is open');
  const { run, interaction } = open;
  await runtime.submit((now) => ({
    ...emptyPlan,
    events: [
      {
        ...{ type: 'answered', run, chain: interaction.chain, at: now.at, by: 'ada' },
        ...{ interaction: interaction.id, option, text: null, behind: null },
      },
    ],
  }));
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
}

/** A run whose agent has changed two files when it is aborted. */
async function aborted(deliver: 'commit' | 'branch' = 'commit'): Promise<{ world: World; runtime: Runtime }> {
  const world = givenWorld(leaving);
  const runtime = roomOf(world);
  runtime.startWorker(1);
  await create(runtime, 1, deliver);
  await vi.waitFor(() => expect(world.notes()).toContain('r1'), { timeout: longMs });
  await runtime.submit((now) => ({
    ...emptyPlan,
    events: [{ type: 'abort', run: 'r1', chain: '', at: now.at, by: 'ada' }],
  }));
  await answer(runtime, 'abort');
  expect(openIn(runtime)?.interaction).toMatchObject({
    subject: { type: 'leftovers' },
    work: { whole: { stat: { files: 2 } } },
  });
  return { world, runtime };
}

const status = (world: World) => world.git('status', '--porcelain');

it('is discarded with a button, and a diff file keeps it', async () => {
  const { world, runtime } = await aborted();
  await answer(runtime, 'discard');
  expect([status(world), runtime.store.run('r1')?.left]).toEqual(['', null]);
  const kept = readFileSync(join(world.root, '.ai/runs/r1/left/r1-op3.diff'), 'utf8');
  expect(kept).toContain('+left');
});

it('is committed to a branch of its own', async () => {
  const { world, runtime } = await aborted();
  await answer(runtime, 'commit');
  expect(status(world)).toBe('');
  expect(world.git('log', '--format=%s', 'main..bosun/r1-task-1')).toBe('Task 1 (aborted)');
  expect(world.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
});

it('moves back to the base with the checkout of a run that had a branch', async () => {
  const { world, runtime } = await aborted('branch');
  expect(world.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('bosun/r1-task-1');
  await answer(runtime, 'leave');
  expect(world.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  expect(readFileSync(join(world.root, 'left.txt'), 'utf8')).toBe('left\n');
});

it('is discarded by the next task, which then works on the base', async () => {
  const { world, runtime } = await aborted('branch');
  await create(runtime, 2, 'commit');
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
  expect(openIn(runtime)?.interaction.text).toMatch(/^2 files are left over from “Task 1”, which was aborted:/);
  await answer(runtime, 'discard');
  expect(runtime.store.run('r2')?.status).toBe('completed');
  expect(runtime.store.openInteractions('shop')).toEqual([]);
  expect(world.git('log', '--format=%s', '-1', 'main')).toBe('Task 2');
  expect(existsSync(join(world.root, '.ai/runs/r2/left/r2-op2.diff'))).toBe(true);
});

it('becomes part of the next task’s work, while a person’s new change is asked about', async () => {
  const { world, runtime } = await aborted();
  await create(runtime, 2, 'commit');
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
  world.write('mine.txt', 'mine\n');
  await answer(runtime, 'build');
  expect(openIn(runtime)?.interaction.text).toContain('uncommitted changes:\nmine.txt');
  world.git('clean', '-fq', 'mine.txt');
  await answer(runtime, 'worktree');
  expect(runtime.store.run('r2')?.status).toBe('completed');
});

it('is built on, and committed with the next task', async () => {
  const { world, runtime } = await aborted();
  await create(runtime, 2, 'commit');
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
  await answer(runtime, 'build');
  expect(runtime.store.run('r2')?.status).toBe('completed');
  expect(status(world)).toBe('');
  expect(world.git('show', 'main:left.txt')).toBe('left');
  expect(runtime.store.run('r1')?.left).toBeNull();
});
