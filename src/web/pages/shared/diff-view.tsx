// Renders a patch with simple syntax highlighting for common languages.
import { inert } from './text.js';

const maxLines = 1_500;
const maxLineChars = 600;
const maxTokens = 120;

export function DiffView({ patch }: { readonly patch: string }) {
  const lines = patch.split('\n', maxLines + 1);
  return (
    <section class="panel diff" tabindex={0} aria-label="Changes">
      {shownLines(lines.slice(0, maxLines))}
      {lines.length > maxLines ? (
        <div class="hunk">… more than {maxLines} lines; see the rest with bosun diff</div>
      ) : null}
    </section>
  );
}

/** Hides header lines only between `diff --git` and the first hunk: inside a hunk, `--- x` is the removed line `-- x`. */
function shownLines(lines: readonly string[]) {
  let isHeader = false;
  return lines.flatMap((line) => {
    if (line.startsWith('diff --git ')) isHeader = true;
    else if (line.startsWith('@@')) isHeader = false;
    return isHeader && /^(index [0-9a-f]{7,}|--- |\+\+\+ )/.test(line) ? [] : [shownLine(line)];
  });
}

function shownLine(line: string) {
  const text = line.length > maxLineChars ? `${line.slice(0, maxLineChars)} …` : line;
  if (text.startsWith('diff --git '))
    return <div class="file">{inert(text.replace(/^diff --git a\/(.*?) b\/.*$/, '$1'))}</div>;
  if (text.startsWith('@@')) return <div class="hunk">{inert(text)}</div>;
  const mark = text[0] ?? ' ';
  if (mark !== '+' && mark !== '-' && mark !== ' ') return <div class="c">{inert(text)}</div>;
  const look = mark === '+' ? 'add' : mark === '-' ? 'cut' : undefined;
  return (
    <div class={look}>
      {mark}
      {tokensOf(text.slice(1)).map(({ kind, text: part }) => (kind === '' ? part : <span class={kind}>{part}</span>))}
    </div>
  );
}

interface Token {
  readonly kind: '' | 'k' | 's' | 'c' | 'n';
  readonly text: string;
}

const keywords = new Set(
  `abstract as async await bool break case catch class const continue def default del do elif else enum export extends
  false final finally fn for from func function go if impl implements import in int interface is lambda let match module
  mut new nil None not null or package pass private protected pub public raise return self static struct super switch
  this throw trait true True False try type typeof undefined use var void while with yield`.split(/\s+/),
);
// Comments, strings, numbers and words, without backtracking.
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
    if (found.index > from) tokens.push({ kind: '', text: inert(line.slice(from, found.index)) });
    tokens.push({ kind, text: inert(text) });
    from = found.index + text.length;
  }
  return [...tokens, { kind: '', text: inert(line.slice(from)) }];
}

function kindOf([, comment, string, number, word]: RegExpMatchArray): Token['kind'] {
  if (comment) return 'c';
  if (string) return 's';
  if (number) return 'n';
  return word && keywords.has(word) ? 'k' : '';
}
