// Pruned in small steps, except posts that ask or await an edit.

import type { Database } from 'better-sqlite3';
import { parsed } from '../file/json-column.js';

export interface StoredPost {
  readonly lane: string;
  /** In the carrier's own format. */
  readonly place: string;
  /** Platform ids; a person may reply to any of them. */
  readonly ids: readonly string[];
  readonly n: number;
  /** Fingerprint of the complete content; null: incomplete or unknown. */
  readonly shown: string | null;
}

export interface OpenedThread {
  readonly thread: string;
  readonly root: string;
}

interface PostRow extends Omit<StoredPost, 'ids'> {
  readonly ids: string;
}

const maxPosts = 200;
const maxIds = 1_000;

export function postRows(db: Database, kept: number) {
  const get = db.prepare<[string], PostRow>('SELECT lane, place, ids, n, shown FROM posts WHERE root = ?');
  const channelOf = `coalesce((SELECT channel FROM deliveries WHERE n = ?), '')`;
  const put = db.prepare(
    `INSERT INTO posts (root, lane, place, ids, n, shown, channel) VALUES (?, ?, ?, ?, ?, ?, ${channelOf})
     ON CONFLICT (root) DO UPDATE SET lane = excluded.lane, place = excluded.place, ids = excluded.ids, n = excluded.n,
       shown = excluded.shown, channel = excluded.channel`,
  );
  const doubt = db.prepare('UPDATE posts SET shown = NULL, place = coalesce(?, place) WHERE root = ?');
  const forget = db.prepare('DELETE FROM posts WHERE root = ?');
  const at = db.prepare<[string, string], { root: string }>('SELECT root FROM post_ids WHERE lane = ? AND id = ?');
  const addId = db.prepare(
    `INSERT INTO post_ids (lane, id, root, n, channel) VALUES (?, ?, ?, ?, ${channelOf})
     ON CONFLICT (lane, id) DO UPDATE SET root = excluded.root, n = excluded.n, channel = excluded.channel`,
  );
  return {
    get(root: string): StoredPost | null {
      const row = get.get(root);
      return row === undefined ? null : { ...row, ids: parsed<readonly string[]>(row.ids) };
    },
    put(root: string, { lane, place, ids, n, shown }: StoredPost): void {
      put.run(root, lane, place, JSON.stringify(ids), n, shown, n);
      // Parts already removed stay known: a phone may still show them.
      for (const id of ids) addId.run(lane, id, root, n, n);
    },
    doubt: (root: string, place: string | null) => void doubt.run(place, root),
    forget: (root: string) => void forget.run(root),
    at: (lane: string, id: string) => at.get(lane, id)?.root ?? null,
    prune: postPruner(db, kept),
  };
}

/** The first root of a thread wins. */
export function rootRows(db: Database) {
  const get = db.prepare<[string], { root: string }>('SELECT root FROM roots WHERE thread = ?');
  const at = db.prepare<[string, string], { thread: string }>('SELECT thread FROM roots WHERE lane = ? AND root = ?');
  const add = db.prepare('INSERT INTO roots (thread, lane, root) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  return {
    root: (thread: string) => get.get(thread)?.root ?? null,
    threadAt: (lane: string, root: string) => at.get(lane, root)?.thread ?? null,
    open: (lane: string, { thread, root }: OpenedThread) => void add.run(thread, lane, root),
  };
}

/** The old bot's rate limits end too. */
const ofAnotherBot = [
  'DELETE FROM posts WHERE channel = ?',
  'DELETE FROM post_ids WHERE channel = ?',
  'UPDATE lanes SET blocked_until = 0 WHERE channel = ?',
];

/** Message ids are per bot, so the old bot's posts would pass for the new one's. */
export function botRows(db: Database) {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const keep = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const belongTo = db.transaction((channel: string, bot: string): boolean => {
    const key = `bot:${channel}`;
    const before = get.get(key)?.value;
    if (before === bot) return false;
    keep.run(key, bot);
    if (before === undefined) return false;
    for (const sql of ofAnotherBot) db.prepare<[string]>(sql).run(channel);
    return true;
  });
  return (channel: string, bot: string): boolean => belongTo.immediate(channel, bot);
}

function postPruner(db: Database, kept: number): (n: number) => void {
  const posts = db.prepare<[number, number]>(
    `DELETE FROM posts WHERE root IN (
       SELECT post.root FROM posts AS post INDEXED BY posts_by_age LEFT JOIN outbox ON outbox.n = post.n
       WHERE post.n <= ?
         AND NOT EXISTS (SELECT 1 FROM interactions WHERE id = outbox.interaction AND state = 'open')
         AND NOT EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_open_of_root
           WHERE deliveries.root = post.root AND deliveries.state IN ('waiting', 'sending'))
       ORDER BY post.n LIMIT ?)`,
  );
  const ids = db.prepare<[number, number]>(
    `DELETE FROM post_ids WHERE (lane, id) IN (
       SELECT one.lane, one.id FROM post_ids AS one INDEXED BY post_ids_by_age
       WHERE one.n <= ? AND NOT EXISTS (SELECT 1 FROM posts WHERE posts.root = one.root)
       ORDER BY one.n LIMIT ?)`,
  );
  return (n) => {
    posts.run(n - kept, maxPosts);
    ids.run(n - kept, maxIds);
  };
}
