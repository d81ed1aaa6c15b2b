// Processes that are killed, stopped and started again: Bosun, its workers, Redis.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { RedisSeat } from './network.js';

const root = join(import.meta.dirname, '../..');
const readyWithinMs = 60_000;

export interface Process {
  readonly name: string;
  readonly isUp: boolean;
  /** Resolves when it says that it is ready; rejects when it ends before. */
  start(): Promise<void>;
  /** As kill -9. */
  kill(): Promise<void>;
  /** As SIGTERM; gives its exit code. */
  end(): Promise<number | null>;
  pause(): void;
  resume(): void;
}

interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ready: RegExp;
  /** Where all that it prints goes. */
  readonly log: string;
}

export function processOf({ name, command, env = {}, ready, log }: Program): Process {
  const [program = '', ...args] = command;
  let child: ChildProcess | null = null;
  return {
    name,
    get isUp() {
      return child !== null;
    },
    async start() {
      const started = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      await new Promise<void>((resolve, reject) => {
        let printed = '';
        const limit = setTimeout(() => reject(new Error(`${name} is not ready: ${printed}`)), readyWithinMs);
        const hear = (chunk: Buffer) => {
          appendFileSync(log, chunk);
          if (printed.length > 10_000) return;
          printed += chunk.toString();
          if (ready.test(printed)) resolve();
        };
        started.stdout.on('data', hear);
        started.stderr.on('data', hear);
        started.once('error', reject);
        started.once('exit', (code, signal) => {
          clearTimeout(limit);
          appendFileSync(log, `-- ended with ${code ?? signal}\n`);
          if (child === started) child = null;
          reject(new Error(`${name} ended with ${code ?? signal}: ${printed}`));
        });
      });
    },
    async kill() {
      const dying = child;
      if (dying === null) return;
      child = null;
      const ended = new Promise<void>((resolve) => dying.once('exit', () => resolve()));
      dying.kill('SIGKILL');
      await ended;
    },
    async end() {
      const ending = child;
      if (ending === null) return null;
      const ended = new Promise<number | null>((resolve) => ending.once('exit', (code) => resolve(code)));
      ending.kill('SIGTERM');
      return ended;
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}

/** Node with the built command line; CHAOS_MAIN names another build of it. */
export function bosunCommand(...args: readonly string[]): readonly string[] {
  return [process.execPath, process.env['CHAOS_MAIN'] ?? join(root, 'dist/main.js'), ...args];
}

export interface RedisProcess extends Process {
  /** The test's own, which waits for nothing. */
  readonly client: Redis;
}

export function redisProcess({ command, bind, host, port }: RedisSeat, folder: string, log: string): RedisProcess {
  const kept = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction', '--save', ''];
  const place = ['--bind', bind, '--port', String(port), '--protected-mode', 'no', '--dir', folder];
  const redis = processOf({
    ...{ name: 'redis', log, ready: /Ready to accept connections/ },
    command: [...command, 'redis-server', ...place, ...kept],
  });
  const client = new Redis(port, host, {
    ...{ lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 },
    retryStrategy: () => 100,
  });
  // What it is asked meanwhile fails there.
  client.on('error', () => undefined);
  return Object.assign(redis, { client });
}
