// HTML as the platform reads it: few tags, each closed, and every other `<` refused with its place.
import { badRequest, type Refusal } from './refusal.js';

export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly unix_time?: number;
  readonly date_time_format?: string;
}

export interface Parsed {
  readonly text: string;
  readonly entities: readonly Entity[];
}

interface OpenTag {
  readonly name: string;
  readonly offset: number;
  readonly attributes: ReadonlyMap<string, string>;
}

const kinds: Readonly<Record<string, string>> = {
  a: 'text_link',
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  u: 'underline',
  ins: 'underline',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  'tg-emoji': 'custom_emoji',
  'tg-time': 'date_time',
  pre: 'pre',
  code: 'code',
  blockquote: 'blockquote',
};

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

export function parseHtml(source: string): Parsed {
  const open: OpenTag[] = [];
  const entities: Entity[] = [];
  let text = '';
  let at = 0;
  while (at < source.length) {
    const char = source[at] ?? '';
    if (char === '&') {
      const decoded = decodeEntity(source, at);
      text += decoded.text;
      at = decoded.end;
    } else if (char !== '<') {
      text += char;
      at += 1;
    } else if (source[at + 1] === '/') {
      at = closeTag(source, at, open, text, entities);
    } else {
      const tag = readTag(source, at);
      open.push({ name: tag.name, offset: text.length, attributes: tag.attributes });
      at = tag.end;
    }
  }
  const last = open.at(-1);
  if (last) throw cannot(`Can't find end tag corresponding to start tag "${last.name}"`);
  return { text, entities: merged(entities) };
}

/** Only these few are known; what else begins with `&` stays as it is written. */
function decodeEntity(source: string, at: number): { text: string; end: number } {
  const number = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/i.exec(source.slice(at, at + 12));
  if (number) {
    const code = number[1] ? Number.parseInt(number[1], 16) : Number(number[2]);
    if (code > 0 && code < 0x10ffff) return { text: String.fromCodePoint(code), end: at + number[0].length };
  }
  const word = /^&([a-z]+);?/.exec(source.slice(at, at + 8));
  const known = word?.[1] && named[word[1]];
  return word && known ? { text: known, end: at + word[0].length } : { text: '&', end: at + 1 };
}

function readTag(source: string, begin: number) {
  const name = /^<([^\s>]*)/.exec(source.slice(begin))?.[1] ?? '';
  let at = begin + 1 + name.length;
  if (at >= source.length) throw cannot(`Unclosed start tag at byte offset ${byteAt(source, begin)}`);
  const tag = name.toLowerCase();
  if (!Object.hasOwn(kinds, tag)) {
    throw cannot(`Unsupported start tag "${tag}" at byte offset ${byteAt(source, begin)}`);
  }
  const attributes = new Map<string, string>();
  const unclosed = () => cannot(`Unclosed start tag "${tag}" at byte offset ${byteAt(source, begin)}`);
  for (;;) {
    at = skipSpace(source, at);
    if (at >= source.length) throw unclosed();
    if (source[at] === '>') break;
    const found = /^([^\s=>/"']+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/.exec(source.slice(at));
    if (!found?.[1]) {
      throw cannot(`Empty attribute name in the tag "${tag}" at byte offset ${byteAt(source, at)}`);
    }
    attributes.set(found[1].toLowerCase(), parseAttribute(found[2] ?? found[3] ?? found[4] ?? ''));
    at += found[0].length;
  }
  if (tag === 'span' && attributes.get('class') !== 'tg-spoiler') {
    throw cannot(`Tag "span" must have class "tg-spoiler" at byte offset ${byteAt(source, begin)}`);
  }
  if (tag === 'tg-time' && !isMoment(attributes)) {
    throw cannot(`Tag "tg-time" must have a time and a format at byte offset ${byteAt(source, begin)}`);
  }
  return { name: tag, attributes, end: at + 1 };
}

function isMoment(attributes: ReadonlyMap<string, string>): boolean {
  const format = attributes.get('format') ?? '';
  return /^\d{1,10}$/.test(attributes.get('unix') ?? '') && /^(?:r|w?[dD]?[tT]?)$/.test(format);
}

function closeTag(source: string, begin: number, open: OpenTag[], text: string, entities: Entity[]): number {
  const top = open.pop();
  if (!top) throw cannot(`Unexpected end tag at byte offset ${byteAt(source, begin)}`);
  const name = /^<\/([^\s>]*)/.exec(source.slice(begin))?.[1] ?? '';
  const end = skipSpace(source, begin + 2 + name.length);
  if (source[end] !== '>') throw cannot(`Unclosed end tag at byte offset ${byteAt(source, begin)}`);
  if (name !== '' && name.toLowerCase() !== top.name) {
    throw cannot(
      `Unmatched end tag at byte offset ${byteAt(source, begin)}, expected "</${top.name}>", found "</${name}>"`,
    );
  }
  if (text.length > top.offset) entities.push(entityOf(top, text));
  return end + 1;
}

function entityOf({ name, offset, attributes }: OpenTag, text: string): Entity {
  const type = kinds[name] ?? name;
  const place = { offset, length: text.length - offset };
  const url = attributes.get('href') ?? text.slice(offset);
  if (name === 'a') return { type, ...place, url };
  if (name === 'tg-time') {
    const format = attributes.get('format') ?? '';
    return { type, ...place, unix_time: Number(attributes.get('unix')), date_time_format: format };
  }
  const language = /^language-(.+)$/.exec(attributes.get('class') ?? '')?.[1];
  return language === undefined ? { type, ...place } : { type, ...place, language };
}

/** `<pre><code class="language-x">` is one block with a language. */
function merged(entities: readonly Entity[]): readonly Entity[] {
  const isIn = (code: Entity) => (pre: Entity) =>
    pre.type === 'pre' && pre.offset === code.offset && pre.length === code.length;
  return entities
    .filter((one) => one.type !== 'code' || !entities.some(isIn(one)))
    .map((one) => {
      const inner = entities.find((code) => code.type === 'code' && isIn(code)(one));
      return inner?.language === undefined ? one : { ...one, language: inner.language };
    })
    .sort((a, b) => a.offset - b.offset || b.length - a.length);
}

function parseAttribute(source: string): string {
  let text = '';
  for (let at = 0; at < source.length; ) {
    if (source[at] !== '&') {
      text += source[at];
      at += 1;
      continue;
    }
    const decoded = decodeEntity(source, at);
    text += decoded.text;
    at = decoded.end;
  }
  return text;
}

function skipSpace(source: string, from: number): number {
  let at = from;
  while (at < source.length && /\s/.test(source[at] ?? '')) at += 1;
  return at;
}

function byteAt(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}

function cannot(why: string): Refusal {
  return badRequest(`can't parse entities: ${why}`);
}
