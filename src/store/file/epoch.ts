// Each Bosun that becomes active raises the epoch, which reveals stale copies and fences off a former writer.
import type { Database } from 'better-sqlite3';
import { BosunError } from '../../base/index.js';

export function epochReader(db: Database): () => string {
  const get = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'epoch'`);
  return () => get.get()?.value ?? '';
}

export function writeEpoch(db: Database, epoch: string): void {
  db.prepare(
    `INSERT INTO meta (key, value) VALUES ('epoch', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(epoch);
}

/** Throws if another process raised the epoch. */
export function epochFence(db: Database): () => void {
  const read = epochReader(db);
  const own = read();
  return () => {
    if (read() !== own) throw inactive('another Bosun has taken this database over');
  };
}

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
