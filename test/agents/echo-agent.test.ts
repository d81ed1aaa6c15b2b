// The coding agent that docs/extending.md adds: one more row in the registry gives it a run, doctor, a hook and messages
// for mistakes in config.yaml.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { codingAgents } from '../../src/agents/index.js';
import { makeProgram } from '../../src/cli/program.js';
import { checkConfig } from '../../src/config/index.js';
import { pack, unpack } from '../../src/queue/redis/offers/job-payload.js';
import { givenWorld, type World } from '../dispatch/given.js';
import { opened } from '../e2e/stage.js';
import { agentConfig, agentSeat } from './adapters/given-agent.js';

/** Speaks lines such as `say:…` and `cost:0.25`. */
const program = `#!/bin/sh
if [ "$1" = --version ]; then echo "echo 1.2"; exit 0; fi
echo "begin:$BOSUN_STEP"
echo "say:volume $1"
cat > prompt.txt
echo "say:STATUS: pass"
echo "cost:0.25"
echo "end:"
`;

function echoWorld(executor: string): World {
  const world = givenWorld('');
  const path = join(world.home.dir, '..', 'echo');
  writeFileSync(path, program);
  chmodSync(path, 0o755);
  world.configure(
    `executors: { agent: { kind: echo, program: ${path}, ${executor} } }\nqueue: { per_kind: { echo: 2 } }\n` +
      'projects: { shop: { root: "%ROOT%", budget: { day_usd: 5 } } }\n',
  );
  return world;
}

async function bosun({ home }: World, args: readonly string[]): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const shell = { env: { ...process.env, BOSUN_HOME: home.dir }, cwd: '/', stdin, stdout, stderr };
  await makeProgram(shell, { startWeb: () => Promise.reject(new Error('no web')) }, codingAgents).program.parseAsync(
    args,
    {
      from: 'user',
    },
  );
  stdout.end();
  return text(stdout);
}

it('does a whole run: agent, checks, review, done', async () => {
  const world = echoWorld('volume: 11');
  world.write(
    '.ai/workflows/talk.yaml',
    'workflow: talk\nversion: 1\nchain:\n  - { id: build, prompt: "Build it: {{task}}", check: "test -f prompt.txt" }\n  - { id: review, kind: human }\n',
  );
  const stage = await opened(world);
  await stage.run('a button', 'talk');
  expect(stage.status().interactions).toMatchObject([{ kind: 'review' }]);
  const [attempt] = stage.app.runtime.store.attemptsOfRun('r1', 5);
  expect(attempt?.attempt).toMatchObject({ outcome: 'pass', session: 'echo:build', costUsd: 0.25 });
  expect(readFileSync(join(world.root, 'prompt.txt'), 'utf8')).toContain('Build it: a button');
  await stage.press('approve');
  expect(stage.app.runtime.store.run('r1')).toMatchObject({ status: 'completed', costUsd: 0.25 });
  expect(stage.messages().map(({ view }) => view.text)).toContainEqual(expect.stringContaining('shop is done'));
  const told = { do: 'hook', project: 'shop', session: { agent: 'echo', id: 's1', turn: null, text: 'hello' } };
  expect(await stage.ask(told)).toContain('An Echo session in shop ended');
  await expect(stage.ask({ ...told, session: { ...told.session, agent: 'ehco' } })).rejects.toThrow('no agent "ehco"');
});

it('is examined by doctor, which also warns of a budget that it may not report', async () => {
  const { checks } = JSON.parse(await bosun(echoWorld('volume: 1'), ['doctor', '--json']));
  expect(checks).toContainEqual(expect.objectContaining({ name: 'executor agent', state: 'ok' }));
  expect(JSON.stringify(checks)).toMatch(/echo 1\.2, logged in/);
  expect(JSON.stringify(checks)).toContain('(echo) has no prices, so its cost may be unknown');
});

it('has its hook installed and removed beside those of the others', async () => {
  const world = echoWorld('volume: 1');
  expect(await bosun(world, ['hook', 'install', 'shop'])).toMatch(/^echo +\.echo\/hook: written$/m);
  expect(readFileSync(join(world.root, '.echo/hook'), 'utf8')).toBe('hook shop --agent echo\n');
  expect(await bosun(world, ['hook', 'install', 'shop', '--agent', 'echo', '--remove'])).toContain('removed');
  expect(existsSync(join(world.root, '.echo'))).toBe(false);
});

it.each([
  ['kind: ehco', ' or echo; did you mean "echo"?'],
  ['kind: echo', 'executors.agent.volume is missing'],
  ['kind: claude, permission: strict', 'must be ask, deny or bypass'],
  ['kind: codex, permission: strikt', 'must be ask, strict, deny or bypass; did you mean "strict"?'],
  ['kind: codex, mode: serve', 'must be app-server or exec'],
  ['kind: claude, volume: 1', 'unknown key "volume" in executors.agent'],
])('config.yaml with { %s } is refused: %s', (executor, message) => {
  const world = echoWorld('volume: 1');
  world.configure(`executors: { agent: { ${executor} } }\n`);
  const reading = checkConfig(world.home, {});
  expect(reading.kind === 'bad' && reading.problems.map((one) => one.message).join()).toContain(message);
});

it('is offered only to a remote worker that has its adapter', () => {
  const payload = pack(JSON.stringify(agentSeat(agentConfig('echo'))));
  expect(unpack('shop-r1-n3-1', payload, ['claude', 'echo'])).toMatchObject({ ok: true });
  const strict = pack(
    JSON.stringify(agentSeat(agentConfig('codex', { permission: 'strict', own: { mode: 'app-server' } }))),
  );
  expect(unpack('shop-r1-n3-1', strict, ['codex'])).toMatchObject({ ok: true });
  expect(unpack('shop-r1-n3-1', payload, ['claude'])).toMatchObject({ ok: false, code: 'worker_job' });
});
