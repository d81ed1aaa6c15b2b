// A real redis-server of this machine, on a free port of 127.0.0.1 and in a folder of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../free-port.js';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** A client of the test's own; closed with the server. */
  readonly client: Redis;
  /** Ends it as kill -9 would; `start` brings it back on the same port, with what its file holds. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP: it answers nobody. */
  pause(): void;
  resume(): void;
  end(): Promise<void>;
}

const readyWithinMs = 10_000;
const triesForPort = 5;

/** Null: there is none here. */
export function redisVersion(): string | null {
  try {
    const printed = execFileSync('redis-server', ['--version'], { encoding: 'utf8', timeout: 5_000 });
    return /v=(\d+\.\d+\.\d+)/.exec(printed)?.[1] ?? null;
  } catch {
    return null;
  }
}

export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOn(await freePort(), args);
    } catch (error) {
      // Somebody else took the port meanwhile.
      if (tries === triesForPort) throw error;
    }
  }
}

async function startOn(port: number, args: readonly string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-redis-'));
  let child = await launch(port, folder, args);
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 20, retryStrategy: () => 50 });
  // What a test needs of it fails there.
  client.on('error', () => undefined);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    get pid() {
      return child.pid ?? 0;
    },
    kill: () => endChild(child, 'SIGKILL'),
    async start() {
      child = await launch(port, folder, args);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async end() {
      client.disconnect(false);
      child.kill('SIGCONT');
      await endChild(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, folder: string, args: readonly string[]): Promise<ChildProcess> {
  const fixed = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--daemonize', 'no'];
  const kept = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
  const child = spawn('redis-server', [...fixed, ...kept, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const tooLong = setTimeout(
      () => reject(new Error(`redis-server is not ready: ${printed.join('')}`)),
      readyWithinMs,
    );
    child.stdout.on('data', (chunk: Buffer) => {
      printed.push(chunk.toString());
      if (!printed.join('').includes('Ready to accept connections')) return;
      clearTimeout(tooLong);
      resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}: ${printed.join('')}`)));
  });
  return child;
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await ended;
}
