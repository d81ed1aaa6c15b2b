import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Envelope } from '../../engine/index.js';
import { Deadline } from './deadline.js';
import { endProcessesMarked, signal } from './end-processes.js';
import { orphanGuard } from './orphan-guard.js';

const drainMs = 200;
const closeMs = 1000;
const reapMs = 3000;
const interruptMs = 3000;

export type Killed = Envelope['killed'];
export type Fault = NonNullable<Envelope['fault']>;

export interface ProcessSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** `NAME=value`, identifies all its processes. */
  readonly mark: string;
  readonly attemptMark: string | null;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  /** Default: SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** A politer end than the signal that follows. False: there is none. */
  readonly interrupt?: () => boolean;
  readonly now: () => number;
}

export interface ProcessListener {
  readonly signal: AbortSignal;
  onStart(pid: number | null): void;
  onText(stream: 'out' | 'err', text: string): void;
  onExpiring(inMs: number): void;
  onDeadline(deadline: Deadline): void;
  onStop?(stop: (why: 'budget' | Fault) => void): void;
  /** Absent: standard input closes after `input`. */
  onInput?(input: ProcessInput): void;
}

export interface ProcessInput {
  send(text: string): void;
  /** Ends it after this time, as exit 0; null: no limit. */
  close(exitWithinMs: number | null): void;
}

export interface ProcessEnd {
  readonly exit: number | null;
  readonly killed: Killed;
  readonly fault: Fault | null;
  /** Counted against the timeout. */
  readonly spentMs: number;
}

type Child = ChildProcessWithoutNullStreams;

/** In its own group; resolves when all of it is gone. */
export async function runProcess(spec: ProcessSpec, listener: ProcessListener): Promise<ProcessEnd> {
  if (listener.signal.aborted) return unstarted({ killed: killedBy(listener.signal) });
  orphanGuard.begin();
  const child = start(spec);
  if (child instanceof Error) return unstarted({ fault: faultOf(spec, child) });
  if (child.pid === undefined) return unstarted({ fault: faultOf(spec, await failureOf(child)) });
  orphanGuard.watch(child.pid, spec.attemptMark);
  // The exit event tells the outcome, and the program may not read the whole prompt.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  const closed = pipeOutput(child, listener);
  listener.onStart(child.pid);
  const ended = superviseUntilExit(child, child.pid, spec, listener);
  const own = inputOf(child, child.pid);
  if (listener.onInput === undefined) child.stdin.end(spec.input);
  else listener.onInput(own.input);
  const end = own.judge(await ended);
  await leaveNothingBehind(child, child.pid, spec.mark, closed);
  orphanGuard.release(child.pid);
  return end;
}

export function unstarted(why: Partial<ProcessEnd>): ProcessEnd {
  return { exit: null, killed: null, fault: null, spentMs: 0, ...why };
}

/** spawn throws for some arguments. */
function start({ argv: [file, ...args], cwd, env }: ProcessSpec): Child | Error {
  try {
    return spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
  } catch (error) {
    return asError(error);
  }
}

async function failureOf(child: Child): Promise<Error> {
  const [error]: unknown[] = await once(child, 'error').catch((thrown: unknown) => [thrown]);
  return asError(error);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function pipeOutput(child: Child, listener: ProcessListener): Promise<void> {
  const follow = (stream: Child['stdout'], name: 'out' | 'err'): Promise<void> => {
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => listener.onText(name, decoder.write(chunk)));
    return new Promise((resolve) => stream.once('close', () => resolve()));
  };
  await Promise.all([follow(child.stdout, 'out'), follow(child.stderr, 'err')]);
}

/** `judge`: a program that was ended because it outstayed its closed input has ended well. */
function inputOf(
  child: Child,
  pid: number,
): { readonly input: ProcessInput; readonly judge: (end: ProcessEnd) => ProcessEnd } {
  const { stdin } = child;
  let isEnded = false;
  const end = (name: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    isEnded = true;
    signal(-pid, name);
  };
  const judge = (ended: ProcessEnd): ProcessEnd =>
    isEnded && ended.killed === null && ended.fault === null ? { ...ended, exit: 0 } : ended;
  const input: ProcessInput = {
    send(text) {
      if (stdin.writable) stdin.write(text);
    },
    close(exitWithinMs) {
      stdin.end();
      if (exitWithinMs === null) return;
      setTimeout(() => end('SIGTERM'), exitWithinMs).unref();
      setTimeout(() => end('SIGKILL'), exitWithinMs + reapMs).unref();
    },
  };
  return { input, judge };
}

async function superviseUntilExit(
  child: Child,
  pid: number,
  spec: ProcessSpec,
  listener: ProcessListener,
): Promise<ProcessEnd> {
  let stopped: Exclude<Killed, null> | Fault | null = null;
  const timers: NodeJS.Timeout[] = [];
  let giveUp: () => void = () => undefined;
  const stop = (why: Exclude<Killed, null> | Fault): void => {
    if (stopped !== null) return;
    stopped = why;
    const politeMs = spec.interrupt?.() === true ? interruptMs : 0;
    const later = (act: () => void, ms: number) => timers.push(setTimeout(act, ms));
    if (politeMs === 0) signal(-pid, spec.stopSignal ?? 'SIGTERM');
    else later(() => signal(-pid, spec.stopSignal ?? 'SIGTERM'), politeMs);
    later(() => signal(-pid, 'SIGKILL'), politeMs + spec.killGraceMs);
    // It survives SIGKILL: hung in the kernel.
    later(() => giveUp(), politeMs + spec.killGraceMs + reapMs);
  };
  const deadline = new Deadline({
    limitMs: spec.timeoutMs,
    now: spec.now,
    onExpired: () => stop('timeout'),
    onExpiring: (inMs) => listener.onExpiring(inMs),
  });
  listener.onDeadline(deadline);
  listener.onStop?.(stop);
  const abort = (): void => stop(killedBy(listener.signal));
  listener.signal.addEventListener('abort', abort, { once: true });
  const exit = await new Promise<number | null>((resolve) => {
    giveUp = () => resolve(null);
    child.once('exit', (code, name) => resolve(code ?? (name === null ? null : 128 + constants.signals[name])));
  });
  for (const timer of timers) clearTimeout(timer);
  deadline.stop();
  listener.signal.removeEventListener('abort', abort);
  return { ...endOf(stopped, exit), spentMs: deadline.spentMs };
}

function endOf(stopped: Exclude<Killed, null> | Fault | null, exit: number | null): Omit<ProcessEnd, 'spentMs'> {
  if (stopped === null) return { exit, killed: null, fault: null };
  return typeof stopped === 'string'
    ? { exit: null, killed: stopped, fault: null }
    : { exit: null, killed: null, fault: stopped };
}

/** Then stops waiting for pipes that an unknown process holds open. */
async function leaveNothingBehind(child: Child, pid: number, mark: string, closed: Promise<void>): Promise<void> {
  await within(drainMs, closed);
  signal(-pid, 'SIGKILL');
  await endProcessesMarked([mark]);
  await within(closeMs, closed);
  child.stdout.destroy();
  child.stderr.destroy();
  child.stdin.destroy();
}

async function within(limitMs: number, done: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const timeUp = sleep(limitMs, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([done, timeUp]);
  timer.abort();
}

function killedBy(abort: AbortSignal): 'cancel' | 'interrupted' {
  return abort.reason === 'interrupted' ? 'interrupted' : 'cancel';
}

const faults: ReadonlyMap<unknown, readonly [code: string, what: string]> = new Map([
  [
    'ENOENT',
    ['executor_missing', '(or its interpreter) was not found; install it or correct the executor in config.yaml'],
  ],
  ['EACCES', ['executor_denied', 'is not executable; run chmod +x on it']],
  ['E2BIG', ['executor_failed', 'has arguments or an environment that are too long']],
]);

function faultOf(spec: ProcessSpec, error: Error): Fault {
  const known = faults.get('code' in error ? error.code : undefined);
  const [code, what] = known ?? ['executor_failed', `could not be started: ${error.message}`];
  return { code, message: `the command "${spec.argv[0]}" ${what}` };
}
