// A row of the outbox and the message that it is.

import { parsed } from '../file/json-column.js';
import type { Message, View } from './message-types.js';

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
