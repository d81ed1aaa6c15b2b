import type { Environment } from '../base/index.js';
import type { CheckResult } from '../engine/index.js';
import type { AttemptSpec, JobControl } from '../jobs/index.js';
import type { AttemptLog } from './processes/attempt-log.js';
import { checkEnvironment, processMark } from './processes/environment.js';
import { type Killed, runProcess } from './processes/run-process.js';
import { LineSplitter, TailText } from './processes/text-flow.js';
import { readTests } from './tests/read-tests.js';

const maxOutputChars = 16 * 1024 * 1024;
const tailChars = 4096;

export interface EvidenceSettings {
  readonly environment: Environment;
  readonly killGraceMs: number;
  readonly now: () => number;
  readonly log: AttemptLog;
}

export interface Evidence {
  readonly checks: readonly CheckResult[];
  /** A check was running when the attempt was stopped. */
  readonly killed: Killed;
}

export async function gatherEvidence(
  spec: AttemptSpec,
  control: JobControl,
  settings: EvidenceSettings,
): Promise<Evidence> {
  const wanted = [
    { name: 'tests', command: spec.tests?.run ?? '', format: spec.tests?.format ?? 'exit' },
    { name: 'check', command: spec.check ?? '', format: 'exit' },
  ] as const;
  const checks: CheckResult[] = [];
  for (const { name, command, format } of wanted) {
    if (command.trim() === '') continue;
    control.report({ type: 'phase', phase: name });
    const { killed, check } = await runCheck({ name, command, format }, spec, control, settings);
    if (killed !== null && killed !== 'timeout') return { checks, killed };
    checks.push(check);
  }
  return { checks, killed: null };
}

interface Wanted {
  readonly name: CheckResult['name'];
  readonly command: string;
  readonly format: string;
}

async function runCheck(
  wanted: Wanted,
  spec: AttemptSpec,
  control: JobControl,
  settings: EvidenceSettings,
): Promise<{ readonly killed: Killed; readonly check: CheckResult }> {
  const captured = capture(settings.log);
  settings.log.write('sys', [`$ ${wanted.command}`]);
  const end = await runProcess(
    {
      argv: ['sh', '-c', wanted.command],
      cwd: spec.workdir,
      env: checkEnvironment(spec, settings.environment),
      input: '',
      mark: processMark(spec),
      attemptMark: `BOSUN_TOKEN=${spec.token}`,
      timeoutMs: spec.checkTimeoutMs,
      killGraceMs: settings.killGraceMs,
      now: settings.now,
    },
    {
      signal: control.signal,
      onStart: () => undefined,
      onText: captured.push,
      onExpiring: () => undefined,
      onDeadline: () => undefined,
    },
  );
  captured.end();
  const counts = captured.isCut() ? null : countTests(wanted.format, captured.out(), captured.all(), end.exit);
  const check: CheckResult = {
    name: wanted.name,
    command: wanted.command,
    // No tests prove nothing, except for skeletons. A failed test counts even at exit 0 (`npm test || true`).
    ok: end.exit === 0 && (counts?.fail ?? 0) === 0 && (ranAny(counts) || spec.red || spec.tests?.allowNone === true),
    exit: end.exit,
    timedOut: end.killed === 'timeout',
    tests: counts,
    tail: end.fault?.message ?? captured.tail(),
  };
  return { killed: end.killed, check };
}

/** A format without counts may still have run tests. */
function ranAny(counts: CheckResult['tests']): boolean {
  return counts === null || counts.pass + counts.fail > 0;
}

/** Some runners name failing tests on stderr. */
function countTests(format: string, out: string, all: string, exit: number | null): CheckResult['tests'] {
  const counts = readTests(format, out, exit);
  if (counts !== null && counts.fail <= counts.failing.length) return counts;
  return readTests(format, all, exit) ?? counts;
}

function capture(log: AttemptLog) {
  const out = new TailText(maxOutputChars);
  const err = new TailText(maxOutputChars);
  const both = new TailText(tailChars);
  const lines = { out: new LineSplitter(), err: new LineSplitter() };
  return {
    push: (stream: 'out' | 'err', text: string): void => {
      (stream === 'out' ? out : err).push(text);
      both.push(text);
      log.write(stream, lines[stream].push(text));
    },
    end: (): void => {
      log.write('out', lines.out.end());
      log.write('err', lines.err.end());
    },
    isCut: (): boolean => out.isCut,
    out: (): string => out.read(),
    all: (): string => `${out.read()}\n${err.read()}`,
    tail: (): string => both.read().trim(),
  };
}
