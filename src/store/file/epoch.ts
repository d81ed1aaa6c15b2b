// The epoch of a database: raised whenever a Bosun becomes the active one, so that a copy that was left behind can be told
// from the one that went on, and a writer of before from the one that took over.
import type { Database } from 'better-sqlite3';
import { BosunError } from '../../base/index.js';

/** Gives what it is at that moment; empty: it has none. */
export function epochReader(db: Database): () => string {
  const get = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'epoch'`);
  return () => get.get()?.value ?? '';
}

export function writeEpoch(db: Database, epoch: string): void {
  db.prepare(
    `INSERT INTO meta (key, value) VALUES ('epoch', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(epoch);
}

/** To be called inside a transaction: throws once another has raised the epoch since. */
export function epochFence(db: Database): () => void {
  const read = epochReader(db);
  const own = read();
  return () => {
    if (read() !== own) throw inactive('another Bosun has taken this database over');
  };
}

/** Lets each function of a part work only as long as `mayWrite` does not throw. */
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
  return new BosunError('not_now', `This Bosun is not the active one any more: ${why}`, {
    hint: 'Say it again: the one that is active answers.',
  });
}
