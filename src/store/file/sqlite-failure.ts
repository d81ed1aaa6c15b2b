import Database from 'better-sqlite3';
import { BosunError, DamagedError, errnoOf } from '../../base/index.js';

/** Bugs pass through unchanged. */
export function guarded<A extends unknown[], R>(
  path: string,
  act: (...args: A) => R,
  onFailure: (error: unknown) => void = () => undefined,
): (...args: A) => R {
  return (...args) => {
    try {
      return act(...args);
    } catch (error) {
      const told = explained(error, path);
      onFailure(told);
      throw told;
    }
  };
}

export function explained(error: unknown, path: string): unknown {
  if (error instanceof BosunError) return error;
  const code = errnoOf(error);
  if (code === '') return error;
  for (const known of failures) {
    if (known.codes.test(code)) {
      const message = `${path}: ${known.says} (${code})`;
      const details = { hint: known.hint, cause: error };
      return known.as === 'bad_database'
        ? new DamagedError(message, details)
        : new BosunError(known.as, message, details);
    }
  }
  return error instanceof Database.SqliteError
    ? new BosunError('bad_database', `${path}: ${error.message} (${code})`, { cause: error, hint: 'run: bosun verify' })
    : error;
}

/** SQLite would apply a leftover `-wal` to the backup and damage it. */
const moveAway = 'Move bosun.db, bosun.db-wal and bosun.db-shm away (those that exist)';
export const restoreHint = `${moveAway}, then put a backup in place as bosun.db.`;
export const restoreOrStartHint = `${moveAway}, then put a backup in place as bosun.db, or start without one to start over.`;

const failures = [
  {
    codes: /^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/,
    as: 'disk',
    says: 'no space left to write to',
    hint: 'free some space on that disk; this change is not saved, all earlier ones are',
  },
  {
    codes: /^(SQLITE_NOTADB|SQLITE_CORRUPT.*)$/,
    as: 'bad_database',
    says: 'is damaged or not a Bosun database',
    hint: `${restoreHint} Or start with another home (--home).`,
  },
  {
    codes: /^(SQLITE_READONLY.*|SQLITE_CANTOPEN.*|SQLITE_PERM|SQLITE_AUTH|EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EISDIR)$/,
    as: 'disk',
    says: 'cannot be opened or written',
    hint: 'check that its folder exists and that both are writable',
  },
  {
    codes: /^SQLITE_IOERR.*$/,
    as: 'disk',
    says: 'reading or writing failed',
    hint: 'check the disk and its free space',
  },
  {
    codes: /^SQLITE_(BUSY|LOCKED).*$/,
    as: 'busy_home',
    says: 'is in use by another process',
    hint: 'only one Bosun may use a home: stop the other one',
  },
] as const;
