// Each reader returns the value, or records a problem and returns undefined.
import { type Expression, parseExpression } from '../expressions/expression.js';
import type { Problem, SourcePosition } from '../source/problem.js';
import { SourcePositions } from '../source/problem.js';
import { type Tree, type TreeEntry, withoutContent } from '../source/tree.js';
import { didYouMean } from '../vocabulary/nearest.js';
import { desugar, oldKeys, snakeCase } from '../vocabulary/old-spellings.js';
import { whyIneffective, whyNotKey, whyNotWord } from '../vocabulary/unsupported-words.js';
import { type Shape, vocabulary } from '../vocabulary/vocabulary.js';

export interface ReadState {
  readonly file: string;
  readonly problems: Problem[];
  readonly warnings: Problem[];
  readonly places: SourcePositions;
}

export type Read<T> = (reading: ReadState, value: Tree, path: Path) => T | undefined;

/** `['impl', 'on_fail', 'default']`. */
export type Path = readonly string[];

export function newReading(file: string): ReadState {
  return { file, problems: [], warnings: [], places: new SourcePositions({ file, line: 1, column: 1 }) };
}

export function complain(reading: ReadState, at: SourcePosition, message: string): undefined {
  reading.problems.push({ file: at.file, line: at.line, column: at.column, message: withoutContent(message) });
  return undefined;
}

export function warn(reading: ReadState, at: SourcePosition, message: string): void {
  reading.warnings.push({ file: at.file, line: at.line, column: at.column, message: withoutContent(message) });
}

function warnOnce(reading: ReadState, at: SourcePosition, message: string): void {
  if (!reading.warnings.some((one) => one.message === message)) warn(reading, at, message);
}

/** By current names; others are problems. */
export function fields(reading: ReadState, tree: Tree, shape: Shape, path: Path): ReadonlyMap<string, TreeEntry> {
  const found = new Map<string, TreeEntry>();
  if (tree.type !== 'map') {
    complain(reading, tree.at, `${named(path)} must be a map of keys, not ${kindOf(tree)}`);
    return found;
  }
  const known: readonly string[] = vocabulary[shape];
  for (const entry of merged(reading, desugar(shape, tree))) {
    const ineffective = whyIneffective(shape, snakeCase(entry.key));
    if (known.includes(entry.key)) found.set(entry.key, entry);
    else if (ineffective !== null)
      warnOnce(reading, entry.at, `"${entry.was ?? entry.key}" has no effect: ${ineffective}`);
    else complain(reading, entry.at, unknownKey(shape, entry, path));
    reading.places.set([...path, entry.key], entry.value.at);
  }
  return found;
}

function unknownKey(shape: Shape, entry: TreeEntry, path: Path): string {
  const word = entry.was ?? entry.key;
  const why = whyNotKey(shape, entry.key, word);
  if (why !== null) return why;
  const where = path.length === 0 ? '' : ` in ${named(path)}`;
  return `unknown key "${word}"${where}${didYouMean(word, [...vocabulary[shape], ...oldKeys(shape)])}`;
}

/** Two spellings of one key, if both are maps. */
function merged(reading: ReadState, entries: readonly TreeEntry[]): TreeEntry[] {
  const byKey = new Map<string, TreeEntry>();
  for (const entry of entries) {
    const first = byKey.get(entry.key);
    if (!first) byKey.set(entry.key, entry);
    else if (first.value.type === 'map' && entry.value.type === 'map') {
      const both = merged(reading, [...first.value.entries, ...entry.value.entries]);
      byKey.set(entry.key, { ...first, value: { ...first.value, entries: both } });
    } else {
      complain(reading, entry.at, `"${entry.key}" is given twice: as "${spelt(first)}" and as "${spelt(entry)}"`);
    }
  }
  return [...byKey.values()];
}

function spelt(entry: TreeEntry): string {
  return entry.was ?? entry.key;
}

export const text: Read<string> = (reading, value, path) => {
  if (value.type === 'scalar' && value.value !== null) {
    for (const one of value.placeholders) reading.places.set([...path, `{{${one.name}}}`], one.at);
    return value.text;
  }
  return complain(reading, value.at, `${named(path)} must be text, not ${kindOf(value)}`);
};

/** Null is ''. */
export const textOrEmpty: Read<string> = (reading, value, path) => (isNothing(value) ? '' : text(reading, value, path));

export const flag: Read<boolean> = (reading, value, path) => {
  if (value.type === 'scalar' && typeof value.value === 'boolean') return value.value;
  return complain(reading, value.at, `${named(path)} must be true or false, not ${kindOf(value)}`);
};

export function count(least: number, most: number): Read<number> {
  return (reading, value, path) => {
    if (value.type === 'scalar' && typeof value.value === 'number' && Number.isInteger(value.value)) {
      if (value.value >= least && value.value <= most) return value.value;
    }
    return complain(
      reading,
      value.at,
      `${named(path)} must be a whole number from ${least} to ${most}, not ${kindOf(value)}`,
    );
  };
}

export function word<T extends string>(words: readonly T[]): Read<T> {
  return (reading, value, path) => {
    const said = value.type === 'scalar' ? value.text.trim().toLowerCase() : kindOf(value);
    const found = words.find((one) => one === said);
    if (found !== undefined) return found;
    const key = String(path.at(-1));
    const why = whyNotWord(key, said);
    if (why !== null) return complain(reading, value.at, why);
    const hint = didYouMean(said, words);
    return complain(reading, value.at, `${named(path)} must be ${words.join(', ')}, not ${kindOf(value)}${hint}`);
  };
}

export const expression: Read<Expression> = (reading, value, path) => {
  const written = text(reading, value, path);
  if (written === undefined) return undefined;
  const parsed = parseExpression(written);
  if (parsed.ok) return parsed.expression;
  return complain(reading, value.at, `${named(path)} cannot be understood: ${parsed.error}`);
};

/** A single value is a list of one. */
export function listOf<T>(read: Read<T>) {
  return (reading: ReadState, value: Tree, path: Path): readonly T[] => {
    if (isNothing(value)) return [];
    const items = value.type === 'list' ? value.items : [value];
    return items.flatMap((item) => {
      const one = read(reading, item, path);
      if (one === undefined) return [];
      const itemPath = [...path, String(one)];
      // A lone placeholder has a position of its own.
      if (!reading.places.has(itemPath)) reading.places.set(itemPath, item.at);
      return [one];
    });
  };
}

export const words: Read<string> = (reading, value, path) =>
  value.type === 'list' ? listOf(text)(reading, value, path).join(' ') : text(reading, value, path);

/** The keys are the author's. */
export function mapOf<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
  return (reading, value, path) => {
    if (isNothing(value)) return {};
    if (value.type !== 'map') {
      return complain(reading, value.at, `${named(path)} must be a map of keys, not ${kindOf(value)}`);
    }
    const pairs = value.entries.flatMap((entry): [string, T][] => {
      reading.places.set([...path, entry.key], entry.at);
      const one = read(reading, entry.value, [...path, entry.key]);
      return one === undefined ? [] : [[entry.key, one]];
    });
    return Object.fromEntries(pairs);
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const maxDurationMs = 7 * 24 * 3_600_000;

/** `30m`, `90s`, `1h`; a plain number is seconds. */
export const durationMs: Read<number> = (reading, value, path) => {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h)?$/.exec(value.type === 'scalar' ? value.text.trim() : '');
  const ms = match ? Math.round(Number(match[1]) * Number(units[match[2] ?? 's'])) : 0;
  if (ms >= 1 && ms <= maxDurationMs) return ms;
  return complain(reading, value.at, `${named(path)} must be a time such as 30m, 90s or 1h, not ${kindOf(value)}`);
};

export function isNothing(value: Tree): boolean {
  return value.type === 'scalar' && value.value === null;
}

export function isTrue(value: Tree): boolean {
  return value.type === 'scalar' && value.value === true;
}

export function entryOf(tree: Tree, key: string): TreeEntry | undefined {
  return tree.type === 'map' ? tree.entries.find((one) => one.key === key) : undefined;
}

export function named(path: Path): string {
  if (path.length === 0) return 'the file';
  const key = `"${path.at(-1)}"`;
  const owner = path.length > 2 && sections.has(String(path[0])) ? path[1] : path[0];
  return path.length === 1 ? key : `${key} of "${owner}"`;
}

/** The author names the things in these sections. */
const sections = new Set(['roles', 'inputs', 'fragments']);

export function take<T>(
  reading: ReadState,
  found: ReadonlyMap<string, TreeEntry>,
  key: string,
  read: Read<T>,
  path: Path,
): T | undefined {
  const entry = found.get(key);
  return entry && read(reading, entry.value, [...path, key]);
}

/** Security: never the content, because naming a file must not reveal it. */
function kindOf(value: Tree): string {
  if (value.type === 'map') return 'a map';
  if (value.type === 'list') return 'a list';
  if (typeof value.value === 'string') return 'a text';
  if (typeof value.value === 'number') return 'a number';
  return value.value === null ? 'nothing' : 'true or false';
}
