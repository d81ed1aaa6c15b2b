export interface Token {
  readonly type: 'sign' | 'path' | 'number' | 'text' | 'end';
  readonly text: string;
  readonly offset: number;
}

type Tokens =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly error: string; readonly offset: number };

const maxChars = 1_000;
const maxDigits = 15;

const blankPattern = /\s*/y;
const numberPattern = /-?\d+(?:\.\d+)?(?![\p{L}\d_.-])/uy;
const pathPattern = /[\p{L}\d_][\p{L}\d_-]*(?:\.[\p{L}\d_][\p{L}\d_-]*)*/uy;
const signPattern = /==|!=|<=|>=|&&|\|\||[!<>(),]/y;

/** Common mistake → correct sign. */
const meantSigns: Readonly<Record<string, string>> = { '=': '==', '&': '&&', '|': '||' };

export function tokenise(text: string): Tokens {
  if (text.length > maxChars) {
    return fail(`the expression has ${text.length} characters; at most ${maxChars} are allowed`, maxChars);
  }
  const tokens: Token[] = [];
  let offset = matchAt(blankPattern, text, 0).length;
  while (offset < text.length) {
    const read = readToken(text, offset);
    if (typeof read === 'string') return fail(read, offset);
    tokens.push(read.token);
    offset += read.length;
    offset += matchAt(blankPattern, text, offset).length;
  }
  return { ok: true, tokens };
}

interface Read {
  readonly token: Token;
  readonly length: number;
}

function readToken(text: string, offset: number): Read | string {
  const first = text.charAt(offset);
  if (first === "'" || first === '"') return readText(text, offset, first);
  const number = matchAt(numberPattern, text, offset);
  if (number.replace(/[.-]/g, '').length > maxDigits) return `a number has more than ${maxDigits} digits`;
  if (number !== '') return asRead('number', number, offset);
  const path = matchAt(pathPattern, text, offset);
  if (path !== '') return asRead('path', path, offset);
  const sign = matchAt(signPattern, text, offset);
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
