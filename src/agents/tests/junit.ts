// Tolerant: reads only `testcase` elements.
import type { TestCounts } from '../../engine/index.js';

const maxTagChars = 20_000;

interface Tag {
  readonly name: string;
  readonly attributes: string;
  readonly kind: 'open' | 'close' | 'empty';
}

export function readJunit(text: string): TestCounts | null {
  if (!text.includes('<testsuite')) return null;
  let pass = 0;
  let skip = 0;
  let isReport = false;
  const failing: string[] = [];
  let open: { readonly name: string; verdict: 'pass' | 'fail' | 'skip' } | null = null;
  for (const tag of tags(text)) {
    isReport ||= tag.name === 'testsuite' || tag.name === 'testsuites';
    if (tag.name === 'testcase' && tag.kind !== 'close') open = { name: caseName(tag.attributes), verdict: 'pass' };
    if (open !== null && tag.kind !== 'close') open.verdict = verdictOf(tag.name, open.verdict);
    if (open === null || tag.name !== 'testcase' || tag.kind === 'open') continue;
    if (open.verdict === 'fail') failing.push(open.name);
    else if (open.verdict === 'skip') skip += 1;
    else pass += 1;
    open = null;
  }
  return isReport ? { pass, fail: failing.length, skip, failing } : null;
}

function verdictOf<T>(tag: string, before: T): T | 'fail' | 'skip' {
  if (tag === 'failure' || tag === 'error') return 'fail';
  return tag === 'skipped' && before !== 'fail' ? 'skip' : before;
}

/** Skips comments, CDATA and instructions. */
function* tags(text: string): Generator<Tag> {
  let at = text.indexOf('<');
  while (at >= 0) {
    const end = isMarkup(text.charAt(at + 1)) ? endOf(text, at) : at + 1;
    if (end < 0) return;
    const tag = readTag(text.slice(at + 1, end));
    if (tag !== null) yield tag;
    at = text.indexOf('<', end);
  }
}

function isMarkup(next: string): boolean {
  return /[A-Za-z/!?]/.test(next);
}

/** -1: truncated. */
function endOf(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return text.indexOf('-->', at + 4);
  if (text.startsWith('<![CDATA[', at)) return text.indexOf(']]>', at + 9);
  let quote = '';
  const limit = Math.min(text.length, at + maxTagChars);
  for (let index = at + 1; index < limit; index++) {
    const char = text.charAt(index);
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return index;
  }
  // Continues after an overlong tag, so that no text is scanned twice.
  return limit === text.length ? -1 : limit;
}

function readTag(inside: string): Tag | null {
  const match = /^(\/?)([A-Za-z][\w:.-]{0,60})/.exec(inside);
  if (match === null) return null;
  const [whole, slash = '', name = ''] = match;
  const kind = slash === '/' ? 'close' : inside.endsWith('/') ? 'empty' : 'open';
  return { name, kind, attributes: inside.slice(whole.length) };
}

function caseName(attributes: string): string {
  const read = (name: string): string => {
    const match = new RegExp(`\\s${name}\\s?=\\s?(?:"([^"]{0,1000})|'([^']{0,1000}))`).exec(attributes);
    return unescapeXml(match?.[1] ?? match?.[2] ?? '');
  };
  return `${read('classname')} ${read('name')}`.trim() || 'unnamed';
}

const entities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

function unescapeXml(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/g, (whole: string, name: string) => {
    if (!name.startsWith('#')) return entities.get(name) ?? whole;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
