// One agent's process: which program it is, its prompt and environment, and who hears of it while it works.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { JobControl } from '../job.js';
import type { AgentOutput } from './agent-output.js';
import { agentEnvironment, type Environment, processMark, type Seat } from './environment.js';
import { type ProcessEnd, runProcess, unstarted } from './process.js';
import { type Launch, launchScript } from './script.js';

export interface AgentSettings {
  /** The environment that the allow-list picks from. */
  readonly environment: Environment;
  /** How long a stopped process may take to end by itself. */
  readonly killGraceMs: number;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
}

/** Runs the agent of a seat to its end. */
export async function runAgent(
  seat: Seat,
  control: JobControl,
  settings: AgentSettings,
  output: AgentOutput,
): Promise<ProcessEnd> {
  const launch = launchOf(seat);
  if (!launch.ok) return unstarted({ fault: launch.fault });
  control.report({ type: 'phase', phase: 'agent' });
  const end = await runProcess(
    {
      argv: launch.argv,
      cwd: seat.workdir,
      env: agentEnvironment(seat, settings.environment),
      input: launch.input,
      mark: processMark(seat),
      timeoutMs: seat.timeoutMs,
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

function launchOf(seat: Seat): Launch {
  const { executor } = seat;
  if (executor === null) {
    return {
      ok: false,
      fault: { code: 'executor_missing', message: `step "${seat.step}" has no executor; configure one` },
    };
  }
  if (executor.kind === 'script') return launchScript(seat, executor.file);
  if (executor.kind !== 'command') {
    return { ok: false, fault: { code: 'executor_missing', message: `${executor.kind} cannot be started yet` } };
  }
  const [program, ...args] = executor.run;
  if (program === undefined || program === '') {
    return {
      ok: false,
      fault: { code: 'executor_missing', message: 'the executor has an empty `run`; name a program' },
    };
  }
  return { ok: true, argv: [programIn(seat, program), ...args], input: seat.prompt };
}

/** A program named by a path is the working directory's own; a worktree without it takes the project's. */
function programIn(seat: Seat, program: string): string {
  const isRelativePath = program.includes('/') && !program.startsWith('/');
  if (!isRelativePath || exists(join(seat.workdir, program))) return program;
  return exists(join(seat.root, program)) ? join(seat.root, program) : program;
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
