// What people say and what Bosun must make of it. A row leaves out what is null.
import type { ProjectName, ReplyKind, Verb } from '../../../src/bot/grammar/index.js';
import { commands } from './corpus-commands.js';
import { everyday, offeredSentences } from './corpus-everyday.js';
import { replies } from './corpus-replies.js';
import { unclearRows } from './corpus-unclear.js';

export interface Row {
  readonly text: string;
  readonly reply?: ReplyKind;
  readonly names?: readonly ProjectName[];
  readonly verb: Verb | 'answer' | null;
  readonly project?: string;
  readonly target?: string;
  readonly note?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly workflow?: string;
}

/** The projects that are known where a row names no others. */
export const knownNames: readonly ProjectName[] = [
  { name: 'shop', aliases: ['A'] },
  { name: 'api', aliases: ['backend'] },
  { name: 'blog-engine', aliases: ['B', 'blog'] },
];

const unclear = (text: string): Row => ({ text, verb: null });

export const corpusRows: readonly Row[] = [
  ...commands,
  ...everyday,
  ...unclearRows.map(unclear),
  ...offeredSentences.map(([text]) => unclear(text)),
  ...replies,
];

/** Whether the row must change nothing: unclear, or a reply that is no approval. */
export function mustNotAct(row: Row): boolean {
  return row.verb === null || (row.reply !== undefined && row.verb !== 'approve');
}
