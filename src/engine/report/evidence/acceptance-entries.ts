// An acceptance report's entries: headings, list items or table rows.
import { indentOf, readPair } from './front-matter.js';

export interface ReportEntry {
  readonly kind: 'tests' | 'gaps';
  readonly form: 'heading' | 'item' | 'row';
  readonly text: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly group: string;
}

const maxLines = 50_000;
const maxLineChars = 2_000;
const maxEntries = 2_000;

/** Only sections about tests or gaps. */
export function cutEntries(body: string): readonly ReportEntry[] {
  const cutter = new Cutter();
  for (const line of withoutComments(body).split('\n').slice(0, maxLines)) {
    cutter.take(line.slice(0, maxLineChars));
  }
  return cutter.entries.slice(0, maxEntries);
}

export function plain(text: string): string {
  return text
    .replace(/[*`]/g, '')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2');
}

const fieldNames =
  /^(result|status|outcome|verdict|severity|priority|description|truth|title|name|text|reason|summary|expected|actual|reported|test|id|requirement_ref|root_cause|fix_direction|affected_files|artifacts|missing|debug_session)$/;

interface OpenEntry extends ReportEntry {
  readonly fields: Map<string, string>;
  readonly indent: number;
}

class Cutter {
  readonly entries: ReportEntry[] = [];
  #kind: ReportEntry['kind'] | null = null;
  #heading: OpenEntry | null = null;
  #open: OpenEntry | null = null;
  /** Deeper lines than an open field's are ignored. */
  #level = Number.POSITIVE_INFINITY;
  #columns: readonly string[] | null = null;

  take(line: string): void {
    const level = /^#{1,6}(?=\s)/.exec(line)?.[0].length;
    const isRow = line.trimStart().startsWith('|');
    if (!isRow) this.#columns = null;
    if (level !== undefined) this.#takeHeading(level, plain(line.slice(level)));
    else if (this.#kind !== null && isRow) this.#takeRow(this.#kind, cellsOf(line));
    else if (this.#kind !== null && line.trim() !== '') this.#takeLine(this.#kind, line);
  }

  #takeHeading(level: number, text: string): void {
    this.#open = null;
    this.#heading = null;
    if (level <= 2) this.#kind = level === 1 ? null : kindOf(text);
    else if (this.#kind !== null) this.#heading = this.#add(this.#kind, 'heading', text, -1);
  }

  #takeLine(kind: ReportEntry['kind'], line: string): void {
    const bullet = /^\s*([-*+]|\d{1,4}[.)])\s+(?=\S)/.exec(line)?.[0] ?? '';
    const text = plain(line.slice(bullet.length));
    const field = fieldOf(text);
    const indent = indentOf(line);
    const below = this.#open !== null && indent > this.#open.indent ? this.#open : null;
    if (below !== null) this.#level = Math.min(this.#level, indent);
    if (below !== null && indent > this.#level) return;
    if (below !== null && field !== null) addField(below, field);
    else if (bullet !== '' && below?.form !== 'item' && !this.#isWhole(kind)) {
      const item = this.#add(kind, 'item', field === null ? text : '', indent);
      if (field !== null) addField(item, field);
    }
  }

  /** A list below may describe the heading's entry. */
  #isWhole(kind: ReportEntry['kind']): boolean {
    if (this.#heading === null) return false;
    const { text, fields } = this.#heading;
    return kind === 'gaps' ? fields.has('severity') : isNumbered(text) || fields.has('result') || fields.has('status');
  }

  #takeRow(kind: ReportEntry['kind'], cells: readonly string[]): void {
    if (this.#columns === null) {
      this.#columns = cells.map((cell) => cell.toLowerCase());
    } else if (!cells.every((cell) => /^:?-+:?$/.test(cell))) {
      const columns = this.#columns;
      const fields = cells.map((cell, index) => [columns[index] ?? '', cell] as const);
      this.entries.push({ kind, form: 'row', text: cells.join(' '), fields: new Map(fields), group: '' });
    }
  }

  #add(kind: ReportEntry['kind'], form: ReportEntry['form'], text: string, indent: number): OpenEntry {
    const entry = { kind, form, text, fields: new Map<string, string>(), group: this.#heading?.text ?? '', indent };
    this.entries.push(entry);
    this.#open = entry;
    this.#level = Number.POSITIVE_INFINITY;
    return entry;
  }
}

/** `1. Login`, `T-001: Login` */
export function isNumbered(text: string): boolean {
  return /^\D?-?\d/.test(text);
}

/** The first value wins. */
function addField({ fields }: OpenEntry, [key, value]: readonly [string, string]): void {
  if (!fields.has(key)) fields.set(key, plain(value));
}

function fieldOf(text: string): readonly [string, string] | null {
  const pair = readPair(text);
  const key = pair === null ? '' : pair[0].toLowerCase();
  return pair !== null && fieldNames.test(key) ? [key, pair[1]] : null;
}

const aboutTests =
  /^(smoke|uat|acceptance|user|manual|business|regression|test|tests|result|results|case|cases|scenario|scenarios|check|checks)$/;

function kindOf(heading: string): ReportEntry['kind'] | null {
  const words = heading.toLowerCase().match(/[a-z]+/g) ?? [];
  if (words.some((word) => /^(no|resolved|fixed|closed)$/.test(word))) return null;
  if (words.some((word) => /^(gaps?|issues?|failures?|defects?|findings?)$/.test(word))) return 'gaps';
  return words.length > 0 && words.every((word) => aboutTests.test(word)) ? 'tests' : null;
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map(plain);
}

/** An unclosed comment extends to the end. */
function withoutComments(body: string): string {
  return body
    .split('<!--')
    .map((part, index) => (index === 0 ? part : part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : ''))
    .join('');
}
