// The epoch of a database, raised whenever a Bosun becomes active. It tells a stale copy from the current one, and
// works as a fence token against a former writer.
import type { Database } from 'better-sqlite3';
import { BosunError } from '../../base/index.js';

/** Reads the current epoch; empty if there is none. */
export function epochReader(db: Database): () => string {
  const get = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'epoch'`);
  return () => get.get()?.value ?? '';
}

export function writeEpoch(db: Database, epoch: string): void {
  db.prepare(
    `INSERT INTO meta (key, value) VALUES ('epoch', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(epoch);
}

/** The returned function must run inside a transaction; it throws if another process has raised the epoch since. */
export function epochFence(db: Database): () => void {
  const read = epochReader(db);
  const own = read();
  return () => {
    if (read() !== own) throw inactive('another Bosun has taken this database over');
  };
}

/** Calls `mayWrite`, which may throw, before each function of a part. */
export function gated<T extends object>(part: T, mayWrite: () => void): T {
  const entries = Object.entries(part).map(([name, act]) => [
    name,
    (...args: readonly unknown[]) => {
      mayWrite();
      return act(...args);
    },
  ]);
  return Object.fromEntries(entries) as T;
}

export function inactive(why: string): BosunError {
  return new BosunError('not_now', `This Bosun is no longer the active one: ${why}`, {
    hint: 'Try again: the active Bosun answers.',
  });
}
