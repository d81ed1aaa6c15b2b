// Reads `KEY: value` blocks, stories and the closing summary; judges nothing.
import type { Output } from './envelope.js';
import { normaliseStatus } from './status-words.js';

/** These start a value even if the node does not declare them. */
const alwaysUnderstood: readonly string[] = [
  'STATUS',
  'DECISION',
  'STORIES_JSON',
  'SUMMARY',
  'REVIEW_DIGEST',
  'QUESTIONS',
  'NEXT_STORY',
];

const singleLineKeys: readonly string[] = ['STATUS', 'DECISION'];
const keyPattern = /^[A-Z][A-Z0-9_]{0,63}$/;
const maxKeys = 200;
const tailChars = 2048;

interface Block {
  readonly key: string;
  readonly lines: string[];
}

/** `declaredKeys`: only these and `alwaysUnderstood`. */
export function parseOutput(text: string, declaredKeys: readonly string[] | null): Output {
  const startsValue = keyFilter(declaredKeys);
  const blocks: Block[] = [];
  let open: Block | null = null;
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const quoted = fencedLines(lines);
  for (const [index, line] of lines.entries()) {
    const key = quoted.has(index) ? null : keyOf(line);
    const isStart = key !== null && startsValue(key);
    if (isStart) {
      open = { key, lines: [line.slice(key.length + 1)] };
      blocks.push(open);
    } else if (!quoted.has(index) && isSummaryHeading(line)) {
      open = { key: 'SUMMARY', lines: [line.slice(line.includes(':') ? line.indexOf(':') + 1 : line.length)] };
      blocks.push(open);
    } else if (key !== null && open?.key === 'STORIES_JSON') {
      // No line of JSON starts with a bare upper-case word, so the stories have ended.
      open = null;
    } else {
      open?.lines.push(line);
    }
  }
  return assemble(text, blocks);
}

/** Quoted keys report nothing. Ignores an unclosed fence. */
function fencedLines(lines: readonly string[]): ReadonlySet<number> {
  const fenced = new Set<number>();
  let from: { readonly index: number; readonly mark: string } | null = null;
  for (const [index, line] of lines.entries()) {
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (mark === '') continue;
    if (from === null) {
      from = { index, mark };
    } else if (mark.startsWith(from.mark) && info.trim() === '') {
      for (let inner = from.index + 1; inner < index; inner++) fenced.add(inner);
      from = null;
    }
  }
  return fenced;
}

function keyFilter(declaredKeys: readonly string[] | null): (key: string) => boolean {
  if (declaredKeys === null) return () => true;
  const known = new Set([...alwaysUnderstood, ...declaredKeys.map((key) => key.toUpperCase())]);
  return (key) => known.has(key);
}

/** Excludes `HTTPS://`, `C:\` and `STD::`. */
function keyOf(line: string): string | null {
  const colon = line.slice(0, 65).indexOf(':');
  if (colon < 1 || !keyPattern.test(line.slice(0, colon))) return null;
  const after = line.slice(colon + 1, colon + 3);
  return after === '//' || after.startsWith('\\') || after.startsWith(':') ? null : line.slice(0, colon);
}

function isSummaryHeading(line: string): boolean {
  return /^SUMMARY[ \t]*$/.test(line) || /^#{1,6}[ \t]{1,8}summary[ \t]{0,8}(?::|$)/i.test(line.trimEnd());
}

function assemble(text: string, blocks: readonly Block[]): Output {
  const keys: Record<string, string> = {};
  let stories: string | null = null;
  let summary: string | null = null;
  const statuses = new Map<string, string>();
  let room = maxKeys;
  for (const { key, lines } of blocks) {
    const value = lines.join('\n').trim();
    if (key === 'STORIES_JSON') {
      stories = withoutFence(value);
      continue;
    }
    if (key === 'SUMMARY' && value !== '') summary = value;
    if (!Object.hasOwn(keys, key) && room-- <= 0) continue;
    keys[key] = singleLineKeys.includes(key) ? firstLine(value) : value;
    if (key === 'STATUS') statuses.set(statusOf(firstLine(value)), firstLine(value));
  }
  const contradiction = statuses.size > 1 ? { statuses: [...statuses.values()] } : {};
  return {
    isEmpty: text.trim() === '',
    keys,
    stories,
    summary,
    tail: text.slice(-tailChars).trim(),
    ...contradiction,
  };
}

/** Synonyms such as `done` and `passed` do not contradict each other. */
function statusOf(word: string): string {
  return normaliseStatus(word) ?? word.toLowerCase();
}

function firstLine(value: string): string {
  const end = value.indexOf('\n');
  return end < 0 ? value : value.slice(0, end).trim();
}

function withoutFence(value: string): string {
  if (!value.startsWith('```')) return value;
  const begin = value.indexOf('\n');
  if (begin < 0) return value;
  const end = value.indexOf('\n```', begin);
  return value.slice(begin + 1, end < 0 ? value.length : end).trim();
}
