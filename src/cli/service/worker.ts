import { hostname } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { BosunError, jsonLog, type Log, logLevelOf } from '../../base/index.js';
import { ability, type Config, type Home, homeRedaction, presentConfig, readLock } from '../../config/index.js';
import { type ChosenHome, redisFor, startRemoteWorker, whichHome, workerConfig } from '../../worker/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { gathered, seconds, wholeNumber } from '../options.js';
import { watchSignals } from '../signals.js';
import { readVersion } from '../version.js';
import { reachable } from './remote-client.js';

interface WorkerOptions {
  readonly concurrency: number;
  readonly name: string;
  readonly drain: number;
  readonly can: readonly string[];
  readonly for?: string;
}

const usualConcurrency = 4;
const mostConcurrency = 256;
const usualDrainS = 300;

export function registerWorker(program: Command, cli: CommandContext): void {
  program
    .command('worker')
    .description('take jobs from Redis and run agents, on this or another machine')
    .option('--concurrency <n>', 'how many attempts to run at a time', slots, usualConcurrency)
    .option('--name <n>', 'the worker’s name (default: the name of this machine)', hostname())
    .option('--for <home>', 'the id of the home whose jobs it takes (default: the one active on this Redis)')
    .option('--can <word>', 'an ability that some executors need, such as gpu; repeatable', abilities, [])
    .option('--drain <s>', 'how long SIGTERM waits for running attempts, in seconds', seconds, usualDrainS)
    .action(cli.act((options: WorkerOptions) => work(cli, options)));
}

function slots(said: string): number {
  const value = wholeNumber(said);
  if (value >= 1 && value <= mostConcurrency) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${mostConcurrency}.`);
}

/** Must be spelled as in an executor's `needs` to match. */
function abilities(said: string, before: readonly string[]): readonly string[] {
  if (ability.safeParse(said).success) return gathered(said, before);
  throw new InvalidArgumentError('It must be up to 40 small letters, digits, - . or _, such as gpu.');
}

async function work(cli: CommandContext, options: WorkerOptions): Promise<ExitCode> {
  const { home } = cli;
  const { env } = cli.shell;
  // Names appear in line-based output.
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(options.name)) {
    throw new BosunError('usage', "A worker's name must be one line of plain text", { hint: 'Choose another --name.' });
  }
  const config = presentConfig(home, {
    env,
    adapt: (read) => workerConfig(read, env),
    tell: (news, level) => log(news, { level }),
  });
  const { redact } = homeRedaction(config.now, home, env);
  // bosun.log is the service's.
  const log = jsonLog({ level: logLevelOf(env), redact, write: (line) => cli.shell.stderr.write(line) });
  try {
    return await workBy(config.now, cli, options, log);
  } finally {
    config.close();
  }
}

async function workBy(config: () => Config, cli: CommandContext, options: WorkerOptions, log: Log): Promise<ExitCode> {
  const { home } = cli;
  const { env } = cli.shell;
  const { name, concurrency, can, drain } = options;
  const signals = watchSignals(['SIGTERM', 'SIGINT']);
  const redis = redisFor(config(), env);
  const bosun = await chosenHome(home, redis, { options, log, came: signals.came });
  if (bosun === null) return 0;
  const { promise: misplaced, resolve: onOtherDisk } = withResolver();
  const worker = await startRemoteWorker({
    ...{ home, config, env, name, concurrency, can, log, bosun, onOtherDisk, version: readVersion() },
    url() {
      const { port = null } = readLock(home) ?? {};
      return port === null ? '' : `http://${reachable(config().web.host)}:${port}`;
    },
  });
  try {
    cli.print(`ready ${name}`);
    const where = bosun.isAway ? `of home ${bosun.id}, without access to its disk` : 'of this home';
    log(`worker ${name}, pid ${process.pid}, takes jobs ${where}, ${concurrency} at a time`);
    if ((await Promise.race([signals.came, misplaced])) !== 'signal') throw otherDisk(home);
    log(`worker ${name} is shutting down: it takes no new jobs and has ${drain} s to finish running ones`);
    // A second signal ends the drain.
    signals.ignore();
    const hurry = watchSignals(['SIGTERM', 'SIGINT']);
    await Promise.race([worker.drain(drain * 1_000), hurry.came]);
    hurry.ignore();
  } finally {
    await worker.close();
    log(`worker ${name} has stopped`);
  }
  return 0;
}

/** The Bosun that took over retries running attempts. */
function otherDisk({ homeId, dir }: Home): BosunError {
  return new BosunError('queue', `The Bosun of ${homeId} now runs on another machine, and its disk is not ${dir}`, {
    hint: 'Restart this worker: it then fetches projects that have a git.remote.',
  });
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

interface Choosing {
  readonly options: WorkerOptions;
  readonly log: Log;
  readonly came: Promise<unknown>;
}

/** Null: interrupted. */
async function chosenHome(home: Home, redis: string, { options, log, came }: Choosing): Promise<ChosenHome | null> {
  const ending = new AbortController();
  void came.then(() => ending.abort());
  const tell = (message: string) => log(message, { level: 'warn' });
  return whichHome({ home, redis, wanted: options.for ?? null, signal: ending.signal, tell });
}
