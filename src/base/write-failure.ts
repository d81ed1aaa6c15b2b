// A refusal for now (locked, disk full) is not damage.

import { BosunError, type ErrorDetails } from './error.js';

/** Damaged, deleted or replaced: write nothing more, and do not retry. */
export class DamagedError extends BosunError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('bad_database', message, details);
  }
}

/** `locked`: for a moment. `refused`: disk full, I/O error, read-only. Retry both. */
export type WriteFailure = 'locked' | 'refused' | 'damaged';

/** Null: not from the database. */
export function writeFailureOf(error: unknown): WriteFailure | null {
  if (error instanceof DamagedError) return 'damaged';
  if (!(error instanceof BosunError)) return null;
  if (error.code === 'disk') return 'refused';
  return error.code === 'busy_home' ? 'locked' : null;
}
