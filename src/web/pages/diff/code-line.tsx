// Simple highlighting for common languages, with the changed part marked.
import { inert } from '../shared/text.js';

const maxLineChars = 600;
const maxTokens = 120;

interface CodeLineProps {
  readonly text: string;
  readonly path: string;
  /** The part that differs from the other side. */
  readonly changed: Part | null;
}

export interface Part {
  readonly from: number;
  readonly to: number;
}

export function CodeLine({ text, path, changed }: CodeLineProps) {
  const shown = text.length > maxLineChars ? `${text.slice(0, maxLineChars)} …` : text;
  const tokens = prose.test(path) ? [{ kind: '', from: 0, text: shown } as const] : tokensOf(shown);
  return (
    <code>
      {tokens
        .flatMap((token) => split(token, changed))
        .map(({ kind, text: part }) => (kind === '' ? inert(part) : <span class={kind}>{inert(part)}</span>))}
    </code>
  );
}

/** Null: the lines share almost nothing. */
export function differenceOf(old: string, now: string): { readonly old: Part; readonly new: Part } | null {
  const most = Math.min(old.length, now.length, maxLineChars);
  let from = 0;
  while (from < most && old[from] === now[from]) from += 1;
  let end = 0;
  while (end < most - from && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  if ((from + end) * 3 < Math.max(old.length, now.length)) return null;
  return { old: { from, to: old.length - end }, new: { from, to: now.length - end } };
}

interface Token {
  readonly kind: '' | 'k' | 's' | 'c' | 'n';
  readonly from: number;
  readonly text: string;
}

function split({ kind, from, text }: Token, part: Part | null): readonly { kind: string; text: string }[] {
  if (part === null) return [{ kind, text }];
  const [a, b] = [part.from - from, part.to - from].map((at) => Math.max(0, Math.min(text.length, at)));
  const changed = text.slice(a, b);
  return [
    { kind, text: text.slice(0, a) },
    { kind: `${kind} w`.trim(), text: changed },
    { kind, text: changed === '' ? text.slice(a) : text.slice(b) },
  ].filter((piece) => piece.text !== '');
}

const prose = /\.(md|txt|rst|adoc|log|csv)$/i;
const keywords = new Set(
  `abstract as async await bool break case catch class const continue def default del do elif else enum export extends
  false final finally fn for from func function go if impl implements import in int interface is lambda let match module
  mut new nil None not null or package pass private protected pub public raise return self static struct super switch
  this throw trait true True False try type typeof undefined use var void while with yield`.split(/\s+/),
);
// Comments, strings, numbers, words; no backtracking.
const token =
  /(\/\/.*|#\s.*|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\b\d[\d_.xa-f]*\b)|([A-Za-z_]\w*)/g;

function tokensOf(line: string): readonly Token[] {
  const tokens: Token[] = [];
  let from = 0;
  for (const found of line.matchAll(token)) {
    const kind = kindOf(found);
    const [text] = found;
    if (kind === '') continue;
    if (tokens.length >= maxTokens) break;
    if (found.index > from) tokens.push({ kind: '', from, text: line.slice(from, found.index) });
    tokens.push({ kind, from: found.index, text });
    from = found.index + text.length;
  }
  return [...tokens, { kind: '', from, text: line.slice(from) }];
}

function kindOf([, comment, string, number, word]: RegExpMatchArray): Token['kind'] {
  if (comment) return 'c';
  if (string) return 's';
  if (number) return 'n';
  return word && keywords.has(word) ? 'k' : '';
}
