import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from 'yaml';
import { BosunError } from '../../base/index.js';
import type { Problem } from '../../engine/index.js';

export type Path = readonly PropertyKey[];

export interface YamlText {
  readonly document: Document;
  /** Without empty keys; undefined: problems. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** A missing part has its parent's position. */
  problemAt(path: Path, part: 'key' | 'value', message: string): Problem;
}

const maxChars = 256 * 1024;
const maxAliases = 100;
const maxDepth = 32;
/** Far above `maxDepth`, because brackets in text count too. */
const maxOpen = 500;
/** Long runs of block indicators crash the parser, whose regular expressions grow with depth. */
const deepRun = /(?:[-?:][ \t]+){200}/;

export function parseYaml(file: string, text: string): YamlText {
  const refused = refusal(text);
  const lines = new LineCounter();
  const document = parse(refused === null ? text : '', lines);
  const problemAt = (offset: number, message: string): Problem => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col), message };
  };
  const found = [...document.errors, ...document.warnings].map((one) =>
    // A stack overflow has no position.
    one.message.includes('call stack') ? problemAt(0, tooDeep) : problemAt(one.pos[0], spoken(one.message)),
  );
  const problems = refused === null ? found : [problemAt(0, refused)];
  const read = problems.length === 0 ? meaningOf(document) : { value: undefined };
  if ('refused' in read) problems.push(problemAt(0, read.refused));
  return {
    document,
    value: 'value' in read ? read.value : undefined,
    problems,
    problemAt: (path, part, message) => problemAt(offsetOf(document, path, part), message),
  };
}

export function badConfig(problems: readonly Problem[], hint: string): BosunError {
  const [first] = problems;
  if (first === undefined) return new BosunError('bad_config', 'config.yaml is not usable', { hint });
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const { file, line, column, message } = first;
  return new BosunError('bad_config', `${file}:${line}:${column}: ${message}${more}`, { hint });
}

function refusal(text: string): string | null {
  if (text.length > maxChars) return `the file is larger than ${maxChars / 1024} KB`;
  return deepRun.test(text) || opensTooMuch(text) ? tooDeep : null;
}

/** Before parsing: the parser's depth differs between Node versions. */
function opensTooMuch(text: string): boolean {
  let open = 0;
  for (const char of text) {
    if (char === '[' || char === '{') open += 1;
    else if (char === ']' || char === '}') open = Math.max(0, open - 1);
    if (open > maxOpen) return true;
  }
  return false;
}

const tooDeep = `nested more than ${maxDepth} levels deep`;

function parse(text: string, lineCounter: LineCounter): Document {
  return parseDocument(text, { lineCounter, prettyErrors: false });
}

function meaningOf(document: Document): { readonly value: unknown } | { readonly refused: string } {
  try {
    return { value: withoutNothing(document.toJS({ maxAliasCount: maxAliases }) ?? {}, 0) };
  } catch (error) {
    // Cyclic or exploding aliases, or too deep.
    return { refused: error instanceof ReferenceError ? "the file's aliases (*) expand to too much text" : tooDeep };
  }
}

/** `chats:` with an empty value means no key. */
function withoutNothing(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) throw new RangeError(tooDeep);
  if (Array.isArray(value)) return value.map((one) => withoutNothing(one, depth + 1));
  const kept = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutNothing(one, depth + 1)]));
}

// The parser's quotes may contain a secret.
function spoken(message: string): string {
  const bare = message.replace(/:\s.*$/s, '').replaceAll(/"[^"]*"/g, '…');
  return `${bare.charAt(0).toLowerCase()}${bare.slice(1)}`;
}

function offsetOf(document: Document, path: Path, part: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node) ? pairOf(node.items, step) : null;
    const next = isSeq(node) ? node.items[Number(step)] : pair?.value;
    const isLast = index === path.length - 1;
    offset = startOf(pair !== null && ((isLast && part === 'key') || isMap(next)) ? pair.key : next) ?? offset;
    node = next;
  }
  return offset;
}

function pairOf(pairs: readonly Pair[], step: PropertyKey): Pair | null {
  return pairs.find(({ key }) => isScalar(key) && String(key.value) === String(step)) ?? null;
}

function startOf(node: unknown): number | null {
  if (!isScalar(node) && !isMap(node) && !isSeq(node) && !isAlias(node)) return null;
  return node.range?.[0] ?? null;
}
