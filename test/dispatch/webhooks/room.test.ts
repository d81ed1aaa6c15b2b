import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Dispatcher } from '../../../src/dispatch/commit/dispatcher.js';
import { RunCache } from '../../../src/dispatch/commit/run-cache.js';
import { emptyPlan } from '../../../src/dispatch/index.js';
import { usualCallTiming, Webhooks } from '../../../src/dispatch/webhooks/index.js';

import { dispatcherParts } from '../../dispatcher-parts.js';
import { def, workflow } from '../../engine/builders.js';
import { openStore } from '../../open-store.js';
import { aJob } from '../../store/values.js';
import { configOf, creation, givenWorld, plainly, type RunOptions, roomOf, starting, type World } from '../given.js';
import { type Received, receiver } from './receiver.js';

const longMs = 30_000;
const passing = 'echo one > made.txt; echo "STATUS: pass"';
const telling = (url: string, more = '') => `
executors: { agent: { kind: command, run: [sh, "%AGENT%"], env: { API_KEY: an-executors-own-key } } }
projects: { shop: { root: "%ROOT%", webhooks: [{ url: "${url}", secret: "a-long-secret-of-the-hook"${more} }] } }
`;

const begin = (runtime: ReturnType<typeof roomOf>, options: RunOptions = {}) => {
  const plan = creation(1, options);
  return runtime.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
};

const typesOf = (received: readonly Received[]) => received.map(({ json }) => json['type']);
/** As the doctor sees them, beside the Bosun that runs. */
function callsIn(world: World) {
  const store = openStore(world.home.dbPath, { readonly: true });
  try {
    return { heads: store.calls.heads(), counts: store.calls.counts() };
  } finally {
    store.close();
  }
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

async function opened(world: World) {
  const runtime = roomOf(world);
  await runtime.recover();
  runtime.startWorker(1);
  return runtime;
}

describe('a webhook of a project', () => {
  it('is called when a run starts and ends, with cost and task', async () => {
    const there = await receiver();
    const runtime = await opened(givenWorld(passing, telling(there.url)));
    await begin(runtime, { task: `Mend it ${'x'.repeat(5_000)}` });
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    await until(() => expect(typesOf(there.received)).toEqual(['run.started', 'run.completed']));
    const [, completed] = there.received;
    const { id, at, run, ...rest } = completed?.json ?? {};
    expect(rest).toEqual({ type: 'run.completed', project: 'shop' });
    expect(completed?.headers['x-bosun-delivery']).toBe(id);
    expect(Date.parse(String(at))).toBeGreaterThan(0);
    const task = expect.stringMatching(/^Mend it x{1991}…$/);
    expect(run).toEqual({ id: 'r1', workflow: 'test', status: 'completed', task, cost_usd: 0, cost_known: false });
  });

  it('is called for a question and its answer, in order', async () => {
    const there = await receiver(500);
    const world = givenWorld('exit 3', telling(there.url));
    const runtime = await opened(world);
    await begin(runtime, { workflow: workflow([def('a', { maxAttempts: 1, abandons: 0 })]) });
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    const [asked] = runtime.store.openInteractions('shop');
    const id = asked?.interaction.id ?? '';
    const chain = asked?.interaction.chain ?? '';
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
          option: 'abort',
          text: null,
          behind: null,
        },
      ],
    }));
    const { heads, counts } = callsIn(world);
    expect(heads.map(({ body }) => JSON.parse(body))).toMatchObject([{ type: 'run.started' }]);
    expect(counts).toMatchObject([{ waitingFor: 'HTTP 500' }]);
    expect(counts[0]?.waiting).toBeGreaterThanOrEqual(4);
    await runtime.close();
    // The first one was tried and is to wait a minute; time passes.
    const later = Date.now() + 120_000;
    const store = openStore(world.home.dbPath);
    onTestFinished(() => store.close());
    const webhooks = new Webhooks({
      ...usualCallTiming,
      ...{ calls: store.calls, home: world.home, config: () => configOf(world) },
      now: () => later,
      log: () => undefined,
    });
    onTestFinished(() => webhooks.close());
    webhooks.start();
    await until(() => expect(store.calls.heads()).toEqual([]));
    const types = typesOf(there.received.slice(1));
    expect(types.slice(0, 3)).toEqual(['run.started', 'interaction.opened', 'run.paused']);
    expect(types).toContain('interaction.decided');
    const [opening] = there.received.filter(({ json }) => json['type'] === 'interaction.opened');
    expect(opening?.json['interaction']).toMatchObject({ id, kind: 'escalation', state: 'open' });
    expect(JSON.stringify(opening?.json['interaction'])).toContain('"id":"abort"');
    const deciding = there.received.find(({ json }) => json['type'] === 'interaction.decided');
    expect(deciding?.json['interaction']).toMatchObject({
      id,
      state: 'answered',
      answer: { option: 'abort', by: 'ada' },
    });
  });

  it('is called only for its subscribed events', async () => {
    const there = await receiver();
    const runtime = await opened(givenWorld('exit 3', telling(there.url, ', events: [interaction]')));
    await begin(runtime, { workflow: workflow([def('a', { maxAttempts: 1, abandons: 0 })]) });
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    await until(() => expect(typesOf(there.received)).toEqual(['interaction.opened']));
    await runtime.close();
    expect(there.received).toHaveLength(1);
  });

  it('never contains a secret', async () => {
    const there = await receiver();
    const world = givenWorld(passing, telling(there.url));
    const runtime = await opened(world);
    const secrets = [world.home.secret, world.home.apiToken, 'a-long-secret-of-the-hook', 'an-executors-own-key'];
    await begin(runtime, { task: `Use ${secrets.join(' and ')} and no other` });
    await until(() => expect(there.received.length).toBeGreaterThan(0));
    expect(there.received[0]?.body).toMatch(/Use \S+ and \S+ and \S+ and \S+ and no other/);
    for (const secret of secrets) expect(there.received[0]?.body).not.toContain(secret);
  });

  it('that never answers delays neither the run nor the shutdown', async () => {
    const there = await receiver('hang', 'hang', 'hang');
    const runtime = await opened(givenWorld(passing, telling(there.url)));
    await begin(runtime);
    expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
    expect(runtime.store.run('r1')?.status).toBe('completed');
    await until(() => expect(there.received).toHaveLength(1));
    const before = Date.now();
    await runtime.close();
    expect(Date.now() - before).toBeLessThan(8_000);
  });

  it('is called at the next start for events committed by a process that died before sending', async () => {
    const there = await receiver();
    const world = givenWorld(passing, telling(there.url));
    const store = openStore(world.home.dbPath, { homeId: world.home.homeId });
    const webhooks = new Webhooks({
      ...usualCallTiming,
      ...{ calls: store.calls, home: world.home, config: () => configOf(world) },
      now: Date.now,
      log: () => undefined,
    });
    const dispatcher = new Dispatcher({
      ...dispatcherParts,
      ...{ store, cache: new RunCache(store), present: plainly, now: Date.now },
      jobOf: (_state, _node, attempt) => aJob(attempt),
      callsOf: (changes, at) => webhooks.callsOf(changes, at),
      act: () => undefined,
    });
    const plan = creation(1);
    await dispatcher.submit(() => ({ ...plan, events: [...plan.events, starting('r1')] }));
    expect(store.calls.heads()).toHaveLength(1);
    store.close();
    expect(there.received).toEqual([]);
    await roomOf(world).recover();
    await until(() => expect(typesOf(there.received)[0]).toBe('run.started'));
  });

  it('is not called for a plan that failed', async () => {
    const there = await receiver();
    const world = givenWorld(passing, telling(there.url));
    const runtime = await opened(world);
    const plan = creation(1);
    const failing = runtime.submit(() => {
      throw new Error('no plan');
    });
    await expect(failing).rejects.toThrow('no plan');
    await runtime.submit(() => plan);
    expect(callsIn(world).counts).toEqual([]);
    expect(there.received).toEqual([]);
  });
});
