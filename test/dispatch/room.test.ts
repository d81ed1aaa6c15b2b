import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Runtime } from '../../src/dispatch/runtime.js';
import type { Event } from '../../src/engine/index.js';
import { isRunning } from '../agents/attempts/given.js';
import { def, workflow } from '../engine/builders.js';
import { aMessage } from '../store/values.js';
import { configOf, creation, givenWorld, liveOf, type RunOptions, roomOf, starting, type World } from './given.js';

const longMs = 30_000;
const passing = 'note "$BOSUN_STEP $BOSUN_ATTEMPT"; echo one > made.txt; echo "STATUS: pass"';
// It tells who it is and then hangs; its own child does not listen to polite words.
const hanging = 'note "$$"; trap "" TERM; sleep 600 & wait; wait';

async function started(world: World, options: RunOptions = {}, log: string[] = []): Promise<Runtime> {
  const runtime = roomOf(world, { log: (message) => log.push(message) });
  await begin(runtime, 1, options);
  return runtime;
}

function begin(runtime: Runtime, number: number, options: RunOptions = {}) {
  const plan = creation(number, options);
  return runtime.submit((now) => ({
    ...plan,
    events: [...plan.events, starting(`r${number}`, now.at, now.liveRun(options.project ?? 'shop')?.id ?? null)],
  }));
}

const submit = (runtime: Runtime, event: Event) => runtime.submit(() => ({ ...emptyPlan, events: [event] }));
const types = (runtime: Pick<Runtime, 'store'>, run = 'r1') =>
  runtime.store.events(run, 0, 200).map(({ event }) => event.type);
const said = (run: string) => ({ run, chain: '', at: 9, by: 'ada' });

/** Resolves once a message with this text was posted. */
function posted(runtime: Runtime, text: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = runtime.onMessages((messages) => {
      if (!messages.some(({ view }) => view.text === text)) return;
      stop();
      resolve();
    });
  });
}

async function untilNoted(world: World): Promise<string> {
  while (world.notes().length === 0) await new Promise((resolve) => setImmediate(resolve));
  return world.notes()[0] ?? '';
}

describe('a runtime', () => {
  it('walks a run from start to commit with a real agent, and posts each message once', async () => {
    const world = givenWorld(passing);
    const runtime = roomOf(world);
    const heard: string[] = [];
    runtime.onMessages((messages) => heard.push(...messages.map(({ id }) => id)));
    runtime.startWorker(1);
    await begin(runtime, 1, { workflow: workflow([def('a'), def('b')]) });
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    expect(world.notes()).toEqual(['a 1', 'b 1']);
    expect(runtime.store.run('r1')?.status).toBe('completed');
    expect(world.git('show', '--stat', '--format=%s', 'HEAD')).toMatch(/^Task 1\n[\s\S]*made\.txt/);
    expect(types(runtime)).toEqual([
      'run_created',
      'start',
      'workspace_done',
      'attempt_started',
      'attempt_settled',
      'attempt_started',
      'attempt_settled',
      'workspace_done',
    ]);
    expect(new Set(heard).size).toBe(heard.length);
    await runtime.close();
    expect(JSON.parse(readFileSync(join(world.root, '.ai', 'STATE.json'), 'utf8'))).toMatchObject({
      step: 'done',
      status: 'pass',
    });
  });

  it('survives a listener that throws, and still calls the others', async () => {
    const log: string[] = [];
    const runtime = roomOf(givenWorld(passing), { log: (message) => log.push(message) });
    let count = 0;
    runtime.onMessages(() => {
      throw new Error('the pipe is broken');
    });
    runtime.onMessages((messages) => {
      count += messages.length;
    });
    const { messages } = await begin(runtime, 1, { propose: true });
    expect(messages.length).toBeGreaterThan(0);
    expect(count).toBe(messages.length);
    expect(log.join('\n')).toContain('the pipe is broken');
  });

  it('exports no files of a run whose creation failed', async () => {
    const world = givenWorld(passing);
    const runtime = roomOf(world);
    const plan = creation(1);
    const events = [...plan.events, starting('r1'), starting('r99')];
    await expect(runtime.submit(() => ({ ...plan, events }))).rejects.toThrow('unknown run r99');
    await runtime.close();
    expect(existsSync(join(world.root, '.ai', 'STATE.json'))).toBe(false);
  });

  it('does not post a card again if its text has not changed', async () => {
    const runtime = roomOf(givenWorld(passing));
    const heard: string[] = [];
    runtime.onMessages((messages) => heard.push(...messages.map(({ view }) => view.text)));
    const say = (text: string) =>
      runtime.submit(() => ({
        ...emptyPlan,
        messages: [aMessage('t1', text, { card: 'c1' }), aMessage('t1', 'beside it')],
      }));
    await say('one');
    await say('one');
    await say('two');
    expect(heard).toEqual(['one', 'beside it', 'beside it', 'two', 'beside it']);
  });

  it('starts the next approved draft when a run has ended', async () => {
    const world = givenWorld(passing);
    const runtime = await started(world);
    await begin(runtime, 2);
    await begin(runtime, 3);
    await runtime.submit(() => creation(4));
    expect(['r1', 'r2', 'r3', 'r4'].map((run) => runtime.store.run(run)?.status)).toEqual([
      'running',
      'draft',
      'draft',
      'draft',
    ]);
    runtime.startWorker(4);
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    expect(['r1', 'r2', 'r3', 'r4'].map((run) => runtime.store.run(run)?.status)).toEqual([
      'completed',
      'completed',
      'completed',
      'draft',
    ]);
  });

  it('is busy while an agent hangs, while other projects are idle', async () => {
    const world = givenWorld(hanging);
    const runtime = await started(world);
    runtime.startWorker(1);
    await untilNoted(world);
    expect(
      await Promise.all([
        runtime.whenAtRest('shop', 5),
        runtime.whenAtRest('blog', longMs),
        runtime.whenAtRest(null, 5),
      ]),
    ).toEqual([false, true, false]);
  });

  it('becomes idle for waiters when a failed commit was all that was under way', async () => {
    const runtime = roomOf(givenWorld(passing));
    // JSON has no word for it, so the commit fails.
    const message = aMessage('t1', 'x');
    const view = { ...message.view, rings: 1n as unknown as boolean };
    const failing = runtime.submit(() => ({ ...emptyPlan, messages: [{ ...message, view }] }));
    const waiting = runtime.whenAtRest(null, longMs);
    await expect(failing).rejects.toThrow('BigInt');
    expect(await waiting).toBe(true);
  });
});

describe('stopping a live attempt', () => {
  it('kills the agent with its child processes, and settles the attempt as cancelled', async () => {
    const world = givenWorld(hanging);
    const runtime = await started(world);
    runtime.startWorker(1);
    const pid = Number(await untilNoted(world));
    expect(isRunning(pid)).toBe(true);
    await submit(runtime, { ...said('r1'), type: 'kill' });
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    expect(isRunning(pid)).toBe(false);
    expect(types(runtime).filter((type) => type === 'attempt_settled')).toHaveLength(1);
    expect(runtime.store.nodes('r1')[0]?.last?.outcome).toBe('cancelled');
  });

  it('settles a queued attempt, which then never runs', async () => {
    const world = givenWorld(passing);
    const runtime = await started(world);
    await posted(runtime, 'progress');
    await submit(runtime, { ...said('r1'), type: 'kill' });
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    expect(runtime.store.nodes('r1')[0]?.last?.outcome).toBe('cancelled');
    runtime.startWorker(1);
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    expect(world.notes()).toEqual([]);
  });

  it('by close interrupts the agent, and waiters for idle get false', async () => {
    const world = givenWorld(hanging);
    const runtime = await started(world);
    runtime.startWorker(1);
    const pid = Number(await untilNoted(world));
    const waiting = runtime.whenAtRest('shop', longMs);
    await runtime.close();
    expect(await waiting).toBe(false);
    expect(isRunning(pid)).toBe(false);
    const next = roomOf(world);
    await next.recover();
    const settled = next.store
      .events('r1', 0, 100)
      .flatMap(({ event }) => (event.type === 'attempt_settled' ? [event.envelope.killed] : []));
    expect(settled).toEqual(['interrupted']);
  });
});

describe('close', () => {
  it('waits for checkout work and for the events that follow from it', async () => {
    const world = givenWorld(passing);
    const log: string[] = [];
    const runtime = await started(world, {}, log);
    await runtime.close();
    expect(log).toEqual([]);
    const next = roomOf(world);
    expect(types(next)).toEqual(['run_created', 'start', 'workspace_done']);
    expect(liveOf(next, 'r1').startedAt).toBeNull();
    expect(existsSync(join(world.root, '.ai', 'STATE.json'))).toBe(true);
  });
});

describe('a project that was removed from config.yaml', () => {
  const without = 'executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }\n';

  it('has no folder touched, and its card says what to do', async () => {
    const world = givenWorld(passing);
    const gone = givenWorld(passing, without);
    const runtime = roomOf(world, { config: () => configOf(gone) });
    await begin(runtime, 1);
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    const [asked] = runtime.store.openInteractions('shop');
    expect(asked?.interaction.text).toMatch(/shop is no longer in config\.yaml/);
    expect(asked?.interaction.options.map(({ id }) => id)).toEqual(['retry', 'abort']);
    expect(existsSync(join(world.root, '.ai'))).toBe(false);
  });

  it('crashes its attempts with that reason, and resumes once it is configured again', async () => {
    const world = givenWorld(passing);
    let config = configOf(world);
    const good = config;
    const runtime = roomOf(world, { config: () => config });
    await begin(runtime, 1, { level: 'semi' });
    await posted(runtime, 'progress');
    config = { ...good, projects: [] };
    const queued = liveOf(runtime, 'r1');
    await submit(runtime, { ...said('r1'), type: 'kill' });
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    await submit(runtime, { ...said('r1'), type: 'retry', node: queued.node, note: null });
    runtime.startWorker(1);
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    expect(runtime.store.nodes('r1')[0]?.last).toMatchObject({
      outcome: 'crashed',
      summary: expect.stringContaining('no longer in config.yaml'),
    });
    expect(world.notes()).toEqual([]);
    config = good;
    await submit(runtime, { ...said('r1'), type: 'retry', node: queued.node, note: null });
    expect(await runtime.whenAtRest(null, longMs)).toBe(true);
    expect(runtime.store.run('r1')?.status).toBe('completed');
  });
});
