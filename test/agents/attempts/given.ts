// A working directory of its own for each attempt, and somebody to talk to while it runs.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ExecutorConfig } from '../../../src/jobs/agent-config.js';
import type { JobControl, Progress } from '../../../src/jobs/attempt-control.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';

export function givenFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-executor-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function givenSpec(changes: Partial<AttemptSpec> = {}): AttemptSpec {
  const root = changes.root ?? givenFolder();
  return {
    attempt: 'home-r1-US-001-impl-1-1',
    token: randomBytes(16).toString('hex'),
    project: 'shop',
    run: 'r1',
    item: 'US-001',
    node: 'n3',
    step: 'impl',
    label: 'step-003',
    attemptNumber: 2,
    kind: 'agent',
    executor: null,
    prompt: 'Do it.',
    root,
    workdir: root,
    sharedDir: join(root, '.ai', 'runs', 'r1'),
    logPath: join(root, 'logs', 'US-001', 'step-003.jsonl'),
    url: 'http://127.0.0.1:7420',
    timeoutMs: 15_000,
    red: false,
    tests: null,
    check: null,
    checkTimeoutMs: 15_000,
    outputs: null,
    keepsProgress: false,
    isBeside: false,
    slot: null,
    access: 'write',
    agentRole: null,
    resume: null,
    spendUsd: null,
    team: null,
    ...changes,
  };
}

export function command(...run: readonly string[]): ExecutorConfig {
  return { kind: 'command', run, env: {}, passEnv: [] };
}

export const sh = (line: string): ExecutorConfig => command('sh', '-c', line);
export const node = (source: string): ExecutorConfig => command(process.execPath, '-e', source);

export interface GivenControl extends JobControl {
  readonly seen: readonly Progress[];
  abort(reason: 'cancel' | 'interrupted'): void;
  extend(byMs: number): void;
}

export function givenControl(
  onReport: (progress: Progress, control: GivenControl) => void = () => undefined,
): GivenControl {
  const stop = new AbortController();
  const seen: Progress[] = [];
  const listeners: ((byMs: number) => void)[] = [];
  const control: GivenControl = {
    seen,
    signal: stop.signal,
    onExtend: (listen) => listeners.push(listen),
    report: (progress) => {
      seen.push(progress);
      onReport(progress, control);
    },
    abort: (reason) => stop.abort(reason),
    extend: (byMs) => {
      for (const listen of listeners) listen(byMs);
    },
  };
  return control;
}

export function put(folder: string, path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

export interface LogLine {
  readonly t: number;
  readonly s: string;
  readonly line: string;
}

export function readLog(spec: AttemptSpec): readonly LogLine[] {
  return readFileSync(spec.logPath, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): LogLine => JSON.parse(line));
}

/** Whether a process still runs; one that merely waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return state !== '' && !state.startsWith('Z');
  } catch {
    return false;
  }
}
