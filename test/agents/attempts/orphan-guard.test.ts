// What becomes of agents when the process that runs them is killed outright. Real processes, as a Bosun has them.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import type { ExecutorConfig } from '../../../src/jobs/agent-config.js';
import { built } from '../../cli/given.js';
import { agentConfig } from '../adapters/given-agent.js';
import { command, givenFolder, givenSpec, isRunning, put } from './given.js';

const root = join(import.meta.dirname, '../../..');

/** Runs the attempts that it reads from standard input, and says when one of them is over. */
const holderSource = `
import { readFileSync } from 'node:fs';
import { attemptRunner, codingAgents } from '${root}/dist/agents/index.js';
const run = attemptRunner({ agents: codingAgents });
const control = { signal: new AbortController().signal, report() {}, onExtend() {} };
for (const spec of JSON.parse(readFileSync(0, 'utf8'))) {
  run(spec, control).then((envelope) => console.log('over', envelope.exit, envelope.fault?.message ?? ''));
}
`;

type Holder = ChildProcessByStdio<Writable, Readable, null>;

interface Held {
  readonly holder: Holder;
  /** The processes of all attempts, once there are so many. */
  pids(count: number): Promise<readonly number[]>;
  /** Resolves when so many attempts are over. */
  over(count: number): Promise<void>;
}

async function holding(folder: string, executors: readonly ExecutorConfig[]): Promise<Held> {
  await built();
  const specs = executors.map((executor, at) => {
    const own = { attempt: `home-r1-${at}`, sharedDir: join(folder, `shared-${at}`) };
    return givenSpec({ ...own, root: folder, logPath: join(folder, `${at}.jsonl`), timeoutMs: 600_000, executor });
  });
  const holder = spawn(process.execPath, ['--input-type=module', '-e', holderSource], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  let said = '';
  holder.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  holder.stdin.end(JSON.stringify(specs));
  const pidsNow = () => readFileSync(join(folder, 'pids'), 'utf8').split('\n').filter(Boolean);
  return {
    holder,
    async pids(count) {
      await expect.poll(() => [pidsNow().length, said]).toEqual([count, '']);
      return pidsNow().map(Number);
    },
    over: (count) => expect.poll(() => said.split('over').length - 1).toBe(count),
  };
}

/** A program that will not end when asked, with a child in a session of its own and one without its environment. */
function stubborn(folder: string): string {
  const child = `sh -c 'echo $$ >> "$0"; exec sleep 1000' '${folder}/pids'`;
  const lines = [
    '#!/bin/sh',
    "trap '' TERM INT HUP",
    `setsid ${child} &`,
    `env -i PATH="$PATH" ${child} &`,
    `echo $$ >> '${folder}/pids'`,
    'exec sleep 1000',
  ];
  const path = put(folder, 'stubborn.sh', `${lines.join('\n')}\n`);
  put(folder, 'pids', '');
  chmodSync(path, 0o755);
  return path;
}

/** The guard that this process started. */
function guardOf(holder: Holder): number {
  const found = readdirSync('/proc').filter((pid) => {
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return Number(parent) === holder.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('orphan-guard.sh');
    } catch {
      return false;
    }
  });
  return Number(found[0] ?? 0);
}

const isLinux = process.platform === 'linux';

it('the orphan guard kills agents of every kind, with their children, when their process gets SIGKILL', async () => {
  const folder = givenFolder();
  const program = stubborn(folder);
  const script = put(folder, 'script.yaml', `- { step: impl, run: ['${program}'] }\n`);
  const held = await holding(folder, [
    command(program),
    agentConfig('claude', { program, wrap: ['nice', '-n', '1'] }),
    { kind: 'script', file: script, env: {}, passEnv: [] },
    agentConfig('claude', { program }),
    agentConfig('codex', { program }),
    agentConfig('opencode', { program }),
    // In its trial, and at work.
    agentConfig('acp', { own: { run: [program] } }),
    agentConfig('acp', { own: { run: [program] }, permission: 'bypass' }),
  ]);
  const pids = await held.pids(8 * 3);
  held.holder.kill('SIGKILL');
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});

it.runIf(isLinux)(
  'the orphan guard kills the agents of a killed process even if an earlier guard was killed before',
  async () => {
    const folder = givenFolder();
    const held = await holding(folder, [command(stubborn(folder))]);
    const pids = await held.pids(3);
    const first = guardOf(held.holder);
    process.kill(first, 'SIGKILL');
    await expect.poll(() => guardOf(held.holder)).not.toBeOneOf([0, first]);
    held.holder.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  },
);

it('the orphan guard leaves the agents of another process alone, and exits with an idle process', async () => {
  const folder = givenFolder();
  const other = givenFolder();
  const held = await holding(folder, [command('true')]);
  const beside = await holding(other, [command(stubborn(other))]);
  const pids = await beside.pids(3);
  await held.over(1);
  // The holder has no more to do: neither the guard nor the pipe to it keeps it alive.
  await expect.poll(() => held.holder.exitCode).toBe(0);
  expect(pids.filter(isRunning)).toEqual(pids);
  beside.holder.kill('SIGKILL');
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});
