// Whole runs on branches and in worktrees of their own, with real agents.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Runtime } from '../../src/dispatch/runtime.js';
import type { Event, Workflow } from '../../src/engine/index.js';
import { def, item, loop, workflow } from '../engine/builders.js';
import { creation, givenWorld, type RunOptions, roomOf, starting, type World } from './given.js';

const longMs = 60_000;
const passing =
  'note "$BOSUN_ITEM $BOSUN_WORKDIR"; echo one > "made-$BOSUN_ITEM.txt"; mkdir -p .ai; echo "status: pass" > "$BOSUN_RESULT_FILE"; echo "STATUS: pass"';
const branch = 'bosun/r1-task-1';

async function begin(runtime: Runtime, deliver: 'commit' | 'branch' | 'push', options: RunOptions = {}): Promise<void> {
  const plan = creation(1, options);
  const events = plan.events.map((event) => (event.type === 'run_created' ? { ...event, deliver } : event));
  await runtime.submit((now) => ({ ...plan, events: [...events, starting('r1', now.at)] }));
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
}

const openIn = (runtime: Runtime) => runtime.store.openInteractions('shop')[0]?.interaction;

async function answer(runtime: Runtime, option: string): Promise<void> {
  await press(runtime, option);
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
}

async function press(runtime: Runtime, option: string): Promise<void> {
  const open = openIn(runtime);
  if (open === undefined) throw new Error('nothing is open');
  await runtime.submit((now) => ({
    ...emptyPlan,
    events: [
      {
        type: 'answered',
        run: 'r1',
        chain: open.chain,
        at: now.at,
        by: 'ada',
        interaction: open.id,
        option,
        text: null,
        behind: null,
      },
    ],
  }));
}

const side = (def: Workflow['chain'][number]) => ({ ...def, isolate: 'worktree' as const, parallel: 2 });
const stories = workflow([side(loop('stories', [def('impl')]))]);

function busyPerson(world: World): () => readonly string[] {
  world.write('README.md', 'mine\n');
  world.git('add', 'README.md');
  world.write('README.md', 'mine, and more\n');
  world.write('loose.txt', 'mine\n');
  const now = () => [
    world.git('rev-parse', '--abbrev-ref', 'HEAD'),
    world.git('status', '--porcelain'),
    world.git('diff', '--cached'),
    readFileSync(join(world.root, 'README.md'), 'utf8'),
    readFileSync(join(world.root, 'loose.txt'), 'utf8'),
  ];
  return now;
}

describe('a run that delivers a branch', () => {
  it('works on the branch in the project’s checkout, then switches back to the base', async () => {
    const world = givenWorld(passing);
    const runtime = roomOf(world);
    runtime.startWorker(1);
    await begin(runtime, 'branch');
    expect(runtime.store.run('r1')).toMatchObject({ status: 'completed', ops: [], branch: { name: branch } });
    expect(world.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
    expect(world.git('log', '--format=%s', `main..${branch}`)).toBe('Task 1');
    expect(existsSync(join(world.root, 'made-.txt'))).toBe(false);
  });

  it('leaves its branch and restores the stash before the next run starts', async () => {
    const world = givenWorld(`note "$BOSUN_RUN $(ls)"; ${passing}`);
    world.write('mine.txt', 'mine\n');
    const runtime = roomOf(world);
    await begin(runtime, 'branch');
    const next = creation(2);
    const created = next.events.map((event) =>
      event.type === 'run_created' ? { ...event, deliver: 'branch' } : event,
    );
    await runtime.submit((now) => ({ ...next, events: [...(created as Event[]), starting('r2', now.at, 'r1')] }));
    runtime.startWorker(1);
    await answer(runtime, 'stash');
    const lastOf = (run: string, type: Event['type']) =>
      runtime.store.events(run, 0, 200).findLast(({ event }) => event.type === type)?.event.at ?? 0;
    expect(lastOf('r2', 'start')).toBeGreaterThanOrEqual(lastOf('r1', 'workspace_done'));
    // The next one has met the changes of the person, and asks in its turn.
    expect(openIn(runtime)?.subject).toEqual({ type: 'dirty' });
    expect(runtime.store.run('r1')).toMatchObject({ status: 'completed', stash: null, ops: [] });
    expect(readFileSync(join(world.root, 'mine.txt'), 'utf8')).toBe('mine\n');
    expect(world.notes().filter((line) => line.includes('mine.txt'))).toEqual([]);
    expect(world.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  });

  it('merges the worktrees of its stories into its branch, not into the base', async () => {
    const world = givenWorld(passing);
    const runtime = roomOf(world);
    runtime.startWorker(2);
    await begin(runtime, 'branch', { workflow: stories, items: [item('US-1'), item('US-2')] });
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(world.git('log', '--format=%s', `main..${branch}`).split('\n').sort()).toEqual([
      'US-1: Title of US-1',
      'US-2: Title of US-2',
    ]);
    expect(world.git('rev-list', '--count', 'main')).toBe('1');
    expect(world.git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});

describe('a run beside a person’s uncommitted changes', () => {
  it('works and commits in its own worktree, and lands on the base without touching the changes', async () => {
    const world = givenWorld(passing);
    const now = busyPerson(world);
    const before = now();
    const runtime = roomOf(world);
    runtime.startWorker(1);
    await begin(runtime, 'commit');
    expect(openIn(runtime)?.subject).toEqual({ type: 'dirty' });
    await answer(runtime, 'worktree');
    expect(runtime.store.run('r1')?.status).toBe('completed');
    const [place = ''] = world.notes();
    expect(place).toMatch(/worktrees\/shop\/r1\/run$/);
    expect(now()).toEqual(before);
    expect(world.git('log', '--format=%s', 'main').split('\n')).toEqual(['Task 1', 'start']);
    expect(readFileSync(join(world.root, 'made-.txt'), 'utf8')).toBe('one\n');
    expect([existsSync(place.trim()), world.git('worktree', 'list').split('\n').length]).toEqual([false, 1]);
    expect(world.git('branch', '--list', 'bosun/*')).toBe('');
    expect(world.git('stash', 'list')).toBe('');
  });

  it('branches its story worktrees from its own, sets them up, and lands everything at once', async () => {
    const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects: { shop: { root: "%ROOT%", worktree: { setup: "cat node_modules/lib.js > installed.log" } } }
`;
    const world = givenWorld(passing, config);
    world.write('.gitignore', 'node_modules/\n*.log\n');
    world.git('add', '.gitignore');
    world.git('commit', '-q', '-m', 'ignore');
    mkdirSync(join(world.root, 'node_modules'));
    writeFileSync(join(world.root, 'node_modules', 'lib.js'), 'lib\n');
    const now = busyPerson(world);
    const before = now();
    world.agent(`cat installed.log || exit 1\n${passing}`);
    const runtime = roomOf(world);
    runtime.startWorker(2);
    await begin(runtime, 'commit', { workflow: stories, items: [item('US-1'), item('US-2')] });
    await answer(runtime, 'worktree');
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(world.git('log', '--format=%s', 'main').split('\n').sort()).toEqual([
      'US-1: Title of US-1',
      'US-2: Title of US-2',
      'ignore',
      'start',
    ]);
    expect(world.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual([
      '.gitignore',
      'README.md',
      'made-US-1.txt',
      'made-US-2.txt',
    ]);
    expect(now()).toEqual(before);
    expect(readFileSync(join(world.root, 'node_modules', 'lib.js'), 'utf8')).toBe('lib\n');
    expect(world.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('finds the export files in its worktree, and leaves them in the project’s folder', async () => {
    const looking = 'n=0; until [ -f .ai/STATE.json ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.05; done; note "$n"';
    const world = givenWorld(`${looking}\n${passing}`);
    busyPerson(world);
    const runtime = roomOf(world);
    runtime.startWorker(1);
    await begin(runtime, 'commit');
    await answer(runtime, 'worktree');
    expect(Number(world.notes()[0])).toBeLessThan(200);
    expect(JSON.parse(readFileSync(join(world.root, '.ai', 'STATE.json'), 'utf8'))).toMatchObject({ status: 'pass' });
  });

  it('asks when its setup fails, quoting the output, and resumes after a retry', async () => {
    const settings = (setup: string) => `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects: { shop: { root: "%ROOT%", worktree: { setup: "${setup}" } } }
`;
    const world = givenWorld(passing, settings('echo cannot install >&2; exit 3'));
    busyPerson(world);
    const runtime = roomOf(world);
    runtime.startWorker(1);
    await begin(runtime, 'commit');
    await answer(runtime, 'worktree');
    const open = openIn(runtime);
    expect(open?.text).toMatch(/Cannot use the worktree .*: its setup ".*" ended with exit 3\ncannot install/);
    expect(open?.options.map(({ id }) => id)).toEqual(['retry', 'abort']);
    world.configure(settings('true'));
    await answer(runtime, 'retry');
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(world.notes()).toHaveLength(1);
  });

  it('is resumed by the next process after Bosun stopped once it was prepared', async () => {
    const world = givenWorld(passing);
    const now = busyPerson(world);
    const before = now();
    const first = roomOf(world);
    await begin(first, 'commit');
    await press(first, 'worktree');
    // Its step waits for a worker; then Bosun ends.
    await vi.waitFor(() => expect(first.store.run('r1')?.prepared).toBe(true), longMs);
    expect(first.store.run('r1')?.branch?.folder).toMatch(/r1\/run$/);
    await first.close();
    const second = roomOf(world);
    await second.recover();
    second.startWorker(1);
    expect(await second.whenAtRest('shop', longMs)).toBe(true);
    expect(second.store.run('r1')?.status).toBe('completed');
    expect(now()).toEqual(before);
    expect(world.git('log', '--format=%s', 'main').split('\n')).toEqual(['Task 1', 'start']);
  });
});
