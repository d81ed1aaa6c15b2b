// What `bosun diff` compares, where a story or a whole run works in a place of its own.
import { expect, it } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Runtime } from '../../src/dispatch/runtime.js';
import { creation, givenWorld, roomOf, starting, type World } from '../dispatch/given.js';
import { def, item, loop, workflow } from '../engine/builders.js';
import { bosun } from './given.js';

const longMs = 60_000;
const agent = 'echo "$BOSUN_ITEM" > "made-$BOSUN_ITEM.txt"; echo "STATUS: pass"';
const stories = workflow([
  loop('stories', [def('impl'), def('look', { kind: 'human' })], { isolate: 'worktree', parallel: 2 }),
]);

async function begun(world: World, deliver: 'commit' | 'branch', flow = stories): Promise<Runtime> {
  const runtime = roomOf(world);
  runtime.startWorker(2);
  const items = flow === stories ? [item('US-1'), item('US-2')] : [];
  const plan = creation(1, { workflow: flow, items });
  const events = plan.events.map((event) => (event.type === 'run_created' ? { ...event, deliver } : event));
  await runtime.submit((now) => ({ ...plan, events: [...events, starting('r1', now.at)] }));
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
  return runtime;
}

async function pressAll(runtime: Runtime, option: string): Promise<void> {
  for (const { interaction } of runtime.store.openInteractions('shop')) {
    const { id, chain } = interaction;
    await runtime.submit((now) => ({
      ...emptyPlan,
      events: [
        {
          type: 'answered',
          run: 'r1',
          chain,
          at: now.at,
          by: 'ada',
          interaction: id,
          option,
          text: null,
          behind: null,
        },
      ],
    }));
  }
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
}

async function filesOf(world: World, ...args: readonly string[]): Promise<unknown> {
  const { out } = await bosun(['diff', ...args, '--json'], { home: world.home.dir });
  return JSON.parse(out).files;
}

it(
  'diffs a story against its own worktree while that is open, and by its commit after the merge',
  async () => {
    const world = givenWorld(agent);
    const runtime = await begun(world, 'commit');
    world.write('of-the-person.txt', 'x\n');
    world.git('add', '-A');
    world.git('commit', '-q', '-m', 'meanwhile');
    expect(await filesOf(world, 'r1', 'US-1')).toEqual(['made-US-1.txt']);
    expect(await filesOf(world, 'r1', 'US-2')).toEqual(['made-US-2.txt']);
    await pressAll(runtime, 'approve');
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(await filesOf(world, 'r1', 'US-1')).toEqual(['made-US-1.txt']);
    expect(await filesOf(world, 'r1', 'US-2')).toEqual(['made-US-2.txt']);
  },
  longMs,
);

it(
  'diffs a run on its own branch by that branch, even after the checkout has left it',
  async () => {
    const world = givenWorld(agent);
    const runtime = await begun(world, 'branch', workflow([def('impl'), def('look', { kind: 'human' })]));
    expect(await filesOf(world, 'r1')).toEqual(['made-.txt']);
    await pressAll(runtime, 'approve');
    expect(world.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
    expect(await filesOf(world, 'r1')).toEqual(['made-.txt']);
  },
  longMs,
);

it(
  'diffs a run beside a person’s uncommitted changes without them',
  async () => {
    const world = givenWorld(agent);
    world.write('README.md', 'mine\n');
    const runtime = await begun(world, 'commit', workflow([def('impl'), def('look', { kind: 'human' })]));
    await pressAll(runtime, 'worktree');
    expect(await filesOf(world, 'r1')).toEqual(['made-.txt']);
    await pressAll(runtime, 'approve');
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(world.git('branch', '--list', 'bosun/*')).toBe('');
    expect(await filesOf(world, 'r1')).toEqual(['made-.txt']);
  },
  longMs,
);
