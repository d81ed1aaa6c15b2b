// On the home's disk a worker uses the project's folder and exchanges checkpoints as files; elsewhere it fetches
// bundles.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { attemptRunner, type CodingAgent } from '../agents/index.js';
import type { Log } from '../base/index.js';
import { BosunError, settingsGuard } from '../base/index.js';
import { type Config, diskMark, type Environment, type Home, homeRedaction } from '../config/index.js';
import { type Envelope, emptyEnvelope } from '../engine/index.js';
import type { AttemptSpec, RunAttempt } from '../jobs/index.js';
import { aboutAttempt, parseWorker } from '../jobs/index.js';
import { maxWorkerName, openBullmqWorker } from '../queue/index.js';
import { useGitStarter } from '../workspace/index.js';
import { attemptNotes } from './attempt/attempt-notes.js';
import { logFolderOf } from './attempt/log-folder.js';
import { measuredAttempt } from './attempt/measured-attempt.js';
import { inPresentEnv } from './attempt/resolve-environment.js';
import {
  awayRunner,
  type ChosenHome,
  endOrphans,
  keepHouse,
  openAgentProxy,
  redisFor,
  underway,
  usualPush,
} from './remote/index.js';

export interface RemoteWorkerParts {
  readonly home: Home<CodingAgent>;
  readonly config: () => Config;
  readonly env: Environment;
  readonly name: string;
  readonly concurrency: number;
  readonly can: readonly string[];
  readonly bosun: ChosenHome | null;
  readonly version: string;
  /** '': use the job's. */
  readonly url: () => string;
  /** Its Bosun now runs on another disk: take no more jobs. */
  readonly onOtherDisk: () => void;
  readonly log: Log;
}

export interface RemoteWorker {
  /** True: all jobs ended in time. */
  drain(withinMs: number): Promise<boolean>;
  /** Bosun retries interrupted jobs. */
  close(): Promise<void>;
}

export async function startRemoteWorker(parts: RemoteWorkerParts): Promise<RemoteWorker> {
  const { config, env, name } = parts;
  const redis = redisFor(config(), env);
  if (name === '' || name.length > maxWorkerName) throw noName(name);
  if (parseWorker(name).kind !== 'remote') throw takenName(name);
  useGitStarter();
  const chosen = parts.bosun ?? { id: parts.home.homeId, isAway: false };
  return chosen.isAway ? startElsewhere(parts, redis, chosen) : takeJobs(parts, redis, chosen, remoteRunner(parts));
}

const tidyEveryMs = 3_600_000;

async function startElsewhere(parts: RemoteWorkerParts, redis: string, chosen: ChosenHome): Promise<RemoteWorker> {
  const { home, log } = parts;
  const left = await endOrphans(home);
  if (left > 0) log(`ended ${left} processes of a worker that was killed`, { level: 'warn' });
  const proxy = await openAgentProxy();
  const tidy = () => {
    keepHouse({ home, log }).catch((error: unknown) => log(`cannot clean up: ${String(error)}`, { level: 'warn' }));
  };
  const tidying = setInterval(tidy, tidyEveryMs).unref();
  tidy();
  const run = awayRunner({ ...parts, ...usualPush, bosun: chosen.id, proxy, underway: underway(home) });
  const worker = await takeJobs(parts, redis, chosen, run);
  return {
    drain: (withinMs) => worker.drain(withinMs),
    async close() {
      clearInterval(tidying);
      await worker.close();
      await proxy.close();
    },
  };
}

function takeJobs(parts: RemoteWorkerParts, redis: string, { id, isAway }: ChosenHome, run: RunAttempt) {
  const { home, config, name, concurrency, can, version, onOtherDisk, log } = parts;
  return openBullmqWorker({
    ...{ redis, leaseMs: config().queue.leaseMs, name, concurrency, can, isAway, version },
    run: logged(run, log),
    home: id,
    agentKinds: home.agents.map(({ kind }) => kind),
    ...(isAway ? {} : { disk: () => diskMark(home), onOtherDisk }),
    onProblem: (problem) => log(problem ?? 'Redis is back', { level: problem === null ? 'info' : 'warn' }),
    onError: (error) => log(`worker: ${String(error)}`, { level: 'error' }),
  });
}

function logged(run: RunAttempt, log: Log): RunAttempt {
  return async (spec, control) => {
    log(`starts ${spec.step}`, aboutAttempt(spec));
    const envelope = await run(spec, control);
    const how = envelope.fault?.code ?? envelope.killed ?? `exit ${envelope.exit ?? 'none'}`;
    log(`ended ${spec.step}: ${how}`, { ...aboutAttempt(spec), ...(envelope.fault && { level: 'warn' as const }) });
    return envelope;
  };
}

/** Like Bosun's own worker, with files instead of the database. */
export function remoteRunner({ home, config, env, name, url, log }: RemoteWorkerParts): RunAttempt {
  const redaction = homeRedaction(config, home, env);
  const notes = attemptNotes(home);
  const redactOf = (spec: AttemptSpec) => redaction.of(spec);
  const run = measuredAttempt({
    ...{ settings: settingsGuard(home.dir), putsSettingsBack: false },
    ...{
      redactOf,
      run: attemptRunner({
        agents: home.agents,
        home: home.dir,
        redactOf,
        logFolderOf: (spec) => logFolderOf(home, spec),
      }),
    },
    noteCheckpoint: (attempt, checkpoint) => notes.writeCheckpoint(attempt, checkpoint),
    earlierCheckpoint: (attempt) => notes.readBefore(attempt).checkpoint,
    earlierTries: (attempt) => notes.readBefore(attempt).tries,
    home: home.dir,
    log: (message, fields) => log(redaction.redact(message), fields),
  });
  const inEnv = inPresentEnv(run, config);
  return (spec, control) => {
    const missing = [spec.root, spec.workdir].find((folder) => folder !== '' && !existsSync(folder));
    if (missing !== undefined) return Promise.resolve(notHere(spec, missing, name));
    return inEnv({ ...spec, url: url() || spec.url }, control);
  };
}

function notHere({ step }: AttemptSpec, folder: string, name: string): Envelope {
  const message = `The worker ${name} on ${hostname()} does not have ${folder} of ${step}. Mount the disk of Bosun's home and projects there at the same paths, or stop that worker, then retry.`;
  return { ...emptyEnvelope, fault: { code: 'worker_folder', message, remedy: 'ask' } };
}

function noName(name: string): BosunError {
  const what = name === '' ? 'without a name' : `with a name of ${name.length} characters`;
  return new BosunError('usage', `Bosun cannot use a worker ${what}`, {
    hint: `Give it a --name of 1 to ${maxWorkerName} characters, or none: then its name is the host name.`,
  });
}

function takenName(name: string): BosunError {
  return new BosunError('usage', `A worker cannot have the name "${name}": Bosun reserves such names`, {
    hint: 'Choose another --name.',
  });
}
