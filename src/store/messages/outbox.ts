// Messages in the order in which they were said. A card is a first message and the edits that point to it.

import type { Database } from 'better-sqlite3';
import { parsed } from '../file/json-column.js';
import type { DeliveryWriter } from './deliveries.js';
import type { Message, NewMessage, View } from './message-types.js';

// A row of the outbox and the message that it is.
export interface MessageRow {
  readonly n: number;
  readonly thread: string;
  readonly run: string | null;
  readonly interaction: string | null;
  readonly card: string | null;
  readonly edits: string | null;
  readonly at: number;
  readonly body: string;
}

const columnNames = ['n', 'thread', 'run', 'interaction', 'card', 'edits', 'at', 'body'];

export function messageColumns(table: string): string {
  return columnNames.map((one) => `${table}.${one}`).join(', ');
}

export function messageOf(row: MessageRow): Message {
  const { n, body, ...rest } = row;
  return { ...rest, id: `m${n}`, view: parsed<View>(body) };
}

export interface MessageReader {
  message(id: string): Message | null;
  messages(thread: string, after: string | null, limit: number): readonly Message[];
  /** The message that a card shows at present in a thread. */
  cardMessage(thread: string, card: string): Message | null;
  /** What still shows buttons and belongs to an interaction, as it is shown now: its card, and whatever repeats it. */
  asking(interaction: string): readonly Message[];
}

export interface Outbox extends MessageReader {
  /** To be called inside a transaction; an edit that changes nothing gives the message that is shown already. */
  append(messages: readonly NewMessage[]): readonly Message[];
}

const columns = messageColumns('outbox');
/** Of one interaction; who asked for it more often than that finds out by pressing. */
const maxAsking = 200;

export function outbox(db: Database, deliveries: DeliveryWriter): Outbox {
  const insert = db.prepare(
    'INSERT INTO outbox (thread, run, interaction, card, edits, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const one = db.prepare<[number], MessageRow>(`SELECT ${columns} FROM outbox WHERE n = ?`);
  const after = db.prepare<[string, number, number], MessageRow>(
    `SELECT ${columns} FROM outbox WHERE thread = ? AND n > ? ORDER BY n LIMIT ?`,
  );
  const ofCard = db.prepare<[string, string], MessageRow>(
    `SELECT ${columns} FROM outbox WHERE thread = ? AND card = ? ORDER BY n DESC LIMIT 1`,
  );
  const ofInteraction = db.prepare<[string, number], MessageRow>(
    `SELECT ${columns} FROM outbox INDEXED BY outbox_of_interaction WHERE interaction = ? ORDER BY n DESC LIMIT ?`,
  );

  /** A message that is no card is one under its own id, so that it can be edited. */
  function shownAs(thread: string, card: string): MessageRow | undefined {
    const n = numberOf(card);
    const own = n === null ? undefined : one.get(n);
    return ofCard.get(thread, card) ?? (own?.thread === thread && own.card === null ? own : undefined);
  }

  function add(message: NewMessage): Message {
    const { thread, run, interaction, card, at, view } = message;
    const body = JSON.stringify(view);
    const shown = card === null ? undefined : shownAs(thread, card);
    if (shown?.body === body && shown.interaction === interaction && shown.run === run) return messageOf(shown);
    const edits = shown === undefined ? null : (shown.edits ?? `m${shown.n}`);
    const { lastInsertRowid } = insert.run(thread, run, interaction, card, edits, at, body);
    const added = { ...message, id: `m${lastInsertRowid}`, edits };
    deliveries.add(added);
    return added;
  }

  return {
    append: (messages) => messages.map(add),
    message(id) {
      const n = numberOf(id);
      const row = n === null ? undefined : one.get(n);
      return row === undefined ? null : messageOf(row);
    },
    messages: (thread, afterId, limit) =>
      after.all(thread, (afterId === null ? null : numberOf(afterId)) ?? 0, limit).map(messageOf),
    cardMessage(thread, card) {
      const row = shownAs(thread, card);
      return row === undefined ? null : messageOf(row);
    },
    asking(interaction) {
      const newest = new Map<string, Message>();
      for (const message of ofInteraction.all(interaction, maxAsking).map(messageOf)) {
        const root = message.edits ?? message.id;
        if (!newest.has(root)) newest.set(root, message);
      }
      return [...newest.values()].filter(({ view }) => view.buttons.length > 0);
    },
  };
}

/** Ids come back from chats, so that any text may stand here. */
function numberOf(id: string): number | null {
  return /^m\d{1,15}$/.test(id) ? Number(id.slice(1)) : null;
}
