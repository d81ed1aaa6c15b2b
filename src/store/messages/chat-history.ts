import type { Database } from 'better-sqlite3';
import { type Body, parsed } from '../file/json-column.js';
import type { InboundBody, Message } from './message-types.js';
import { type MessageRow, messageColumns, messageOf } from './outbox.js';

export interface ChatEntry {
  readonly root: string;
  readonly at: number;
  readonly message: Message;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface SaidRow {
  readonly id: number;
  /** Null: the home's owner. */
  readonly by: string | null;
  readonly at: number;
  readonly body: InboundBody;
}

export interface ChatHistory {
  /** Oldest first, as last edited. */
  posts(thread: string, before: string | null, limit: number): readonly ChatEntry[];
  /** Oldest first, without the first ones beyond `limit`. */
  saidIn(thread: string, span: Span, limit: number): readonly SaidRow[];
}

const maxPassedOver = 20_000;

export function chatHistory(db: Database): ChatHistory {
  const sql = statements(db);
  return {
    posts: (thread, before, limit) =>
      sql.posts
        .all(thread, before === null ? Number.MAX_SAFE_INTEGER : Number(before.slice(1)), limit)
        .map(({ root, postedAt, ...row }) => ({ root: `m${root}`, at: postedAt, message: messageOf(row) }))
        .reverse(),
    saidIn: (thread, { from, to }, limit) =>
      sql.said
        .all(thread, maxPassedOver, from, to, limit)
        .map(({ body, ...row }) => ({ ...row, body: parsed<InboundBody>(body) }))
        .reverse(),
  };
}

function statements(db: Database) {
  return {
    posts: db.prepare<[string, number, number], MessageRow & { root: number; postedAt: number }>(
      `SELECT ${messageColumns('newest')}, root.n AS root, root.at AS postedAt
       FROM outbox AS root INDEXED BY outbox_of_thread JOIN outbox AS newest ON newest.n = coalesce(
         (SELECT max(n) FROM outbox INDEXED BY outbox_of_card
          WHERE thread = root.thread AND card = coalesce(root.card, 'm' || root.n)), root.n)
       WHERE root.thread = ? AND root.n < ? AND root.edits IS NULL ORDER BY root.n DESC LIMIT ?`,
    ),
    said: db.prepare<[string, number, number, number, number], Omit<SaidRow, 'body'> & Body>(
      `SELECT id, "by", at, body FROM inbox WHERE thread = ? AND id > (SELECT coalesce(max(id), 0) FROM inbox) - ?
       AND at >= ? AND at < ? ORDER BY id DESC LIMIT ?`,
    ),
  };
}
