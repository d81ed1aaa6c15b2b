/** Scripts rely on these codes. */
export type ErrorCode =
  | 'bad_config'
  | 'bad_input'
  | 'bad_workflow'
  | 'bad_database'
  | 'busy_home'
  | 'disk'
  | 'executor'
  | 'git'
  | 'git_settings'
  | 'limit'
  | 'not_allowed'
  | 'not_found'
  | 'not_now'
  | 'queue'
  | 'timeout'
  | 'usage';

export interface ErrorDetails {
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The message says what failed, the hint what to do. Never a secret. */
export class BosunError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'BosunError';
    this.code = code;
    this.hint = details.hint ?? null;
  }
}
