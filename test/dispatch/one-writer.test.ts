// One checkout has one writer. Steps that may run side by side, because none writes what another writes, count as one.
import { describe, expect, it } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { NodeDef } from '../../src/engine/index.js';
import { def, item, loop, workflow } from '../engine/builders.js';
import { creation, givenWorld, type RunOptions, roomOf, starting, type World } from './given.js';

const longMs = 60_000;

/** It notes who is at work in its folder while it is, and waits there for a moment: until the other comes, if it does. */
const agent = `
me="$BOSUN_RUN.$BOSUN_STEP$BOSUN_ITEM"
mkdir -p .ai/at && : > ".ai/at/$me"
n=0; while [ "$(ls .ai/at | wc -l)" -lt 2 ] && [ $n -lt 20 ]; do n=$((n+1)); sleep 0.05; done
note "$me beside $(ls .ai/at | grep -vx "$me" | tr '\\n' ' ')"
[ $n -lt 20 ] && sleep 0.2
rm ".ai/at/$me"
echo "STATUS: pass"`;

async function walk(options: RunOptions): Promise<World> {
  const world = givenWorld(agent);
  const runtime = roomOf(world);
  runtime.startWorker(4);
  const plan = creation(1, options);
  await runtime.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
  expect(runtime.store.run('r1')?.status).toBe('completed');
  return world;
}

const writing = (id: string, ...writes: readonly string[]): NodeDef => def(id, { writes, needs: [] });
const metBy = (world: World) =>
  world
    .notes()
    .map((line) => line.trim())
    .sort();

describe('in one checkout', () => {
  it('steps that write to disjoint paths run in parallel', async () => {
    const world = await walk({ workflow: workflow([writing('a', 'docs/**'), writing('b', 'src/**')]) });
    expect(metBy(world)).toEqual(['r1.a beside r1.b', 'r1.b beside r1.a']);
  });

  it.each([
    ['the same', 'src/**', 'src/**'],
    ['a part of the same', 'src/**', 'src/api/x.ts'],
    ['anything', '**', 'docs/**'],
  ])('steps that write to %s run one after the other', async (_, one, other) => {
    const world = await walk({ workflow: workflow([writing('a', one), writing('b', other)]) });
    expect(metBy(world)).toEqual(['r1.a beside', 'r1.b beside']);
  });

  it('stories run one after the other, however many workers there are', async () => {
    const flow = workflow([loop('stories', [writing('a', 'src/**')])]);
    const world = await walk({ workflow: flow, items: [item('1'), item('2'), item('3')], afterStory: 'start' });
    expect(metBy(world)).toEqual(['r1.a1 beside', 'r1.a2 beside', 'r1.a3 beside']);
  });

  it('steps of two runs run one after the other, even if the runs were not queued behind each other', async () => {
    const world = givenWorld(agent);
    const runtime = roomOf(world);
    await runtime.submit((now) => {
      const plans = [1, 2].map((number) => creation(number, { workflow: workflow([writing('a')]) }));
      // As two runs would be that nobody has put in line.
      const events = plans.flatMap(({ events }, at) => [...events, starting(`r${at + 1}`, now.at)]);
      return { ...emptyPlan, events, effects: plans.flatMap(({ effects }) => effects) };
    });
    runtime.startWorker(4);
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    expect(metBy(world)).toEqual(['r1.a beside', 'r2.a beside']);
  });
});
