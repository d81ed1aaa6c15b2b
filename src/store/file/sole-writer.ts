// Another container cannot see the pid in the home's lock. Both see SQLite's file lock, which ends with its process.
import { closeSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { BosunError } from '../../base/index.js';
import { connect } from './connection.js';

/** Gives an ending process time. */
const waitMs = 2_000;

interface Held {
  readonly db: Database;
  users: number;
}

const held = new Map<string, Held>();

/** Reentrant. Throws if another process holds the lock. */
export function holdWriting(path: string): () => void {
  const lockPath = `${path}-writer`;
  const mine = held.get(lockPath) ?? take(lockPath, path);
  mine.users += 1;
  held.set(lockPath, mine);
  let isBack = false;
  return () => {
    if (isBack) return;
    isBack = true;
    mine.users -= 1;
    if (mine.users > 0) return;
    held.delete(lockPath);
    mine.db.close();
  };
}

function take(lockPath: string, path: string): Held {
  closeSync(openSync(lockPath, 'a', 0o600));
  const db = connect(lockPath, { timeout: waitMs });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return { db, users: 0 };
  } catch (error) {
    db.close();
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY'))) throw error;
    throw new BosunError(
      'busy_home',
      `Another process writes ${path}: a Bosun in another container, or one that is just stopping`,
      {
        hint: 'Only one Bosun may use a home. Stop the other one, or choose another home with --home.',
        cause: error,
      },
    );
  }
}
