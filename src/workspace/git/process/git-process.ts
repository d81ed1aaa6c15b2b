// One git with limits on output and time.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

export interface ProcessWanted {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Uint8Array | undefined;
  readonly appendTo?: string | undefined;
  readonly timeoutMs: number;
  /** Asked once about a slow git; true: count it as timed out. */
  readonly isStuck?: () => Promise<boolean>;
  readonly stdoutMaxBytes: number;
  readonly stderrMaxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Latin1. */
export type ProcessEnd = { readonly out: string; readonly err: string } & (
  | { readonly by: 'itself'; readonly exit: number }
  | { readonly by: 'size' | 'time' }
  | { readonly by: 'world'; readonly why: string; readonly cause: unknown }
);

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;

type Limit = 'size' | 'time';

const slowMs = 3_000;
const killAfterMs = 5_000;
const secondBlowMs = 1_000;

/** Killed when Bosun exits. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill();
});

export function runGit(wanted: ProcessWanted): Promise<ProcessEnd> {
  const child = start(wanted);
  if (!isStarted(child)) return Promise.resolve({ by: 'world', ...whyOf(child), out: '', err: '' });
  return new Promise((resolve) => {
    let limit: Limit | null = null;
    let failure: Error | null = null;
    let killing: NodeJS.Timeout | undefined;
    const end = (by: Limit) => {
      limit ??= by;
      child.kill();
      killing ??= setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    };
    const timer = setTimeout(() => end('time'), wanted.timeoutMs);
    const look = async () => {
      if ((await wanted.isStuck?.()) === true && child.exitCode === null && child.signalCode === null) end('time');
    };
    const looking = setTimeout(look, slowMs);
    const forget = endGroupOn(wanted.signal, child.pid);
    const out = collect(child.stdout, wanted.stdoutMaxBytes, () => end('size'));
    const err = collect(child.stderr, wanted.stderrMaxBytes, () => end('size'));
    child.on('error', (error) => {
      failure = error;
    });
    // Children may hold the pipes.
    child.on('exit', () => limit !== null && letGo(child));
    child.on('close', (exit, signal) => {
      for (const one of [timer, looking, killing]) clearTimeout(one);
      running.delete(child);
      forget();
      const printed = { out: out(), err: err() };
      if (limit !== null) resolve({ by: limit, ...printed });
      else if (failure !== null) resolve({ by: 'world', ...whyOf(failure), ...printed });
      else if (exit === null) resolve({ by: 'world', why: signal ?? 'unknown', cause: undefined, ...printed });
      else resolve({ by: 'itself', exit, ...printed });
    });
    feed(child, wanted.input);
    if (wanted.signal === undefined) running.add(child);
  });
}

/** Arguments that are too long throw at once. */
function start({ args, env, input, appendTo, signal }: ProcessWanted): ChildProcess | Error {
  let file: number | null = null;
  try {
    file = appendTo === undefined ? null : openSync(appendTo, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    const stdio = [input === undefined ? 'ignore' : 'pipe', file ?? 'pipe', 'pipe'] as const;
    // A group of its own: children of git (ssh, helpers) may outlive it.
    return spawn('git', args, { env, detached: signal !== undefined, stdio: [...stdio] });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    if (file !== null) closeSync(file);
  }
}

function isStarted(child: ChildProcess | Error): child is ChildProcess {
  return !(child instanceof Error);
}

function whyOf(error: Error): { readonly why: string; readonly cause: unknown } {
  const why = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  return { why, cause: error };
}

function collect(stream: Readable | null, maxBytes: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    const room = maxBytes - bytes;
    if (chunk.length > room) onTooMuch();
    if (room > 0) chunks.push(chunk.subarray(0, room));
    bytes = Math.min(maxBytes, bytes + chunk.length);
  });
  return () => Buffer.concat(chunks).toString('latin1');
}

function feed({ stdin }: ChildProcess, input: Uint8Array | undefined): void {
  stdin?.on('error', () => undefined);
  stdin?.end(input);
}

function letGo({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function endGroupOn(signal: AbortSignal | undefined, pid: number | undefined): () => void {
  if (signal === undefined || pid === undefined) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    endGroup(pid, 'SIGTERM');
    timer = setTimeout(() => endGroup(pid, 'SIGKILL'), secondBlowMs);
  };
  signal.addEventListener('abort', end, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    // Its children would keep writing.
    if (signal.aborted) endGroup(pid, 'SIGKILL');
  };
}

function endGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Already ended.
  }
}
