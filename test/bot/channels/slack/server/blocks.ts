// Block Kit's limits, for a server that refuses as Slack does and for tests of what is drawn.
import { block } from './kit/kinds.js';
import {
  anything,
  flag,
  isJson,
  type Look,
  list,
  problem,
  type Rule,
  type Surface,
  shape,
  text,
  word,
} from './kit/rule.js';
import { plain } from './kit/text.js';

export type { Surface } from './kit/rule.js';

const maxBlocks: Readonly<Record<Surface, number>> = { message: 50, modal: 100, home: 100 };
const maxMarkdownChars = 12_000;
const maxTableChars = 10_000;
const maxViewBytes = 250_000;
/** Undocumented, and counted by Slack with what holds the text: of what was seen refused, the smallest. */
const maxMessageChars = 13_000;

/** None: Slack takes them. Each as Slack words it, with the place. */
export function problemsOf(blocks: unknown, surface: Surface): string[] {
  const look: Look = { surface, problems: [], blockIds: new Set(), actionIds: new Set() };
  list(maxBlocks[surface], block, 0)(blocks, '/blocks', look);
  if (!Array.isArray(blocks)) return look.problems;
  limitTogether(blocks, look);
  if (surface === 'message' && isTooLong(blocks)) look.problems.push('msg_blocks_too_long');
  return look.problems;
}

/** Refused by a word of its own, other than what is wrong within a block. */
export function isTooLong(blocks: readonly unknown[]): boolean {
  return JSON.stringify(blocks).length > maxMessageChars;
}

/** A whole view of a modal or a home tab, as views.open and views.publish take it. */
export function problemsOfView(view: unknown): string[] {
  if (!isJson(view)) return ['must be an object [json-pointer:/view]'];
  const surface = view['type'] === 'home' ? 'home' : 'modal';
  const problems = problemsOf(view['blocks'], surface);
  const look: Look = { surface, problems, blockIds: new Set(), actionIds: new Set() };
  (surface === 'home' ? homeShape : modalShape)(view, '/view', look);
  const hasInput =
    Array.isArray(view['blocks']) && view['blocks'].some((one) => isJson(one) && one['type'] === 'input');
  if (surface === 'modal' && hasInput && view['submit'] === undefined) {
    problem(look, '/view', 'missing required field: submit');
  }
  if (Buffer.byteLength(JSON.stringify(view)) > maxViewBytes) problems.push('view_too_large');
  return problems;
}

const ofViews: Readonly<Record<string, Rule>> = {
  blocks: anything,
  'private_metadata?': text(3000, 0),
  'callback_id?': text(255, 0),
  'external_id?': text(255, 0),
};

const homeShape = shape({ type: word('home'), ...ofViews });
const modalShape = shape({
  type: word('modal'),
  ...ofViews,
  title: plain(24),
  'submit?': plain(24),
  'close?': plain(24),
  'clear_on_close?': flag,
  'notify_on_close?': flag,
  'submit_disabled?': flag,
});

function limitTogether(blocks: readonly unknown[], look: Look): void {
  const ofType = (type: string) => blocks.filter((one) => isJson(one) && one['type'] === type);
  const markdownChars = ofType('markdown').reduce<number>((sum, one) => sum + textCharsOf(one), 0);
  if (markdownChars > maxMarkdownChars)
    problem(look, '/blocks', `must be less than ${maxMarkdownChars + 1} characters`);
  const tables = ofType('table');
  if (tables.length > 1) problem(look, '/blocks', 'only_one_table_allowed');
  if (JSON.stringify(tables).length > maxTableChars) problem(look, '/blocks', 'table_too_long');
}

function textCharsOf(block: unknown): number {
  return isJson(block) && typeof block['text'] === 'string' ? block['text'].length : 0;
}
