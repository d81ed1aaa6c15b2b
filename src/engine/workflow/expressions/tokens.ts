export interface Token {
  readonly type: 'sign' | 'path' | 'number' | 'text' | 'end';
  readonly text: string;
  readonly offset: number;
}

type Tokens =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly error: string; readonly offset: number };

const MAX_CHARS = 1_000;
const MAX_DIGITS = 15;

const BLANK = /\s*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?![\p{L}\d_.-])/uy;
const PATH = /[\p{L}\d_][\p{L}\d_-]*(?:\.[\p{L}\d_][\p{L}\d_-]*)*/uy;
const SIGN = /==|!=|<=|>=|&&|\|\||[!<>(),]/y;

/** Common mistake → correct sign. */
const meantSigns: Readonly<Record<string, string>> = { '=': '==', '&': '&&', '|': '||' };

export function tokenise(text: string): Tokens {
  if (text.length > MAX_CHARS) {
    return fail(`the expression has ${text.length} characters; at most ${MAX_CHARS} are allowed`, MAX_CHARS);
  }
  const tokens: Token[] = [];
  let offset = matchAt(BLANK, text, 0).length;
  while (offset < text.length) {
    const read = readToken(text, offset);
    if (typeof read === 'string') return fail(read, offset);
    tokens.push(read.token);
    offset += read.length;
    offset += matchAt(BLANK, text, offset).length;
  }
  return { ok: true, tokens };
}

interface Read {
  readonly token: Token;
  readonly length: number;
}

/** A string is the error. */
function readToken(text: string, offset: number): Read | string {
  const first = text.charAt(offset);
  if (first === "'" || first === '"') return readText(text, offset, first);
  const number = matchAt(NUMBER, text, offset);
  if (number.replace(/[.-]/g, '').length > MAX_DIGITS) return `a number has more than ${MAX_DIGITS} digits`;
  if (number !== '') return asRead('number', number, offset);
  const path = matchAt(PATH, text, offset);
  if (path !== '') return asRead('path', path, offset);
  const sign = matchAt(SIGN, text, offset);
  if (sign !== '') return asRead('sign', sign, offset);
  const meant = meantSigns[first];
  return `"${first}" is not understood${meant === undefined ? '' : `; use "${meant}"`}`;
}

function readText(text: string, offset: number, quote: string): Read | string {
  const end = text.indexOf(quote, offset + 1);
  if (end < 0) return `the text that begins here has no closing ${quote}`;
  return { token: { type: 'text', text: text.slice(offset + 1, end), offset }, length: end + 1 - offset };
}

function asRead(type: Token['type'], text: string, offset: number): Read {
  return { token: { type, text, offset }, length: text.length };
}

function matchAt(pattern: RegExp, text: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? '';
}

function fail(error: string, offset: number): Tokens {
  return { ok: false, error: `${error} (at offset ${offset})`, offset };
}
