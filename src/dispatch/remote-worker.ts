// A worker as a process of its own: it takes jobs from Redis and runs them in the project's folder, on a disk that it
// shares with Bosun. It opens no database; what belongs to the checkout goes over files of the home.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Envelope, emptyEnvelope } from '../engine/index.js';
import { ownWorker } from './afar.js';
import { attemptNotes } from './attempt-notes.js';
import { BosunError } from './error.js';
import { attemptRunner } from './executor/index.js';
import { inPresentEnv } from './executor-env.js';
import type { Config, Environment, Home } from './home/index.js';
import type { AttemptSpec, RunAttempt } from './job.js';
import type { Log } from './log/index.js';
import { openBullmqWorker } from './queue/index.js';
import { homeRedaction } from './redact/index.js';
import { inCheckout } from './run-attempt.js';

export interface RemoteWorkerParts {
  readonly home: Home;
  readonly config: () => Config;
  readonly env: Environment;
  readonly name: string;
  readonly concurrency: number;
  /** What it can do that not every worker can. */
  readonly can?: readonly string[];
  /** Where Bosun listens by now; empty: where it did when the job was made. */
  readonly url: () => string;
  readonly log: Log;
}

export interface RemoteWorker {
  /** Takes no more, and waits that long for what runs: true when all of it has ended. */
  drain(withinMs: number): Promise<boolean>;
  /** Interrupts what runs; it is tried again. */
  close(): Promise<void>;
}

export async function startRemoteWorker(parts: RemoteWorkerParts): Promise<RemoteWorker> {
  const { home, config, name, concurrency, can = [], log } = parts;
  const { redis, leaseMs } = config().queue;
  if (redis === null) throw noRedis(config());
  if (name.startsWith(ownWorker) || name.startsWith('outside-')) throw takenName(name);
  return openBullmqWorker({
    ...{ redis, leaseMs, name, concurrency, can },
    home: home.homeId,
    run: remoteRunner(parts),
    onProblem: (problem) => log(problem ?? 'Redis is back', { level: problem === null ? 'info' : 'warn' }),
    onError: (error) => log(`worker: ${String(error)}`, { level: 'error' }),
  });
}

/** As Bosun's own worker runs them; what that one asks the database for stands in files here. */
export function remoteRunner({ home, config, env, name, url, log }: RemoteWorkerParts): RunAttempt {
  const redaction = homeRedaction(config, home, env);
  const notes = attemptNotes(home);
  const redactOf = (spec: AttemptSpec) => redaction.of(spec);
  const run = inCheckout({
    ...{ redactOf, run: attemptRunner({ redactOf }) },
    noteCheckpoint: (attempt, checkpoint) => notes.writeCheckpoint(attempt, checkpoint),
    earlierCheckpoint: (attempt) => notes.readBefore(attempt).checkpoint,
    earlierTries: (attempt) => notes.readBefore(attempt).tries,
    log: (message) => log(redaction.redact(message)),
  });
  const inEnv = inPresentEnv(run, config);
  return (spec, control) => {
    const missing = [spec.root, spec.workdir].find((folder) => folder !== '' && !existsSync(folder));
    if (missing !== undefined) return Promise.resolve(notHere(spec, missing, name));
    return inEnv({ ...spec, url: url() || spec.url }, control);
  };
}

function notHere({ step }: AttemptSpec, folder: string, name: string): Envelope {
  const message = `${folder} of ${step} is not there for the worker ${name} on ${hostname()}. Give that machine the disk of the home and of its projects at the same paths, or end the worker there, then retry.`;
  return { ...emptyEnvelope, fault: { code: 'worker_folder', message, remedy: 'ask' } };
}

function noRedis({ path }: Config): BosunError {
  return new BosunError('bad_config', `${path} names no Redis, and a worker takes its jobs from there`, {
    hint: 'Set queue.redis, for Bosun and for its workers. Without Redis "bosun up" does the work itself.',
  });
}

function takenName(name: string): BosunError {
  return new BosunError('usage', `A worker cannot be called "${name}": names like that are Bosun's own`, {
    hint: 'Choose another --name.',
  });
}
