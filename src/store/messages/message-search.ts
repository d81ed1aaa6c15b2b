// Each search reads a bounded part of the history.
import type { Database } from 'better-sqlite3';
import { parsed } from '../file/json-column.js';
import type { SaidRow } from './chat-history.js';
import type { InboundBody, Message } from './message-types.js';
import { type MessageRow, messageColumns, messageOf } from './outbox.js';

export interface MessageFilter {
  readonly words: string;
  readonly project: string | null;
  readonly before: number | null;
  readonly limit: number;
}

export interface FoundMessages {
  /** Newest first. Edits count separately, and so does one card in several threads. */
  readonly messages: readonly Message[];
  /** Null: all searched. */
  readonly next: number | null;
}

export interface MessageSearch {
  messagesWith(filter: MessageFilter): FoundMessages;
  /** Inbound messages, newest first, kept for at least a week. */
  saidWith(words: string, limit: number): readonly (SaidRow & { readonly thread: string })[];
}

const maxScanned = 5_000;
const maxWordsChars = 100;

type Bound = Omit<MessageFilter, 'before'> & { readonly from: number; readonly to: number };

export function messageSearch(db: Database): MessageSearch {
  const find = db.prepare<Bound, MessageRow>(
    `SELECT ${messageColumns('outbox')} FROM outbox WHERE n < @to AND n >= @from
       AND instr(lower(json_extract(body, '$.text')), @words) > 0
       AND (@project IS NULL OR run IN (SELECT id FROM runs INDEXED BY runs_by_project WHERE project = @project))
     ORDER BY n DESC LIMIT @limit`,
  );
  const newest = db.prepare<[], { n: number | null }>('SELECT max(n) AS n FROM outbox');
  const said = db.prepare<[number, string, number], Omit<SaidRow, 'body'> & { thread: string; body: string }>(
    `SELECT id, thread, "by", at, body FROM inbox WHERE id > (SELECT coalesce(max(id), 0) FROM inbox) - ?
       AND instr(lower(json_extract(body, '$.text')), ?) > 0 ORDER BY id DESC LIMIT ?`,
  );
  const wordsOf = (words: string) => words.trim().toLowerCase().slice(0, maxWordsChars);
  return {
    messagesWith({ words, before, ...filter }) {
      const to = Math.min(before ?? Number.MAX_SAFE_INTEGER, (newest.get()?.n ?? 0) + 1);
      const from = Math.max(0, to - maxScanned);
      const rows = find.all({ ...filter, words: wordsOf(words), from, to });
      const last = rows.length === filter.limit ? (rows.at(-1)?.n ?? null) : null;
      return { messages: rows.map(messageOf), next: last ?? (from > 1 ? from : null) };
    },
    saidWith: (words, limit) =>
      said
        .all(maxScanned, wordsOf(words), limit)
        .map(({ body, ...row }) => ({ ...row, body: parsed<InboundBody>(body) })),
  };
}
