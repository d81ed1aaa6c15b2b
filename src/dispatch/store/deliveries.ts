// What is to be carried to chat platforms and how far it got: a row for each message that goes, and one for each that is
// shown. Every call here is one small transaction, whose cost does not grow with what arrived long ago.
import type { Database } from 'better-sqlite3';
import { type MessageRow, messageColumns, messageOf } from './outbox-row.js';
import { isCarried, laneOf, placedThread } from './places.js';
import type { Message, Thread } from './port.js';

/** A message as its platform shows it. */
export interface Post {
  readonly lane: string;
  /** How its carrier finds it again; in a carrier's own words. */
  readonly place: string;
  /** The platform's ids in it, by which people reply. */
  readonly ids: readonly string[];
  /** The row of the outbox whose words it shows, or begins to. */
  readonly n: number;
  /** A mark of what is shown whole; null: not whole, or not known. */
  readonly shown: string | null;
}

export interface OpenDelivery {
  readonly message: Message;
  readonly thread: Thread;
  /** A call was begun of which nobody knows what came. */
  readonly wasUnderWay: boolean;
}

export interface FailedDelivery {
  readonly message: Message;
  readonly channel: string;
  readonly problem: string;
  readonly at: number;
}

export interface LaneCounts {
  readonly channel: string;
  readonly lane: string;
  readonly waiting: number;
  /** When the oldest of them was said. */
  readonly since: number;
}

export interface Block {
  readonly lane: string;
  readonly until: number;
}

export interface DeliveryRows {
  /** Oldest first: what has not arrived, after this row. */
  open(channel: string, after: number, limit: number): readonly OpenDelivery[];
  isOpen(n: number): boolean;
  post(root: string): Post | null;
  /** The message of which the platform shows this one as a part: what a reply to it means. */
  messageAt(lane: string, platformId: string): string | null;
  /** A call is about to be made, and nobody knows what is shown until it ended; `place`: as it is till then, if anywhere. */
  begin(n: number, root: string, place: string | null): void;
  /** It came to nothing, for certain. */
  pause(n: number): void;
  /** A part of it arrived. */
  step(n: number, root: string, post: Post): void;
  /** `post` where it is shown; null: never was, or just so already. */
  end(n: number, state: 'sent' | 'superseded', at: { readonly root: string; readonly post: Post } | null): void;
  fail(n: number, problem: string, at: number): void;
  /** The message is not where it was any more. */
  forget(root: string): void;
  /** Nothing may be sent there before then. */
  block(channel: string, lane: string, until: number): void;
  blocks(channel: string): readonly Block[];
  /** A chat got another id. */
  move(channel: string, from: string, to: string): void;
  moves(channel: string): ReadonlyMap<string, string>;
  /** Newest first. */
  failed(limit: number): readonly FailedDelivery[];
  counts(): readonly LaneCounts[];
}

export interface DeliveryWriter {
  /** To be called inside the transaction that appends the message. */
  add(message: Message): void;
}

/** How many rows that are done, or failed, are kept to look at. */
const keptDone = 2_000;
const keptFailed = 1_000;
const pruneEvery = 100;

export function deliveryRows(
  db: Database,
  stored: (thread: string) => Thread | null,
  kept = { done: keptDone, failed: keptFailed },
): DeliveryRows & DeliveryWriter {
  const set = db.prepare<[string, number]>(
    `UPDATE deliveries SET state = ? WHERE n = ? AND state IN ('waiting', 'sending')`,
  );
  const insert = db.prepare(
    `INSERT INTO deliveries (n, channel, thread, root, state, problem, at) VALUES (?, ?, ?, ?, 'waiting', NULL, ?)`,
  );
  const isOpen = db.prepare<[number], { n: number }>(
    `SELECT n FROM deliveries WHERE n = ? AND state IN ('waiting', 'sending')`,
  );
  const fail = db.prepare(`UPDATE deliveries SET state = 'failed', problem = ?, at = ? WHERE n = ?`);
  const posts = postRows(db);
  const prune = pruner(db, kept);
  const begin = db.transaction((n: number, root: string, place: string | null) => {
    set.run('sending', n);
    posts.doubt(root, place);
  });
  const step = db.transaction((n: number, root: string, post: Post) => {
    posts.put(root, { ...post, shown: null });
    set.run('waiting', n);
  });
  const end = db.transaction((n: number, state: string, at: { root: string; post: Post } | null) => {
    if (at !== null) posts.put(at.root, at.post);
    set.run(state, n);
    prune(n);
  });
  return {
    add({ id, edits, thread, at }) {
      const place = placedThread(thread, stored(thread));
      if (place === null || !isCarried(place)) return;
      insert.run(Number(id.slice(1)), place.channel, thread, edits ?? id, at);
    },
    ...readers(db, stored),
    isOpen: (n) => isOpen.get(n) !== undefined,
    post: posts.get,
    messageAt: posts.at,
    begin: (n, root, place) => begin.immediate(n, root, place),
    pause: (n) => void set.run('waiting', n),
    step: (n, root, post) => step.immediate(n, root, post),
    end: (n, state, at) => end.immediate(n, state, at),
    fail: (n, problem, at) => void fail.run(problem.slice(0, maxProblemChars), at, n),
    forget: posts.forget,
    ...laneRows(db),
  };
}

const maxProblemChars = 300;

interface OpenRow extends MessageRow {
  readonly state: string;
}

function readers(
  db: Database,
  stored: (thread: string) => Thread | null,
): Pick<DeliveryRows, 'open' | 'failed' | 'counts'> {
  const open = db.prepare<[string, number, number], OpenRow>(
    `SELECT ${messageColumns('outbox')}, deliveries.state FROM deliveries INDEXED BY deliveries_open
     JOIN outbox ON outbox.n = deliveries.n
     WHERE deliveries.channel = ? AND deliveries.n > ? AND deliveries.state IN ('waiting', 'sending')
     ORDER BY deliveries.n LIMIT ?`,
  );
  const failed = db.prepare<[number], MessageRow & { channel: string; problem: string | null; failedAt: number }>(
    `SELECT ${messageColumns('outbox')}, deliveries.channel, deliveries.problem, deliveries.at AS failedAt
     FROM deliveries INDEXED BY deliveries_failed JOIN outbox ON outbox.n = deliveries.n
     WHERE deliveries.state = 'failed' ORDER BY deliveries.n DESC LIMIT ?`,
  );
  const counts = db.prepare<[], { channel: string; thread: string; waiting: number; since: number }>(
    `SELECT channel, thread, count(*) AS waiting, min(at) AS since FROM deliveries INDEXED BY deliveries_open
     WHERE state IN ('waiting', 'sending') GROUP BY channel, thread ORDER BY min(n)`,
  );
  return {
    open: (channel, after, limit) =>
      open.all(channel, after, limit).flatMap(({ state, ...row }) => {
        const thread = placedThread(row.thread, stored(row.thread));
        return thread === null ? [] : [{ message: messageOf(row), thread, wasUnderWay: state === 'sending' }];
      }),
    failed: (limit) =>
      failed.all(limit).map(({ channel, problem, failedAt, ...row }) => ({
        message: messageOf(row),
        channel,
        problem: problem ?? '',
        at: failedAt,
      })),
    counts() {
      const lanes = new Map<string, LaneCounts>();
      for (const { channel, thread, waiting, since } of counts.all()) {
        const place = placedThread(thread, stored(thread));
        const lane = place === null ? thread : laneOf(place);
        const key = `${channel} ${lane}`;
        const before = lanes.get(key) ?? { channel, lane, waiting: 0, since };
        lanes.set(key, { ...before, waiting: before.waiting + waiting, since: Math.min(before.since, since) });
      }
      return [...lanes.values()];
    },
  };
}

interface PostRow {
  readonly lane: string;
  readonly place: string;
  readonly ids: string;
  readonly n: number;
  readonly shown: string | null;
}

function postRows(db: Database) {
  const get = db.prepare<[string], PostRow>('SELECT lane, place, ids, n, shown FROM posts WHERE root = ?');
  const put = db.prepare(
    `INSERT INTO posts (root, lane, place, ids, n, shown) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (root) DO UPDATE SET lane = excluded.lane, place = excluded.place, ids = excluded.ids, n = excluded.n,
       shown = excluded.shown`,
  );
  const doubt = db.prepare('UPDATE posts SET shown = NULL, place = coalesce(?, place) WHERE root = ?');
  const forget = db.prepare('DELETE FROM posts WHERE root = ?');
  const at = db.prepare<[string, string], { root: string }>('SELECT root FROM post_ids WHERE lane = ? AND id = ?');
  const addId = db.prepare(
    'INSERT INTO post_ids (lane, id, root) VALUES (?, ?, ?) ON CONFLICT (lane, id) DO UPDATE SET root = excluded.root',
  );
  return {
    get(root: string): Post | null {
      const row = get.get(root);
      return row === undefined ? null : { ...row, ids: JSON.parse(row.ids) as readonly string[] };
    },
    put(root: string, { lane, place, ids, n, shown }: Post): void {
      put.run(root, lane, place, JSON.stringify(ids), n, shown);
      // Those of parts that are gone stay: a phone may show them for a while.
      for (const id of ids) addId.run(lane, id, root);
    },
    doubt: (root: string, place: string | null) => void doubt.run(place, root),
    forget: (root: string) => void forget.run(root),
    at: (lane: string, id: string) => at.get(lane, id)?.root ?? null,
  };
}

function laneRows(db: Database): Pick<DeliveryRows, 'block' | 'blocks' | 'move' | 'moves'> {
  const block = db.prepare(
    `INSERT INTO lanes (channel, lane, blocked_until) VALUES (?, ?, ?)
     ON CONFLICT (channel, lane) DO UPDATE SET blocked_until = max(blocked_until, excluded.blocked_until)`,
  );
  const blocks = db.prepare<[string], Block>(
    'SELECT lane, blocked_until AS until FROM lanes WHERE channel = ? AND blocked_until > 0',
  );
  const move = db.prepare(
    `INSERT INTO lanes (channel, lane, blocked_until, moved_to) VALUES (?, ?, 0, ?)
     ON CONFLICT (channel, lane) DO UPDATE SET moved_to = excluded.moved_to`,
  );
  const moves = db.prepare<[string], { lane: string; to: string }>(
    'SELECT lane, moved_to AS "to" FROM lanes WHERE channel = ? AND moved_to IS NOT NULL',
  );
  return {
    block: (channel, lane, until) => void block.run(channel, lane, until),
    blocks: (channel) => blocks.all(channel),
    move: (channel, from, to) => void move.run(channel, from, to),
    moves: (channel) => new Map(moves.all(channel).map(({ lane, to }) => [lane, to])),
  };
}

/** By age in the outbox: what is below the line was cleared before, but for what still waits or failed. */
function pruner(db: Database, kept: { readonly done: number; readonly failed: number }): (n: number) => void {
  const done = db.prepare<[number]>(`DELETE FROM deliveries WHERE n <= ? AND state IN ('sent', 'superseded')`);
  const failed = db.prepare<[number]>(
    `DELETE FROM deliveries WHERE state = 'failed' AND n <=
       (SELECT n FROM deliveries INDEXED BY deliveries_failed WHERE state = 'failed' ORDER BY n DESC LIMIT 1 OFFSET ?)`,
  );
  let ends = 0;
  return (n) => {
    ends += 1;
    if (ends % pruneEvery !== 1) return;
    done.run(n - kept.done);
    failed.run(kept.failed);
  };
}
