// Bosun's side and a worker's with nothing but a remote between them: real git, real processes, paths of their own.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import { codingAgents } from '../../../src/agents/index.js';
import { loadConfig } from '../../../src/config/index.js';
import type { Envelope } from '../../../src/engine/index.js';
import type { BosunConnection, JobControl, Progress } from '../../../src/jobs/attempt-control.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import type { AgentCall, AgentReply, CheckoutBundle } from '../../../src/jobs/remote-calls.js';
import { openAgentProxy, underway } from '../../../src/worker/remote/index.js';
import { awayRunner, type RemoteRunnerParts } from '../../../src/worker/remote/remote-runner.js';
import { fetchBundle, packBundle, pushBundle, takeBundle } from '../../../src/workspace/index.js';
import { aJob } from '../../store/values.js';
import { makeFolder, makeRepository, type Repository } from '../../workspace/repository.js';

export interface Elsewhere {
  /** Bosun's checkout. */
  readonly shop: Repository;
  /** The bare repository that both reach. */
  readonly remote: string;
  /** The worker's home. */
  readonly home: string;
  /** The attempt's log as it came back into Bosun's home. */
  log(): string;
  readonly told: Progress[];
  readonly calls: AgentCall[];
  readonly logged: string[];
  reply: AgentReply;
  setup: string | null;
  /** In place of Bosun's answer. */
  fetch: (() => Promise<CheckoutBundle>) | null;
  /** A worker with an agent that is this shell script. */
  run(agent: string, job?: Partial<AttemptSpec>, parts?: Partial<RemoteRunnerParts>): Running;
  /** Brings Bosun's checkout to what came back. */
  take(done: Envelope, job?: Partial<AttemptSpec>): Promise<unknown>;
}

export interface Running {
  readonly done: Promise<Envelope>;
  abort(reason: 'cancel' | 'interrupted'): void;
  said(): readonly string[];
}

export const backRef = 'refs/bosun/h1/a1/back';
const outOf = (attempt: string) => `refs/bosun/h1/${attempt}/out`;

export async function givenElsewhere(
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' },
): Promise<Elsewhere> {
  const shop = makeRepository(files);
  const remote = join(makeFolder(), 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  shop.git('remote', 'add', 'origin', remote);
  shop.git('push', '-q', 'origin', 'main');
  const logs = makeFolder();
  const home = join(makeFolder(), 'w');
  mkdirSync(home, { mode: 0o700 });
  const relay = await openAgentProxy();
  onTestFinished(() => relay.close());
  const config = loadConfig(
    { agents: codingAgents, channels: [], reservedWords: new Set<string>(), configPath: join(home, 'config.yaml') },
    {},
  );
  let sent = '';

  function specOf(job: Partial<AttemptSpec>): AttemptSpec {
    const sharedDir = join(shop.root, '.ai/runs/r1');
    return {
      ...aJob('a1').payload,
      ...{ project: 'shop', item: '', label: 'impl', token: 'the-token-of-a1', url: 'http://192.0.2.1:7420' },
      ...{ root: shop.root, workdir: shop.root, sharedDir, logPath: join(sharedDir, 'logs/_/impl.jsonl') },
      ...{ timeoutMs: 20_000, kind: 'agent' as const, check: null, tests: null, outputs: null, team: null, red: false },
      executorName: 'agent',
      executor: { kind: 'command', run: ['./agent.sh'], env: {}, passEnv: ['OF_THE_WORKER'] },
      ...job,
    };
  }

  const placeOf = ({ workdir, sharedDir, logPath }: AttemptSpec) => ({
    folder: workdir,
    shared: sharedDir,
    log: { folder: join(logs, 'r1'), path: relative(sharedDir, logPath) },
  });

  const it: Elsewhere = {
    log: () => readFileSync(join(logs, 'r1/logs/_/impl.jsonl'), 'utf8'),
    ...{ shop, remote, home, told: [], calls: [], logged: [], setup: null, fetch: null },
    reply: { status: 200, body: '{"state":"noted"}' },
    run(agent, job = {}, parts = {}) {
      const spec = specOf(job);
      shop.write('agent.sh', `#!/bin/sh\n${agent}\n`);
      chmodSync(join(shop.root, 'agent.sh'), 0o755);
      const aborting = new AbortController();
      const afar: BosunConnection = {
        async fetch() {
          if (it.fetch !== null) return it.fetch();
          ({ commit: sent } = await packBundle(placeOf(spec)));
          const pushed = await pushBundle(spec.workdir, 'origin', { ref: outOf(spec.attempt), commit: sent });
          if (pushed.kind === 'blocked') throw new Error(pushed.why);
          return {
            remote,
            ref: outOf(spec.attempt),
            commit: sent,
            backRef: backRef.replace('a1', spec.attempt),
            prefix: '',
            setup: it.setup,
          };
        },
        call(call) {
          it.calls.push(call);
          return Promise.resolve(it.reply);
        },
      };
      const control: JobControl = {
        ...{ signal: aborting.signal, onExtend: () => undefined, connection: afar },
        report: (progress) => it.told.push(progress),
      };
      const run = awayRunner({
        ...{
          home: { agents: codingAgents, dir: home, secret: 's'.repeat(64), apiToken: 't'.repeat(64) },
          config: () => config,
        },
        ...{ env: process.env, name: 'far', bosun: 'h1', proxy: relay, underway: underway({ dir: home }) },
        ...{ log: (message: string) => it.logged.push(message), pushForMs: 10_000, pushEveryMs: 50 },
        ...parts,
      });
      return {
        done: run(spec, control),
        abort: (reason) => aborting.abort(reason),
        said: () => it.told.flatMap((one) => (one.type === 'action' ? [one.text] : [])),
      };
    },
    async take({ pushed }, job = {}) {
      const spec = specOf(job);
      if (pushed === undefined) throw new Error('nothing was pushed');
      const fetched = await fetchBundle(shop.root, 'origin', pushed);
      if (fetched.kind === 'blocked') throw new Error(fetched.why);
      return takeBundle(placeOf(spec), sent, pushed.commit);
    },
  };
  return it;
}

/** A file that an agent writes to tell the test of itself. */
export function slate(): { readonly path: string; read(): string } {
  const path = join(makeFolder(), 'slate');
  writeFileSync(path, '');
  return { path, read: () => readFileSync(path, 'utf8') };
}
