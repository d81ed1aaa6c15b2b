// Tells a database that refuses a write for now (locked, disk full) from one that is damaged.

import { BosunError, type ErrorDetails } from './error.js';

/** The file is damaged, deleted or replaced: nothing may be written to it any more, and no retry helps. */
export class DamagedError extends BosunError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('bad_database', message, details);
  }
}

/** `locked`: another process has it for a moment. `refused`: disk full, I/O error, read-only. Both may pass: retry. */
export type WriteFailure = 'locked' | 'refused' | 'damaged';

/** Null: the error does not come from the database. */
export function writeFailureOf(error: unknown): WriteFailure | null {
  if (error instanceof DamagedError) return 'damaged';
  if (!(error instanceof BosunError)) return null;
  if (error.code === 'disk') return 'refused';
  return error.code === 'busy_home' ? 'locked' : null;
}
