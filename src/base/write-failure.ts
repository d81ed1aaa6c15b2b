import { BosunError, type ErrorDetails } from './error.js';

/** The database is damaged, deleted or replaced: stop writing, do not retry. */
export class DamagedError extends BosunError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('bad_database', message, details);
  }
}

/** `locked`: briefly. `refused`: disk full, I/O error or read-only. Both are worth a retry. */
export type WriteFailure = 'locked' | 'refused' | 'damaged';

/** Null: not a database error. */
export function writeFailureOf(error: unknown): WriteFailure | null {
  if (error instanceof DamagedError) return 'damaged';
  if (!(error instanceof BosunError)) return null;
  if (error.code === 'disk') return 'refused';
  return error.code === 'busy_home' ? 'locked' : null;
}
