// What people say and what Bosun must make of it. A row leaves out what is null.
import type { ProjectName, ReplyKind, Verb } from '../../../src/bot/grammar/index.js';
import { COMMANDS } from './corpus-commands.js';
import { EVERYDAY, OFFERED } from './corpus-everyday.js';
import { REPLIES } from './corpus-replies.js';
import { UNCLEAR } from './corpus-unclear.js';

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
export const NAMES: readonly ProjectName[] = [
  { name: 'shop', aliases: ['A'] },
  { name: 'api', aliases: ['backend'] },
  { name: 'blog-engine', aliases: ['B', 'blog'] },
];

const unclear = (text: string): Row => ({ text, verb: null });

export const CORPUS: readonly Row[] = [
  ...COMMANDS,
  ...EVERYDAY,
  ...UNCLEAR.map(unclear),
  ...OFFERED.map(([text]) => unclear(text)),
  ...REPLIES,
];

/** Whether the row must change nothing: unclear, or a reply that is no approval. */
export function mustNotAct(row: Row): boolean {
  return row.verb === null || (row.reply !== undefined && row.verb !== 'approve');
}
