import type { Database } from 'better-sqlite3';

/** Does not wait for the disk: the next synced commit makes it durable. */
export function unsynced<A extends unknown[], R>(db: Database, act: (...args: A) => R): (...args: A) => R {
  const transaction = db.transaction(act);
  return (...args) => {
    db.exec('PRAGMA synchronous = NORMAL');
    try {
      return transaction.immediate(...args);
    } finally {
      db.exec('PRAGMA synchronous = FULL');
    }
  };
}
