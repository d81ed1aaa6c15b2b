// Keeps each clause's separator, so that the rest joins as typed.

export interface Clause {
  readonly said: string;
  /** Lower case, quotations blanked, without `please` at either end. */
  readonly words: string;
  readonly separator: string;
}

/** Not inside a number or name: `0.5`, `1,5`, `v1.2`, `app.ts`. */
const separatorPattern = /[;!?\n，。；！？…]|[,.](?=[\s,.!?]|$)|,(?=[^\d\s])| [-–—] |[–—]/g;

export function readClauses(text: string): readonly Clause[] {
  const spoken = withoutQuotes(text);
  const clauses: Clause[] = [];
  let start = 0;
  for (const { 0: separator, index } of spoken.matchAll(separatorPattern)) {
    // "1. yes": number and answer stay together.
    if (separator === '.' && /^\s*(?:\d{1,3}|[a-z])$/i.test(spoken.slice(start, index))) continue;
    clauses.push(clause(text, spoken, start, index, separator));
    start = index + separator.length;
  }
  clauses.push(clause(text, spoken, start, text.length, ''));
  return clauses;
}

function clause(text: string, spoken: string, start: number, end: number, separator: string): Clause {
  const words = spoken.slice(start, end).toLowerCase().replaceAll('’', "'").replaceAll(/\s+/g, ' ').trim();
  return { said: text.slice(start, end), words: words.replace(/^please /, '').replace(/ please$/, ''), separator };
}

// None runs past its opening sign: linear on noise.
const quotedPattern = /```[\s\S]*?(?:```|$)|`[^`\n]*`|"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]|\([^()\n]*\)/g;

/** To the same length. Other people's words decide nothing. */
export function withoutQuotes(text: string): string {
  return text.replaceAll(quotedPattern, blank).replaceAll(/^[ \t]*>.*$/gm, blank);
}

function blank(quoted: string): string {
  return '\u0001'.repeat(quoted.length);
}

export function joinClauses(clauses: readonly Clause[]): string | null {
  const said = clauses.map((one) => one.said + one.separator).join('');
  const rest = said.replace(/^[\s,;.–—-]{1,99}/, '').trim();
  const last = rest.search(/[\s,;–—-]{1,99}$/);
  const trimmed = last < 0 ? rest : rest.slice(0, last);
  return /[\p{L}\p{N}]/u.test(trimmed) ? trimmed : null;
}
