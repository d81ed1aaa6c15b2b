import type { Database } from 'better-sqlite3';
import { type Body, parsed } from '../file/json-column.js';
import type { Thread } from './message-types.js';
import { placeOf, type ThreadCodec } from './thread-places.js';

export interface ThreadReader {
  thread(id: string): Thread | null;
  /** Prefers the place in the id, which needs no row. */
  placed(id: string): Thread | null;
  followers(run: string): readonly string[];
}

export interface Threads extends ThreadReader {
  put(threads: readonly Thread[]): void;
  follow(follows: readonly { readonly run: string; readonly thread: string }[]): void;
}

export function threads(db: Database, codecs: readonly ThreadCodec[]): Threads {
  const put = db.prepare(
    'INSERT INTO threads (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body',
  );
  const get = db.prepare<[string], Body>('SELECT body FROM threads WHERE id = ?');
  const follow = db.prepare('INSERT INTO followers (run, thread) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const followers = db.prepare<[string], { thread: string }>(
    'SELECT thread FROM followers WHERE run = ? ORDER BY rowid',
  );
  const stored = (id: string): Thread | null => {
    const row = get.get(id);
    return row === undefined ? null : parsed<Thread>(row.body);
  };
  return {
    put(all) {
      for (const thread of all) put.run(thread.id, JSON.stringify(thread));
    },
    follow(follows) {
      for (const { run, thread } of follows) follow.run(run, thread);
    },
    thread: stored,
    placed(id) {
      const [place, row] = [placeOf(codecs, id), stored(id)];
      return place === null ? row : { id, ...place, project: row?.project ?? null, quiet: row?.quiet ?? false };
    },
    followers: (run) => followers.all(run).map((row) => row.thread),
  };
}

// Threads to tell about the outage's end, even after a restart.
export interface OutageRows {
  told(): readonly string[] | null;
}

export interface OutageWriter {
  put(threads: readonly string[] | null): void;
}

const key = 'outage';

export function outageRows(db: Database): OutageRows & OutageWriter {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const drop = db.prepare('DELETE FROM meta WHERE key = ?');
  const set = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  return {
    told() {
      const kept = get.get(key)?.value;
      return kept === undefined ? null : parsed<readonly string[]>(kept);
    },
    put(threads) {
      if (threads === null) drop.run(key);
      else set.run(key, JSON.stringify(threads));
    },
  };
}
