// `bosun worker`: takes jobs from Redis until a signal ends it, and lets what runs come to its end first.
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { type Config, homeRedaction, loadConfig, readLock, startRemoteWorker, watchConfig } from '../dispatch/index.js';
import { jsonLog, logLevelOf } from '../dispatch/log/index.js';
import type { Cli } from './cli.js';
import type { ExitCode } from './failure.js';
import { gathered, seconds, wholeNumber } from './options.js';
import { hostOf } from './remote.js';
import { watchSignals } from './signals.js';

interface WorkerOptions {
  readonly concurrency: number;
  readonly name: string;
  readonly drain: number;
  readonly can: readonly string[];
}

const usualConcurrency = 4;
const mostConcurrency = 256;
const usualDrainS = 300;

export function registerWorker(program: Command, cli: Cli): void {
  program
    .command('worker')
    .description('take jobs from Redis and run agents, beside a Bosun that shares the disk')
    .option('--concurrency <n>', 'how many attempts at a time', slots, usualConcurrency)
    .option('--name <n>', 'what it is called; without it, the name of this machine', hostname())
    .option('--can <word>', 'what an executor may need that not every worker has; may be said again', gathered, [])
    .option('--drain <s>', 'how long SIGTERM waits for what runs, in seconds', seconds, usualDrainS)
    .action(cli.act((options: WorkerOptions) => work(cli, options)));
}

function slots(said: string): number {
  return Math.max(1, Math.min(mostConcurrency, wholeNumber(said)));
}

async function work(cli: Cli, { concurrency, name, drain, can }: WorkerOptions): Promise<ExitCode> {
  const { home } = cli;
  const { env } = cli.shell;
  let current = loadConfig(home, env);
  const config = () => current;
  const { redact } = homeRedaction(config, home, env);
  // Bosun's own file is Bosun's alone: it is moved aside as it grows.
  const log = jsonLog({ level: logLevelOf(env), redact, write: (line) => cli.shell.stderr.write(line) });
  const signals = watchSignals(['SIGTERM', 'SIGINT']);
  const worker = await startRemoteWorker({
    ...{ home, config, env, name, concurrency, can, log },
    url() {
      const { port = null } = readLock(home) ?? {};
      return port === null ? '' : `http://${hostOf(home)}:${port}`;
    },
  });
  const watch = watchConfig(home, {
    config: current,
    env,
    onChange: (changed: Config) => {
      current = changed;
    },
    onBad: (error: Error) => log(`config.yaml is refused and the old one stays: ${error.message}`, { level: 'warn' }),
  });
  try {
    cli.print(`ready ${name}`);
    log(`worker ${name}, pid ${process.pid}, takes ${concurrency} at a time`);
    await signals.came;
    // A second signal does not wait.
    signals.ignore();
    const hurry = watchSignals(['SIGTERM', 'SIGINT']);
    await Promise.race([worker.drain(drain * 1_000), hurry.came]);
    hurry.ignore();
  } finally {
    watch.close();
    await worker.close();
    log(`worker ${name} is down`);
  }
  return 0;
}
