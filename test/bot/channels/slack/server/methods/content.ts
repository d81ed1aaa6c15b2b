// What a message may hold: its text and its blocks, refused as Slack refuses them.
import type { Request } from '../api.js';
import { isTooLong, problemsOf } from '../blocks.js';
import { isRecord, partOf, textOf } from '../params.js';
import { refuse, wrong } from '../refusal.js';
import type { Json } from '../world.js';

export interface Content {
  readonly text: string;
  /** null: none were given, which at an edit keeps those that are there. */
  readonly blocks: readonly Json[] | null;
  readonly metadata: Json | null;
}

const maxTextChars = 40_000;
const maxMarkdownChars = 12_000;

export function readContent({ params }: Request): Content {
  const text = textOf(params, 'text');
  const markdown = textOf(params, 'markdown_text');
  const blocks = readBlocks(partOf(params, 'blocks', 'invalid_blocks_format'));
  if (markdown !== '' && (text !== '' || blocks !== null)) throw refuse('markdown_text_conflict');
  if (text === '' && markdown === '' && (blocks ?? []).length === 0) throw refuse('no_text');
  if (text.length > maxTextChars || markdown.length > maxMarkdownChars) throw refuse('msg_too_long');
  const metadata = partOf(params, 'metadata', 'invalid_metadata_format');
  return { text: text === '' ? markdown : text, blocks, metadata: isRecord(metadata) ? metadata : null };
}

export function readBlocks(given: unknown): readonly Json[] | null {
  if (given === null) return null;
  if (!Array.isArray(given)) throw refuse('invalid_blocks_format');
  const problems = problemsOf(given, 'message').filter((one) => one !== 'msg_blocks_too_long');
  if (problems.length > 0) throw wrong('invalid_blocks', problems);
  if (isTooLong(given)) throw refuse('msg_blocks_too_long');
  // A block that has no name of its own is given one.
  return given.filter(isRecord).map((block, index) => ({ ...block, block_id: block['block_id'] ?? `auto${index}` }));
}
