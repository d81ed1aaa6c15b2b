// One attempt from its job to its envelope: left-overs away, agent, reports, evidence. It judges nothing.
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Envelope, emptyEnvelope, emptyOutput } from '../../engine/index.js';
import { BosunError } from '../error.js';
import type { AttemptSpec, JobControl, RunAttempt } from '../job.js';
import { AgentOutput } from './agent-output.js';
import { AttemptLog } from './attempt-log.js';
import { agentEnvironment, attemptPaths, type Environment } from './environment.js';
import { type Evidence, gatherEvidence } from './evidence.js';
import { type Fault, type ProcessEnd, runProcess } from './process.js';
import { markReports, type Reports, readReports, setAsideResult } from './report-files.js';
import { type Launch, launchScript } from './script.js';

export interface AttemptRunnerOptions {
  readonly logLimitBytes?: number;
  /** How long a stopped process may take to end by itself. */
  readonly killGraceMs?: number;
  /** The environment that the allow-list picks from. */
  readonly environment?: Environment;
  /** A monotonic clock, in ms. */
  readonly now?: () => number;
  /** The time of day, in ms. */
  readonly clock?: () => number;
}

type Settings = Required<AttemptRunnerOptions>;

const MAX_WARNINGS = 20;

/** Makes the function that runs attempts on this machine. */
export function attemptRunner(options: AttemptRunnerOptions = {}): RunAttempt {
  const settings: Settings = {
    logLimitBytes: 20 * 1024 * 1024,
    killGraceMs: 1500,
    environment: process.env,
    now: () => performance.now(),
    clock: () => Date.now(),
    ...options,
  };
  return (spec, control) => runAttempt(spec, control, settings);
}

async function runAttempt(spec: AttemptSpec, control: JobControl, settings: Settings): Promise<Envelope> {
  const started = settings.now();
  if (!isFolder(spec.workdir)) return { ...emptyEnvelope, fault: missingWorkdir(spec) };
  const left = prepare(spec);
  const before = markReports(spec);
  const log = new AttemptLog(spec.logPath, { limitBytes: settings.logLimitBytes, clock: settings.clock });
  try {
    const output = new AgentOutput(log, settings.now, (line) => control.report({ type: 'output', line }));
    const agent = await runAgent(spec, control, settings, output);
    const reports = readReports(spec, before);
    const parsed = output.parse(spec.outputs);
    const isReported = reports.result !== null || reports.handoff !== null || Object.hasOwn(parsed.keys, 'STATUS');
    const evidence = await evidenceFor(spec, control, { ...settings, log }, agent, isReported);
    return {
      ...emptyEnvelope,
      exit: agent.exit,
      killed: agent.killed ?? evidence.killed,
      fault: agent.fault,
      output: spec.kind === 'agent' ? parsed : emptyOutput,
      result: reports.result,
      handoff: reports.handoff,
      checks: evidence.checks,
      warnings: warningsOf(left, reports, log),
      durationMs: Math.round(settings.now() - started),
      logPath: spec.logPath,
    };
  } finally {
    log.close();
  }
}

function warningsOf(left: string | null, reports: Reports, log: AttemptLog): readonly string[] {
  return [left, ...reports.warnings, log.problem].filter((warning) => warning !== null).slice(0, MAX_WARNINGS);
}

function missingWorkdir(spec: AttemptSpec): Fault {
  return {
    code: 'workdir_missing',
    message: `the working directory ${spec.workdir} is gone; restore it or start again`,
  };
}

/** Makes the folders that an attempt needs and takes away what an earlier one reported. */
function prepare(spec: AttemptSpec): string | null {
  const paths = attemptPaths(spec);
  try {
    for (const folder of [spec.sharedDir, dirname(paths.resultFile), dirname(paths.editsFile)]) {
      mkdirSync(folder, { recursive: true });
    }
    return setAsideResult(spec);
  } catch (cause) {
    throw new BosunError('disk', `the folders of attempt ${spec.attempt} could not be made in ${spec.workdir}`, {
      hint: 'check that the disk has room and that the folder may be written',
      cause,
    });
  }
}

async function runAgent(
  spec: AttemptSpec,
  control: JobControl,
  settings: Settings,
  output: AgentOutput,
): Promise<ProcessEnd> {
  if (spec.kind === 'check') return { exit: 0, killed: null, fault: null };
  const launch = launchOf(spec);
  if (!launch.ok) return { exit: null, killed: null, fault: launch.fault };
  control.report({ type: 'phase', phase: 'agent' });
  const end = await runProcess(
    {
      argv: launch.argv,
      cwd: spec.workdir,
      env: agentEnvironment(spec, settings.environment),
      input: launch.input,
      token: spec.token,
      timeoutMs: spec.timeoutMs,
      killGraceMs: settings.killGraceMs,
      now: settings.now,
    },
    {
      signal: control.signal,
      onStart: (pid) => control.report({ type: 'started', pid, baseSha: null }),
      onText: (stream, text) => output.push(stream, text),
      onExpiring: (inMs) => control.report({ type: 'expiring', inMs }),
      onDeadline: (deadline) => {
        output.onText(() => deadline.noteOutput());
        control.onExtend((byMs) => deadline.extend(byMs));
      },
    },
  );
  output.end();
  return end;
}

function launchOf(spec: AttemptSpec): Launch {
  const { executor } = spec;
  if (executor === null) {
    return {
      ok: false,
      fault: { code: 'executor_missing', message: `step "${spec.step}" has no executor; configure one` },
    };
  }
  if (executor.kind === 'script') return launchScript(spec, executor.file);
  const [program, ...args] = executor.run;
  if (program === undefined || program === '') {
    return {
      ok: false,
      fault: { code: 'executor_missing', message: 'the executor has an empty `run`; name a program' },
    };
  }
  return { ok: true, argv: [programIn(spec, program), ...args], input: spec.prompt };
}

/** A program named by a path is the working directory's own; a worktree without it takes the project's. */
function programIn(spec: AttemptSpec, program: string): string {
  const isRelativePath = program.includes('/') && !program.startsWith('/');
  if (!isRelativePath || exists(join(spec.workdir, program))) return program;
  return exists(join(spec.root, program)) ? join(spec.root, program) : program;
}

/** Checks say something only about an attempt that ended by itself and claims to have done something. */
async function evidenceFor(
  spec: AttemptSpec,
  control: JobControl,
  settings: Settings & { readonly log: AttemptLog },
  agent: ProcessEnd,
  isReported: boolean,
): Promise<Evidence> {
  const isOver = agent.killed !== null || agent.fault !== null;
  if (isOver || (agent.exit !== 0 && !isReported)) return { checks: [], killed: null };
  return gatherEvidence(spec, control, settings);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function exists(path: string): boolean {
  try {
    accessSync(path, constants.F_OK);
    return true;
  } catch {
    // Not there, or not for us: either way not to be run.
    return false;
  }
}
