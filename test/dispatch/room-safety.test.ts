// The room as a whole, with agents that tell secrets and write where they should not.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../src/dispatch/runtime.js';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import { acceptProjectRules } from '../accept-rules.js';
import { def, workflow } from '../engine/builders.js';
import { creation, givenWorld, roomOf, starting, type World } from './given.js';

const longMs = 60_000;

async function walked(runtime: Runtime, flow: ReturnType<typeof workflow>): Promise<void> {
  runtime.startWorker(1);
  const plan = creation(1, { workflow: flow });
  await runtime.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
  expect(await runtime.whenAtRest('shop', longMs)).toBe(true);
}

it('redacts secrets and attempt tokens in everything stored, logged or posted of a run', async () => {
  const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"], env: { SHOP_API_KEY: of-the-shop-key } } }
projects: { shop: { root: "%ROOT%", hook_secret: of-the-hook } }
`;
  const agent =
    'echo "STATUS: pass"; echo "SUMMARY: $SHOP_API_KEY of-the-hook $BOSUN_TOKEN"; echo "$SHOP_API_KEY" >> "$BOSUN_SCRATCH_FILE"';
  const world = givenWorld(agent, config);
  const log: string[] = [];
  const posted: string[] = [];
  const runtime = roomOf(world, { log: (message) => log.push(message) });
  runtime.onMessages((messages) => posted.push(JSON.stringify(messages)));
  await walked(runtime, workflow([def('a'), def('b')]));
  expect(runtime.store.run('r1')?.status).toBe('completed');
  const attempts = runtime.store.attemptsOfRun('r1', 10);
  expect(attempts).toHaveLength(2);
  const inRun = join('r1', 'logs', '_');
  const logs = [join(world.home.dir, 'attempt-logs', inRun), join(world.root, '.ai', 'runs', inRun)];
  const told = [
    JSON.stringify(runtime.store.events('r1', 0, 100)),
    ...logs.flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))),
    ...[...posted, ...log],
  ].join('\n');
  expect(told).toContain('[redacted] [redacted] [redacted]');
  const tokens = attempts.map(({ attempt }) => attemptToken(world.home.secret, attempt.id));
  for (const secret of ['of-the-shop-key', 'of-the-hook', ...tokens]) expect(told).not.toContain(secret);
  await runtime.close();
});

it('writes no value of an executor’s environment to a file of the home or the project', async () => {
  const values = ['of-the-shop-key', 'in-a-plain-variable'];
  const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"], env: { SHOP_API_KEY: of-the-shop-key, PLAIN: in-a-plain-variable } } }
projects: { shop: { root: "%ROOT%" } }
`;
  const world = givenWorld('note "$SHOP_API_KEY $PLAIN"; echo "$SHOP_API_KEY"; echo "STATUS: pass"', config);
  const runtime = roomOf(world);
  await walked(runtime, workflow([def('a'), def('b')]));
  // It had them all the same.
  expect(world.notes()).toEqual([values.join(' '), values.join(' ')]);
  const found = () =>
    [dirname(world.home.dbPath), world.root].flatMap((folder) =>
      filesIn(folder).filter((file) => {
        const bytes = file === world.home.configPath ? Buffer.alloc(0) : readFileSync(file);
        return values.some((value) => bytes.includes(value));
      }),
    );
  expect(filesIn(dirname(world.home.dbPath))).toContain(`${world.home.dbPath}-wal`);
  expect(found()).toEqual([]);
  await runtime.close();
  expect(found()).toEqual([]);
});

it('reports an executor removed from config.yaml, and runs nothing', async () => {
  const world = givenWorld('note ran; echo "STATUS: pass"');
  const before = roomOf(world);
  const plan = creation(1, { workflow: workflow([def('a')]) });
  await before.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
  await expect.poll(() => before.store.openAttempts().length, { timeout: longMs }).toBe(1);
  world.configure('executors: { other: { kind: command, run: [sh] } }\nprojects: { shop: { root: "%ROOT%" } }');
  before.startWorker(1);
  expect(await before.whenAtRest('shop', longMs)).toBe(true);
  expect(JSON.stringify(before.store.events('r1', 0, 100))).toContain(
    'The executor agent of a is no longer in config.yaml. Add it back under executors, then retry.',
  );
  expect(world.notes()).toEqual([]);
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath ?? entry.path, entry.name)] : [],
  );
}

it('redacts secrets in a report by hand and in the output of its checks', async () => {
  const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects: { shop: { root: "%ROOT%", hook_secret: of-the-hook, check: "echo of-the-hook; exit 1" } }
`;
  const world = givenWorld('true', config);
  const runtime = roomOf(world);
  const plan = creation(1, { workflow: workflow([def('a', { check: '{{project.check}}' })]) });
  await runtime.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
  const [spine, chain] = [runtime.store.spine('r1'), runtime.store.chain('r1', '')];
  if (!spine || !chain) throw new Error('no r1');
  const [node] = chain.nodes;
  const given = { status: 'pass', reason: null, summary: 'of-the-hook' };
  const { envelope } = await runtime.readHandReport({ ...spine, chain }, node?.id ?? '', given);
  expect(envelope).toMatchObject({ result: { summary: '[redacted]' }, checks: [{ tail: '[redacted]' }] });
  expect(readFileSync(envelope.logPath ?? '', 'utf8')).not.toContain('of-the-hook');
  await runtime.close();
});

it('repeats a step that wrote outside its scope until the stray change is gone, across attempts', async () => {
  const agent = `
case "$BOSUN_ATTEMPT" in
  1) echo a > a.txt; echo b > stray.txt ;;
  2) echo c >> a.txt ;;
  *) rm stray.txt ;;
esac
echo "STATUS: pass"`;
  const world = givenWorld(agent);
  const runtime = roomOf(world);
  await walked(runtime, workflow([def('work', { writes: ['a.txt'] })]));
  const tries = runtime.store
    .attemptsOfRun('r1', 10)
    .map(({ attempt }) => [attempt.number, attempt.outcome, attempt.reason]);
  expect(tries.sort((one, other) => Number(one[0]) - Number(other[0]))).toEqual([
    [1, 'failing', 'scope_warning'],
    [2, 'failing', 'scope_warning'],
    [3, 'pass', null],
  ]);
  expect(runtime.store.run('r1')?.status).toBe('completed');
  await runtime.close();
});

describe('project rules that change during work of an external agent', () => {
  const rules = '.ai/step-rules.yaml';
  const put = ({ root }: World, text: string) => writeFileSync(join(root, rules), text);

  async function waitingRun() {
    const world = givenWorld('true');
    world.write(rules, 'a: { timeout_min: 5 }\n');
    const runtime = roomOf(world);
    const plan = creation(1, { workflow: workflow([def('a', { maxAttempts: 9 })]) });
    await runtime.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
    await expect.poll(() => runtime.store.openAttempts().length, { timeout: longMs }).toBe(1);
    const last = () => runtime.store.nodes('r1')[0]?.last ?? null;
    return { world, runtime, last };
  }

  it('fail a claimed step until they are restored', async () => {
    const { world, runtime, last } = await waitingRun();
    const claimed = async () => {
      await runtime.claimOutside({ project: 'shop', role: null, claim: 'c1' });
      return attemptToken(world.home.secret, runtime.store.openAttempts()[0]?.attempt.id ?? '');
    };
    const pass = { report: 'STATUS: pass' };
    const first = await claimed();
    put(world, 'a: { timeout_min: 99 }\n');
    await runtime.settleOutside(first, { error: 'not done' });
    expect(last()).toMatchObject({ outcome: 'failing', filesChanged: [rules] });
    // Claimed anew, it does not begin with the change.
    await runtime.settleOutside(await claimed(), pass);
    expect(last()).toMatchObject({ outcome: 'failing', reason: 'scope_warning' });
    put(world, 'a: { timeout_min: 5 }\n');
    await runtime.settleOutside(await claimed(), pass);
    expect(last()).toMatchObject({ outcome: 'pass' });
    await runtime.close();
  });

  it('fail a report by hand until an owner accepts them, after which the same report counts', async () => {
    const { world, runtime } = await waitingRun();
    const read = async () => {
      const [spine, chain] = [runtime.store.spine('r1'), runtime.store.chain('r1', '')];
      if (!spine || !chain) throw new Error('no r1');
      const given = { status: 'pass', reason: null, summary: null };
      return runtime.readHandReport({ ...spine, chain }, chain.nodes[0]?.id ?? '', given);
    };
    const before = await read();
    expect(before.envelope.touchedRules).toBeUndefined();
    writeFileSync(join(world.root, '.ai', 'notes.md'), 'no rule');
    put(world, 'a: { timeout_min: 99 }\n');
    const touched = await read();
    expect(touched.envelope).toMatchObject({ touchedRules: [rules], filesChanged: [rules] });
    expect(touched.fingerprint).not.toBe(before.fingerprint);
    acceptProjectRules(world.home.dir, world.root);
    expect((await read()).envelope.touchedRules).toBeUndefined();
    await runtime.close();
  });
});
