// Decides which rows may overtake one that waits for the disk, and which of the overtaken ones are withheld.

import type { InboxRow } from '../../store/index.js';
import type { News } from '../commands/plan-report.js';
import type { Grammar, Parsed } from '../grammar/index.js';

export interface ReadRow {
  readonly row: InboxRow;
  /** null: it is no text. */
  readonly parsed: Parsed | null;
}

/** Presses, stop commands and reads may overtake. */
export function mayPass({ row, parsed }: ReadRow, ahead: ReadRow, grammar: Grammar): boolean {
  if (row.body.type === 'press') return messageOf(row) !== messageOf(ahead.row);
  const effect = parsed && grammar.effectOf(parsed);
  if (effect !== 'stops' && effect !== 'reads') return false;
  // An unnamed project may depend on the `use` ahead.
  const isNamed = parsed?.project !== null || (row.body.type === 'text' && row.body.replyTo !== null);
  return isNamed || ahead.parsed === null || grammar.rowOf(ahead.parsed)?.project !== 'required';
}

/** Whether a later `stop` covers what this row would begin. */
export function isWithheldBy(stop: ReadRow, { row, parsed }: ReadRow, grammar: Grammar): boolean {
  if (stop.parsed === null || grammar.effectOf(stop.parsed) !== 'stops') return false;
  if (row.body.type === 'press') return true;
  if (parsed === null || grammar.effectOf(parsed) !== 'drives') return false;
  const names = [stop.parsed.project, parsed.project];
  return names.includes('all') || names.includes(null) || names[0] === names[1];
}

/** Replaces the row with a notice that it was not done. */
export function withheld(row: InboxRow): InboxRow {
  const said = row.body.type === 'text' ? `"${row.body.text.slice(0, 100)}"` : 'what you pressed before';
  const news = `Not done, because you said stop after it: ${said}. Send it again if you still want it.`;
  const args: News = { news, threads: [row.thread], card: null, rings: false };
  return { ...row, body: { type: 'command', name: 'told', args } };
}

/** Presses on one message keep their order, so that its buttons never race. */
function messageOf({ body }: InboxRow): string | null {
  return body.type === 'press' ? (body.press.split('.')[0] ?? null) : null;
}
