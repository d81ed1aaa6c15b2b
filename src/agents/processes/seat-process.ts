import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../base/index.js';
import type { JobControl } from '../../jobs/index.js';
import type { Deadline } from './deadline.js';
import { agentEnvironment, processMark, type Seat } from './environment.js';
import { type Fault, type ProcessEnd, type ProcessInput, runProcess } from './run-process.js';

export interface AgentSettings {
  readonly environment: Environment;
  readonly killGraceMs: number;
  readonly now: () => number;
}

export interface SeatLaunch {
  readonly argv: readonly [string, ...string[]];
  readonly input: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stopSignal?: NodeJS.Signals;
  readonly interrupt?: () => boolean;
}

export interface SeatListener {
  onText(stream: 'out' | 'err', text: string): void;
  onDeadline?(deadline: Deadline): void;
  onStop?(stop: (why: 'budget' | Fault) => void): void;
  onInput?(input: ProcessInput): void;
}

export async function runSeatProcess(
  seat: Seat,
  launch: SeatLaunch,
  control: JobControl,
  settings: AgentSettings,
  listener: SeatListener,
): Promise<ProcessEnd> {
  const { argv, input, env, stopSignal, interrupt } = launch;
  const { onInput } = listener;
  let deadline: Deadline | null = null;
  return runProcess(
    {
      argv,
      cwd: seat.workdir,
      env: { ...agentEnvironment(seat, settings.environment), ...env },
      input,
      mark: processMark(seat),
      attemptMark: `BOSUN_TOKEN=${seat.token}`,
      timeoutMs: seat.timeoutMs,
      killGraceMs: settings.killGraceMs,
      now: settings.now,
      ...(stopSignal === undefined ? {} : { stopSignal }),
      ...(interrupt === undefined ? {} : { interrupt }),
    },
    {
      signal: control.signal,
      onStart: (pid) => control.report({ type: 'started', pid, baseSha: null }),
      onText: (stream, text) => {
        deadline?.noteOutput();
        listener.onText(stream, text);
      },
      onExpiring: (inMs) => control.report({ type: 'expiring', inMs }),
      onDeadline: (own) => {
        deadline = own;
        control.onExtend((byMs) => own.extend(byMs));
        control.onWait?.((isWaiting) => (isWaiting ? own.pause() : own.resume()));
        listener.onDeadline?.(own);
      },
      onStop: (stop) => listener.onStop?.(stop),
      ...(onInput === undefined ? {} : { onInput }),
    },
  );
}

/** Relative to the working directory; a worktree without the file uses the project root. */
export function programIn(seat: Seat, program: string): string {
  const isRelativePath = program.includes('/') && !program.startsWith('/');
  if (!isRelativePath || exists(join(seat.workdir, program))) return program;
  return exists(join(seat.root, program)) ? join(seat.root, program) : program;
}

export function wrapped(seat: Seat, wrap: readonly string[], environment: Environment): readonly string[] {
  const home = seat.executor?.env['HOME'] ?? environment['HOME'] ?? '';
  const places: Readonly<Record<string, string>> = {
    workdir: seat.workdir,
    root: seat.root,
    shared: seat.sharedDir,
    home,
  };
  return wrap.map((word) =>
    word.replaceAll(/\{(workdir|root|shared|home)\}/g, (_, name: string) => places[name] ?? ''),
  );
}

function exists(path: string): boolean {
  try {
    accessSync(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}
