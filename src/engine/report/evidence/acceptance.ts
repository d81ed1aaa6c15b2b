// uat.md: tests with results, gaps with severities.

import { severityOf } from '../../text/severity.js';
import { normaliseStatus } from '../status-words.js';
import { cutEntries, isNumbered, plain, type ReportEntry } from './acceptance-entries.js';

export interface TestResult {
  readonly name: string;
  /** pass, fail or skip; any other word is no pass. */
  readonly result: string;
}

export interface Gap {
  readonly description: string;
  /** low, medium, high or critical. */
  readonly severity: string | null;
}

interface Acceptance {
  readonly results: readonly TestResult[];
  readonly gaps: readonly Gap[];
}

type Fields = ReadonlyMap<string, string>;

export function readAcceptance(body: string): Acceptance {
  const entries = cutEntries(body);
  return {
    results: entries.filter((entry) => entry.kind === 'tests').flatMap((entry) => readTest(entry)),
    gaps: entries.filter((entry) => entry.kind === 'gaps').flatMap((entry) => readListedGap(entry)),
  };
}

export function readResult(fields: Fields, text: string): TestResult | null {
  const word = firstOf(fields, ['result', 'status', 'outcome', 'verdict']);
  const name = firstOf(fields, ['name', 'title', 'test', 'scenario', 'description', 'id']) ?? text;
  return word === null ? null : { name: withoutNumber(name), result: normaliseResult(word) };
}

/** Null: resolved. */
export function readGap(fields: Fields, text: string): Gap | null {
  if (/^(resolved|fixed|closed)$/i.test(fields.get('status') ?? '')) return null;
  const severity = firstOf(fields, ['severity', 'priority']);
  const named = firstOf(fields, ['description', 'truth', 'title', 'gap', 'issue', 'summary', 'name', 'text', 'reason']);
  return { description: named ?? text, severity: severity === null ? null : normaliseSeverity(severity) };
}

export function normaliseResult(word: string): string {
  const text = word
    .trim()
    .toLowerCase()
    .replace(/^\[\s*(.*?)\s*\]$/, '$1')
    .replace(/[.!]$/, '');
  const known = resultWords.find(([words]) => words.test(text))?.[1] ?? text;
  const status = normaliseStatus(text);
  return status === 'pass' ? 'pass' : status === 'failing' ? 'fail' : known;
}

/** An unknown word is high: it must not look harmless. */
export function normaliseSeverity(word: string): string {
  return severityOf(plain(word)) ?? 'high';
}

const resultWords: readonly (readonly [words: RegExp, result: string])[] = [
  [/^(x|true|✅|✓|✔|✔️)$/, 'pass'],
  [/^(false|issue|issues|broken|❌|✗|✘)$/, 'fail'],
  [/^(skip|skipped|n\/a|not applicable)$/, 'skip'],
  [/^$/, 'pending'],
];

function readTest(entry: ReportEntry): readonly TestResult[] {
  const result = readResult(entry.fields, entry.text) ?? readMarked(entry);
  return result === null ? [] : [result];
}

/** `Login: pass`, `[x] Login`, `✅ Login`, `Login (pass)`. Without a result the test has not run. */
function readMarked({ form, text }: ReportEntry): TestResult | null {
  const lead = /^(?:\[[^\]]{0,20}\]|[✅✓✔❌✗✘])/u.exec(text)?.[0];
  if (lead !== undefined) return { name: withoutNumber(text.slice(lead.length)), result: normaliseResult(lead) };
  const count = /^(\p{L}+)\s*:\s*(\d{1,9})$/u.exec(text);
  if (count !== null) return readCount(text, normaliseResult(text.replace(/\W.*$/, '')));
  const marks = Array.from(text.matchAll(/\s*(?::|=>|→|—|–|\s-)\s+|\s+(?=\()|\s+(?=[✅✓✔❌✗✘])/gu), (found) => ({
    name: text.slice(0, found.index),
    result: firstWord(text.slice(found.index + found[0].length)),
  }));
  const known = marks.filter(({ result }) => /^(pass|fail|skip)$/.test(result));
  const mark =
    known.find(({ result }) => result === 'fail') ?? known[0] ?? (form === 'item' ? marks.at(-1) : undefined);
  if (mark !== undefined) return { name: withoutNumber(mark.name), result: mark.result };
  const isListed = form === 'item' || (form === 'heading' && isNumbered(text));
  return isListed ? { name: withoutNumber(text), result: 'pending' } : null;
}

/** `Failed: 2` is an entry, harmless counts are none. */
function readCount(text: string, counted: string): TestResult | null {
  const isHarmless = / 0$|:0$/.test(text) || counted === 'pass' || /^(total|tests?|executed|run)\b/i.test(text);
  return isHarmless ? null : { name: text, result: counted };
}

function firstWord(text: string): string {
  return normaliseResult(/^\(?([\p{L}\d_/-]+|[✅✓✔❌✗✘])/u.exec(text)?.[1] ?? '');
}

/** A heading without severity is a group, and may set one for its entries. */
function readListedGap({ form, text, fields, group }: ReportEntry): readonly Gap[] {
  if (/^\[?(none|n\/a|nothing|no (open |known |remaining )?(gaps|issues|failures|findings)|-)\b/i.test(text)) return [];
  const lead = /^\[([\w ]{1,20})\]\s*|^(\w{1,10}):\s+/.exec(text);
  const tail = /[\s,;—–-]*[([]?severity:\s*(\w{1,20})[)\]]?$|\s*\((\w{1,20})\)$/i.exec(text);
  const leading = knownSeverity(lead?.[1] ?? lead?.[2]);
  const trailing = tail?.[1] ?? knownSeverity(tail?.[2]);
  const own = leading ?? trailing ?? knownSeverity(/^(\w+)( severity| priority)?$/i.exec(group)?.[1]);
  const bare =
    leading !== undefined ? text.slice(lead?.[0].length) : trailing !== undefined ? text.slice(0, tail?.index) : text;
  const gap = readGap(
    own === undefined || fields.has('severity') ? fields : new Map([...fields, ['severity', own]]),
    bare,
  );
  const isGroup = form === 'heading' && gap?.severity == null;
  return gap === null || isGroup || (form === 'row' && fields.size === 0) ? [] : [gap];
}

function knownSeverity(word: string | undefined): string | undefined {
  const text = (word ?? '').toLowerCase();
  return text !== 'none' && severityOf(text) !== null ? text : undefined;
}

function firstOf(fields: Fields, keys: readonly string[]): string | null {
  return keys.map((key) => fields.get(key)).find((value) => value !== undefined && value !== '') ?? null;
}

function withoutNumber(name: string): string {
  return name.trim().replace(/^(?:\d{1,4}[.):]|T-?\d{1,4}[.):]?)\s+/i, '');
}
