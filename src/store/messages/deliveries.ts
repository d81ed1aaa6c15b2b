// One row per message to send or shown. Cost does not grow with history.
import type { Database } from 'better-sqlite3';
import type { Message, Thread } from './message-types.js';
import { type MessageRow, messageColumns, messageOf } from './outbox.js';
import { botRows, type OpenedThread, postRows, rootRows, type StoredPost } from './posts.js';
import { isCarried, laneOf } from './thread-places.js';

export type { OpenedThread, StoredPost } from './posts.js';

export interface OpenDelivery {
  readonly message: Message;
  readonly thread: Thread;
  /** A crash left the result unknown. */
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
  readonly since: number;
}

export interface Block {
  readonly lane: string;
  readonly until: number;
}

export interface DeliveryRows {
  open(channel: string, after: number, limit: number): readonly OpenDelivery[];
  isOpen(n: number): boolean;
  post(root: string): StoredPost | null;
  /** Finds the message that a person replied to. */
  messageAt(lane: string, platformId: string): string | null;
  begin(n: number, root: string, place: string | null): void;
  pause(n: number): void;
  /** `opened`: it began a thread. */
  step(n: number, root: string, post: StoredPost, opened?: OpenedThread | null): void;
  /** `at` null: never shown, or unchanged. */
  end(n: number, state: 'sent' | 'superseded', at: ShownMessage | null): void;
  /** With `mustTell` the failure stays untold until reported. */
  fail(n: number, problem: string, at: number, mustTell?: boolean): void;
  untold(channel: string, limit: number): readonly FailedDelivery[];
  told(n: number): void;
  /** Null: Bosun has posted nothing there yet. */
  root(thread: string): string | null;
  threadAt(lane: string, root: string): string | null;
  /** True: the bot changed, so the old one's posts are forgotten. */
  belongTo(channel: string, bot: string): boolean;
  forget(root: string): void;
  /** The platform's rate limit: send nothing until then. */
  block(channel: string, lane: string, until: number): void;
  blocks(channel: string): readonly Block[];
  move(channel: string, from: string, to: string): void;
  moves(channel: string): ReadonlyMap<string, string>;
  failed(limit: number): readonly FailedDelivery[];
  counts(): readonly LaneCounts[];
}

export interface ShownMessage {
  readonly root: string;
  readonly post: StoredPost;
  readonly opened?: OpenedThread | null;
}

export interface DeliveryWriter {
  add(message: Message): void;
}

const keptDone = 2_000;
const keptFailed = 1_000;
const maxPruned = 300;
/** After this many newer messages a post is forgotten, unless it still asks. */
const keptPosts = 20_000;
const pruneEvery = 100;

interface Kept {
  readonly done: number;
  readonly failed: number;
  readonly posts: number;
}

export function deliveryRows(
  db: Database,
  placed: (thread: string) => Thread | null,
  kept: Kept = { done: keptDone, failed: keptFailed, posts: keptPosts },
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
  const fail = db.prepare(`UPDATE deliveries SET state = 'failed', problem = ?, at = ?, told = ? WHERE n = ?`);
  const posts = postRows(db, kept.posts);
  const { open: openThread, ...roots } = rootRows(db);
  const prune = pruner(db, kept, posts.prune);
  const begin = db.transaction((n: number, root: string, place: string | null) => {
    set.run('sending', n);
    posts.doubt(root, place);
  });
  const put = ({ root, post, opened = null }: ShownMessage) => {
    posts.put(root, post);
    if (opened !== null) openThread(post.lane, opened);
  };
  const step = db.transaction((n: number, at: ShownMessage) => {
    put({ ...at, post: { ...at.post, shown: null } });
    set.run('waiting', n);
  });
  const end = db.transaction((n: number, state: string, at: ShownMessage | null) => {
    if (at !== null) put(at);
    set.run(state, n);
    prune(n);
  });
  return {
    add({ id, edits, thread, at }) {
      const place = placed(thread);
      if (place === null || !isCarried(place)) return;
      insert.run(Number(id.slice(1)), place.channel, thread, edits ?? id, at);
    },
    ...readers(db, placed),
    isOpen: (n) => isOpen.get(n) !== undefined,
    post: posts.get,
    messageAt: posts.at,
    begin: (n, root, place) => begin.immediate(n, root, place),
    pause: (n) => void set.run('waiting', n),
    step: (n, root, post, opened = null) => step.immediate(n, { root, post, opened }),
    end: (n, state, at) => end.immediate(n, state, at),
    fail: (n, problem, at, mustTell = false) =>
      void fail.run(problem.slice(0, maxProblemChars), at, mustTell ? 0 : 1, n),
    ...roots,
    belongTo: botRows(db),
    forget: posts.forget,
    ...laneRows(db),
  };
}

const maxProblemChars = 300;

interface OpenRow extends MessageRow {
  readonly state: string;
}

interface FailedRow extends MessageRow {
  readonly channel: string;
  readonly problem: string | null;
  readonly failedAt: number;
}

function readers(
  db: Database,
  placed: (thread: string) => Thread | null,
): Pick<DeliveryRows, 'open' | 'failed' | 'untold' | 'told' | 'counts'> {
  const open = db.prepare<[string, number, number], OpenRow>(
    `SELECT ${messageColumns('outbox')}, deliveries.state FROM deliveries INDEXED BY deliveries_open
     JOIN outbox ON outbox.n = deliveries.n
     WHERE deliveries.channel = ? AND deliveries.n > ? AND deliveries.state IN ('waiting', 'sending')
     ORDER BY deliveries.n LIMIT ?`,
  );
  const failedColumns = `${messageColumns('outbox')}, deliveries.channel, deliveries.problem, deliveries.at AS failedAt`;
  const failed = db.prepare<[number], FailedRow>(
    `SELECT ${failedColumns} FROM deliveries INDEXED BY deliveries_failed JOIN outbox ON outbox.n = deliveries.n
     WHERE deliveries.state = 'failed' ORDER BY deliveries.n DESC LIMIT ?`,
  );
  const untold = db.prepare<[string, number], FailedRow>(
    `SELECT ${failedColumns} FROM deliveries INDEXED BY deliveries_untold JOIN outbox ON outbox.n = deliveries.n
     WHERE deliveries.told = 0 AND deliveries.channel = ? ORDER BY deliveries.n LIMIT ?`,
  );
  const told = db.prepare<[number]>('UPDATE deliveries SET told = 1 WHERE n = ?');
  const counts = db.prepare<[], { channel: string; thread: string; waiting: number; since: number }>(
    `SELECT channel, thread, count(*) AS waiting, min(at) AS since FROM deliveries INDEXED BY deliveries_open
     WHERE state IN ('waiting', 'sending') GROUP BY channel, thread ORDER BY min(n)`,
  );
  return {
    open: (channel, after, limit) =>
      open.all(channel, after, limit).flatMap(({ state, ...row }) => {
        const thread = placed(row.thread);
        return thread === null ? [] : [{ message: messageOf(row), thread, wasUnderWay: state === 'sending' }];
      }),
    failed: (limit) => failed.all(limit).map(failedOf),
    untold: (channel, limit) => untold.all(channel, limit).map(failedOf),
    told: (n) => void told.run(n),
    counts() {
      const lanes = new Map<string, LaneCounts>();
      for (const { channel, thread, waiting, since } of counts.all()) {
        const place = placed(thread);
        const lane = place === null ? thread : laneOf(place);
        const key = `${channel} ${lane}`;
        const before = lanes.get(key) ?? { channel, lane, waiting: 0, since };
        lanes.set(key, { ...before, waiting: before.waiting + waiting, since: Math.min(before.since, since) });
      }
      return [...lanes.values()];
    },
  };
}

function failedOf({ channel, problem, failedAt, ...row }: FailedRow): FailedDelivery {
  return { message: messageOf(row), channel, problem: problem ?? '', at: failedAt };
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

/** By row number: below the limit only open and failed rows are left. */
function pruner(db: Database, kept: Kept, posts: (n: number) => void): (n: number) => void {
  const done = db.prepare<[number, number]>(
    `DELETE FROM deliveries WHERE n IN
       (SELECT n FROM deliveries WHERE n <= ? AND state IN ('sent', 'superseded') ORDER BY n LIMIT ?)`,
  );
  const failed = db.prepare<[number, number]>(
    `DELETE FROM deliveries WHERE n IN (SELECT n FROM deliveries INDEXED BY deliveries_failed WHERE state = 'failed' AND n <=
       (SELECT n FROM deliveries INDEXED BY deliveries_failed WHERE state = 'failed' ORDER BY n DESC LIMIT 1 OFFSET ?)
       ORDER BY n LIMIT ?)`,
  );
  let ends = 0;
  return (n) => {
    ends += 1;
    if (ends % pruneEvery !== 1) return;
    done.run(n - kept.done, maxPruned);
    failed.run(kept.failed, maxPruned);
    posts(n);
  };
}
