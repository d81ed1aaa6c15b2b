import { CommanderError } from 'commander';
import { BosunError, type ErrorCode } from '../base/index.js';

/** 0 done · 1 failed · 2 not understood or bad usage · 3 refused · 4 timed out. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exit: ExitCode;
}

const exits: Readonly<Record<ErrorCode, ExitCode>> = {
  bad_config: 1,
  bad_database: 1,
  bad_input: 1,
  bad_workflow: 1,
  busy_home: 3,
  disk: 1,
  executor: 1,
  git: 1,
  git_settings: 1,
  limit: 1,
  not_allowed: 3,
  not_found: 1,
  not_now: 3,
  queue: 1,
  timeout: 4,
  usage: 2,
};

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(exits, code);
}

/** Null: help or version, for which commander throws too. */
export function failureOf(error: unknown, logPath: string | null): Failure | null {
  if (error instanceof BosunError) {
    return { code: error.code, message: error.message, hint: error.hint, exit: exits[error.code] };
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    return usage(error.code === 'commander.help' ? 'a command is missing' : error.message);
  }
  const message = error instanceof Error ? error.message : String(error);
  const hint = logPath === null ? 'This is a bug in Bosun.' : `This is a bug in Bosun; see ${logPath} for details.`;
  return { code: 'bug', message, hint, exit: 1 };
}

export function failureLine({ code, message, hint }: Failure): string {
  const said = `${message}${hint === null ? '' : `${/[.!?]$/.test(message) ? '' : '.'} ${hint}`}`;
  return `error: ${code}: ${said.trim().replaceAll(/\s*\n\s*/g, '; ')}`;
}

export function failureJson({ code, message, hint }: Failure): unknown {
  return { error: { code, message, hint } };
}

function usage(said: string): Failure {
  const [what = '', ...guess] = said.replace(/^error: /, '').split('\n');
  const meant = /Did you mean (?:one of )?(.+)\?/.exec(guess.join(' '))?.[1];
  const near = meant === undefined ? '' : `; did you mean ${meant.replaceAll(', ', ' or ')}?`;
  return {
    code: 'usage',
    message: `${what.replaceAll("'", '"')}${near}`,
    hint: 'Add --help to see the usage.',
    exit: 2,
  };
}
