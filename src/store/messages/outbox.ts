import type { Database } from 'better-sqlite3';
import { parsed } from '../file/json-column.js';
import type { DeliveryWriter } from './deliveries.js';
import type { Message, NewMessage, View } from './message-types.js';

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
  recent(thread: string, limit: number): readonly Message[];
  cardMessage(thread: string, card: string): Message | null;
  /** The card and its repetitions that still have buttons. */
  asking(interaction: string): readonly Message[];
}

export interface Outbox extends MessageReader {
  /** An edit that changes nothing returns the message already shown. */
  append(messages: readonly NewMessage[]): readonly Message[];
}

const columns = messageColumns('outbox');
const maxAsking = 200;

export function outbox(db: Database, deliveries: DeliveryWriter): Outbox {
  const insert = db.prepare(
    'INSERT INTO outbox (thread, run, interaction, card, edits, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const one = db.prepare<[number], MessageRow>(`SELECT ${columns} FROM outbox WHERE n = ?`);
  const after = db.prepare<[string, number, number], MessageRow>(
    `SELECT ${columns} FROM outbox WHERE thread = ? AND n > ? ORDER BY n LIMIT ?`,
  );
  const newest = db.prepare<[string, number], MessageRow>(
    `SELECT ${columns} FROM outbox WHERE thread = ? ORDER BY n DESC LIMIT ?`,
  );
  const ofCard = db.prepare<[string, string], MessageRow>(
    `SELECT ${columns} FROM outbox WHERE thread = ? AND card = ? ORDER BY n DESC LIMIT 1`,
  );
  const ofInteraction = db.prepare<[string, number], MessageRow>(
    `SELECT ${columns} FROM outbox INDEXED BY outbox_of_interaction WHERE interaction = ? ORDER BY n DESC LIMIT ?`,
  );

  /** Without a card the message counts under its own id. */
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
    recent: (thread, limit) => newest.all(thread, limit).map(messageOf),
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
      const isPrompt = ({ card, view }: Message) => card?.startsWith('text:') === true && view.isSpent !== true;
      return [...newest.values()].filter((one) => one.view.buttons.length > 0 || isPrompt(one));
    },
  };
}

/** The id comes from a chat and may be any text. */
function numberOf(id: string): number | null {
  return /^m\d{1,15}$/.test(id) ? Number(id.slice(1)) : null;
}
