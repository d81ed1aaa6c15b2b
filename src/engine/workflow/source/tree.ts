// YAML as maps, lists and scalars with positions, within limits.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { Problem, SourcePosition } from './problem.js';

export type Tree = MapTree | ListTree | ScalarTree;

export interface MapTree {
  readonly type: 'map';
  readonly at: SourcePosition;
  readonly entries: readonly TreeEntry[];
}

export interface TreeEntry {
  readonly key: string;
  readonly was?: string;
  readonly at: SourcePosition;
  readonly value: Tree;
}

export interface ListTree {
  readonly type: 'list';
  readonly at: SourcePosition;
  readonly items: readonly Tree[];
}

export interface ScalarTree {
  readonly type: 'scalar';
  readonly at: SourcePosition;
  readonly value: string | number | boolean | null;
  /** As written: `1.0` stays. */
  readonly text: string;
  readonly placeholders: readonly Placeholder[];
}

interface Placeholder {
  readonly name: string;
  readonly at: SourcePosition;
}

const maxLength = 256 * 1024;
const maxDepth = 32;
const maxValues = 20_000;
const maxAliases = 100;
/** Security: crashes the YAML parser, whose regular expressions grow with depth. */
const deepRun = /(?:[-?:][ \t]+){200}/;

/** Takes a condition by its tested name. */
const placeholder = /\{\{\s*(?:#if\s+)?(?!else\s*\}\})([A-Za-z_][\w.-]*)\s*\}\}/g;

/** Null: empty or faulty. */
export function parseTree(file: string, text: string): { tree: Tree | null; problems: Problem[] } {
  const start: SourcePosition = { file, line: 1, column: 1 };
  const refused = refusal(text);
  if (refused !== null) return { tree: null, problems: [{ ...start, message: refused }] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const positionOf = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const found = [...document.errors, ...document.warnings];
  const problems: Problem[] = found.map((error) => ({ ...positionOf(error.pos[0]), message: syntaxProblem(error) }));
  if (problems.length > 0 || document.contents === null) return { tree: null, problems };
  const growing: Growing = { text, document, positionOf, problems, values: 0, aliases: 0 };
  const tree = grow(growing, document.contents, start, 0);
  return { tree: problems.length > 0 ? null : tree, problems };
}

export function placeholdersIn(file: string, text: string): Placeholder[] {
  return [...text.matchAll(placeholder)].map((match) => {
    const before = text.slice(0, match.index).split('\n');
    const at = { file, line: before.length, column: String(before.at(-1)).length + 1 };
    return { name: String(match[1]), at };
  });
}

interface Growing {
  readonly text: string;
  readonly document: Document;
  readonly positionOf: (offset: number) => SourcePosition;
  readonly problems: Problem[];
  values: number;
  aliases: number;
}

function refusal(text: string): string | null {
  if (text.length > maxLength) return `the file is larger than ${maxLength / 1024} KB`;
  return deepRun.test(text) ? tooDeep : null;
}

const tooDeep = `nested more than ${maxDepth} levels deep`;

function grow(growing: Growing, node: unknown, around: SourcePosition, depth: number): Tree {
  growing.values += 1;
  if (depth > maxDepth) return refuse(growing, around, tooDeep);
  if (growing.values > maxValues) return refuse(growing, around, `more than ${maxValues} values`);
  if (isAlias(node)) return follow(growing, node, startOf(growing, node.range), depth);
  if (isMap(node)) {
    const at = startOf(growing, node.range);
    return { type: 'map', at, entries: growEntries(growing, node.items, at, depth) };
  }
  if (isSeq(node)) {
    const at = startOf(growing, node.range);
    return { type: 'list', at, items: node.items.map((item) => grow(growing, item, at, depth + 1)) };
  }
  return isScalar(node) ? growScalar(growing, node) : nothing(around);
}

function growEntries(growing: Growing, pairs: readonly Pair[], around: SourcePosition, depth: number): TreeEntry[] {
  const seen = new Set<string>();
  return pairs.flatMap((pair) => {
    if (!isScalar(pair.key)) {
      refuse(growing, around, 'a key must be a plain word');
      return [];
    }
    const key = String(pair.key.value);
    const at = startOf(growing, pair.key.range);
    if (seen.has(key)) refuse(growing, at, `the key "${key}" is given twice`);
    seen.add(key);
    return [{ key, at, value: grow(growing, pair.value, at, depth + 1) }];
  });
}

/** Aliases expand, so maxValues bounds them. */
function follow(
  growing: Growing,
  alias: { source: string; resolve(document: Document): unknown },
  at: SourcePosition,
  depth: number,
) {
  growing.aliases += 1;
  if (growing.aliases > maxAliases) return refuse(growing, at, `more than ${maxAliases} aliases`);
  const target = alias.resolve(growing.document);
  if (target === undefined) return refuse(growing, at, `the alias "*${alias.source}" has no anchor before it`);
  return grow(growing, target, at, depth + 1);
}

function growScalar(growing: Growing, node: { value: unknown; source?: string; range?: Range | null }): ScalarTree {
  const at = startOf(growing, node.range);
  const value = plain(node.value);
  const text = typeof value === 'string' ? value : String(node.source);
  if (!text.includes('{{')) return { type: 'scalar', at, value, text, placeholders: [] };
  const [from, to] = node.range as Range;
  const written = [...growing.text.slice(from, to).matchAll(placeholder)];
  const placeholders = written.map((match) => ({ name: String(match[1]), at: growing.positionOf(from + match.index) }));
  return { type: 'scalar', at, value, text, placeholders };
}

type Range = [number, number, number];

function startOf(growing: Growing, range: Range | null | undefined): SourcePosition {
  return growing.positionOf((range as Range)[0]);
}

function plain(value: unknown): ScalarTree['value'] {
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : String(value);
}

function nothing(at: SourcePosition): ScalarTree {
  return { type: 'scalar', at, value: null, text: '', placeholders: [] };
}

function refuse(growing: Growing, at: SourcePosition, message: string): ScalarTree {
  // Reports each limit once.
  const redacted = withoutContent(message);
  if (!growing.problems.some((one) => one.message === redacted)) growing.problems.push({ ...at, message: redacted });
  return nothing(at);
}

/** These messages quote content: report the code instead. */
const quoting = /^(?:UNEXPECTED_TOKEN|TAG_RESOLVE_FAILED|BAD_[A-Z_]+)$/;

function syntaxProblem({ code, message }: YAMLError): string {
  if (quoting.test(code)) return `invalid YAML: ${code.toLowerCase().replaceAll('_', ' ')}`;
  return withoutContent(message.charAt(0).toLowerCase() + message.slice(1));
}

/** Names stay; quotes that may be a secret are hidden. */
export function withoutContent(message: string): string {
  return message.replaceAll(/"([^"\n]*)"/g, (quoted, word: string) => (isName(word) ? quoted : 'a text'));
}

const maxNameChars = 60;

function isName(word: string): boolean {
  return word.length <= maxNameChars && !/[\w+/=.-]{20,}/.test(word.replaceAll(/[a-z]+[-_. /]|[A-Z][a-z]+/g, ''));
}
