// PEM: a header followed by key characters. A header merely mentioned stays.
import { mark } from './patterns.js';
import type { Redact } from './redactor.js';

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const endHere = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
/** Line breaks may be escaped; lines may carry numbers or diff marks. */
const body =
  /(?:(?:\s|\\[nrt]|[+|>→])*(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,200})*(?:[A-Za-z0-9/=\s+|>→]|\\[nrt]){0,20000}/y;
const leastKeyChars = 16;

export function withoutPrivateKeys(text: string): string {
  return text.includes('PRIVATE KEY') ? withoutEndOfKey(withoutWholeKeys(text)) : text;
}

function withoutEndOfKey(text: string): string {
  const found = end.exec(text);
  if (found === null) return text;
  const lines = text.slice(0, found.index).split('\n');
  if (lines.pop()?.trim() !== '') return text;
  let left = lines.length;
  while (left > 0 && bodyLine.test(lines[left - 1] ?? '')) left -= 1;
  const letters = lettersIn(lines.slice(left).join(''));
  if (letters < leastKeyChars) return text;
  const before = lines.slice(0, left).map((line) => `${line}\n`);
  return `${before.join('')}${mark}${text.slice(found.index + found[0].length)}`;
}

const bodyLine = /^[\s\d+|>→:…-]{0,20}[A-Za-z0-9+/=]{1,100}\s*$/;

function withoutWholeKeys(text: string): string {
  let bare = '';
  let from = 0;
  for (const found of text.matchAll(begin)) {
    if (found.index < from) continue;
    const behind = found.index + found[0].length;
    body.lastIndex = behind;
    const letters = body.exec(text)?.[0] ?? '';
    if (lettersIn(letters) < leastKeyChars) continue;
    endHere.lastIndex = behind + letters.length;
    const closing = endHere.exec(text)?.[0] ?? '';
    bare += text.slice(from, found.index) + mark + (closing === '' ? trailing(letters) : '');
    from = behind + letters.length + closing.length;
  }
  return bare + text.slice(from);
}

function lettersIn(text: string): number {
  return text.replaceAll(/\\[nrt]|[^A-Za-z0-9/+=]/g, '').length;
}

function trailing(letters: string): string {
  return letters.endsWith('\n') ? '\n' : '';
}

/** For text that arrives line by line. */
export interface LineRedactor {
  take(line: string): string;
}

const maxKeyLines = 200;
const keyLine =
  /^(?:\[[\w.-]{1,60}\] )?(?:[\s\d+|>→:-]{0,20}(?:[A-Za-z0-9+/=]{1,100}|(?:Proc-Type|DEK-Info|Version|Comment): .{0,200})?)\s*$/;

export function lineRedactor(redact: Redact): LineRedactor {
  let linesLeft = 0;
  return {
    take: (line) => {
      if (linesLeft > 0) {
        linesLeft = end.test(line) ? 0 : linesLeft - 1;
        if (end.test(line) || keyLine.test(line)) return mark;
        linesLeft = 0;
      }
      if (line.includes('PRIVATE KEY') && opens(line)) {
        linesLeft = maxKeyLines;
        return mark;
      }
      return redact(line);
    },
  };
}

function opens(line: string): boolean {
  const [whole] = [...line.matchAll(begin)];
  return whole !== undefined && line.trimEnd().endsWith(whole[0]) && !end.test(line);
}
