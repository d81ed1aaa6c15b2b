// Terminal colours become spans; other escapes are dropped.
import type { Child } from 'hono/jsx';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { countOf, dotted, durationOf, inert, lineOf } from '../shared/text.js';
import { commandIn, isFailure, type LogEntry } from './log-entries.js';
import type { LogLine } from './log-file.js';

interface LogViewProps {
  readonly entries: readonly LogEntry[];
  /** Null: not begun. */
  readonly from: number | null;
  /** Marked; '': none. */
  readonly words: string;
  readonly isFollowed: boolean;
}

type Shown = Pick<LogViewProps, 'from' | 'words'>;

export function LogView({ entries, from, words, isFollowed }: LogViewProps) {
  const shown = { from, words };
  return (
    <div class="log-frame">
      <div
        class="log"
        id="log-lines"
        data-follow={isFollowed ? 'box' : undefined}
        tabindex={0}
        role="log"
        aria-label="Output"
      >
        {entries.map((entry) => (
          <Entry entry={entry} shown={shown} />
        ))}
      </div>
    </div>
  );
}

const unfoldedLooks = 2;

function Entry({ entry: { kind, lines }, shown }: { readonly entry: LogEntry; readonly shown: Shown }) {
  const [head, ...rest] = lines;
  if (head === undefined) return null;
  if (kind === 'look' && lines.length > unfoldedLooks)
    return (
      <Folded of={lines} shown={shown} look="looks" says={lookedAt(lines)} size={countOf(lines.length, 'place')}>
        {lines.map((line) => (
          <Line line={line} shown={shown} look="sys" />
        ))}
      </Folded>
    );
  const command = kind === 'command' ? commandIn(head.text) : null;
  if (command === null)
    return (
      <>
        {lines.map((line) => (
          <Line line={line} shown={shown} look={kind} />
        ))}
      </>
    );
  if (rest.length === 0) return <Line line={{ ...head, text: `$ ${command}` }} shown={shown} look="command" />;
  const exit = /^exit (\d+)$/.exec(rest.at(-1)?.text ?? '')?.[0] ?? '';
  const tookMs = (rest.at(-1)?.at ?? 0) - (head.at ?? 0);
  const facts = [exit, tookMs > 0 && head.at !== null ? durationOf(tookMs) : ''];
  const size = countOf(rest.length, 'line');
  return (
    <Folded
      of={lines}
      shown={shown}
      look={exit === '' ? 'command' : 'command err'}
      says={`$ ${command}`}
      facts={facts}
      size={size}
    >
      {rest.map((line) => (
        <Line line={line} shown={shown} look={isFailure(line) ? 'err' : ''} />
      ))}
    </Folded>
  );
}

interface FoldedProps {
  readonly of: readonly LogLine[];
  readonly shown: Shown;
  readonly look: string;
  readonly says: string;
  readonly facts?: readonly string[];
  readonly size: string;
  readonly children: Child;
}

function Folded({ of, shown: { words }, look, says, facts = [], size, children }: FoldedProps) {
  const n = of[0]?.n ?? 0;
  return (
    <div class={`l ${look}`} id={look === 'looks' ? undefined : `L${n}`}>
      {look === 'looks' ? null : <NumberLink n={n} />}
      <details id={`fold-${n}`} open={words !== '' && of.some(({ text }) => text.toLowerCase().includes(words))}>
        <summary>
          <span class="says" dir="auto">
            {piecesOf(says).map((piece) => marked(piece.text, words))}
          </span>
          <span class="at num">
            {dotted(facts)} <span class="wide-only">{facts.some((fact) => fact !== '') ? `· ${size}` : size}</span>
          </span>
        </summary>
        {children}
      </details>
    </div>
  );
}

/** The entry's kind says so already. */
const toolMark = /^\[tool\] (?!failed|refused)/;

function lookedAt(lines: readonly LogLine[]): string {
  const names = lines.map(({ text }) => lineOf(text.replace(toolMark, ''), 60));
  return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

interface LineProps {
  readonly line: LogLine;
  readonly shown: Shown;
  readonly look: string;
}

function Line({ line, shown: { from, words }, look }: LineProps) {
  const { source, text, at, n } = line;
  const isPlain = look === 'error' || look === 'note' || look === '';
  const tone = isFailure(line) || look === 'error' ? ' err' : look === 'note' || source === 'sys' ? ' sys' : '';
  return (
    <div class={`l${isPlain ? '' : ` ${look}`}${tone}`} id={`L${n}`}>
      <NumberLink n={n} />
      <bdi>
        {piecesOf(text.replace(toolMark, '')).map((piece) =>
          piece.look === '' ? marked(piece.text, words) : <span class={piece.look}>{marked(piece.text, words)}</span>,
        )}
        {text === '' ? ' ' : null}
      </bdi>
      {at === null || from === null || at < from ? null : <span class="at num">{clockSince(at - from)}</span>}
    </div>
  );
}

function NumberLink({ n }: { readonly n: number }) {
  return (
    <a class="no num" href={`#L${n}`} tabindex={-1}>
      <span class="hidden">Line </span>
      {n}
    </a>
  );
}

function clockSince(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function marked(text: string, words: string) {
  if (words === '') return text;
  const found: (string | JSX.Element)[] = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(words); at !== -1 && found.length < maxPieces; at = lower.indexOf(words, from)) {
    found.push(text.slice(from, at), <mark>{text.slice(at, at + words.length)}</mark>);
    from = at + words.length;
  }
  return [...found, text.slice(from)];
}

interface AnsiSpan {
  readonly text: string;
  /** `f1`: first colour, `a1`: bold. Never program output. */
  readonly look: string;
}

const maxPieces = 200;
const escapeChar = String.fromCharCode(27);
// `inert` strips all other escapes.
const paint = new RegExp(`${escapeChar}\\[([0-9;]{0,40})m`, 'g');

interface Look {
  readonly color: number | null;
  readonly styles: readonly number[];
}

const plain: Look = { color: null, styles: [] };

/** Expects one line, already cut. */
export function piecesOf(line: string): readonly AnsiSpan[] {
  const pieces: AnsiSpan[] = [];
  let look = plain;
  let from = 0;
  const push = (text: string) => {
    const seen = inert(text);
    if (seen !== '') pieces.push({ text: seen, look: nameOf(look) });
  };
  for (const found of line.matchAll(paint)) {
    if (pieces.length >= maxPieces) break;
    push(line.slice(from, found.index));
    from = found.index + found[0].length;
    look = painted(look, (found[1] ?? '').split(';').map(Number));
  }
  push(line.slice(from));
  return pieces;
}

function painted(before: Look, codes: readonly number[]): Look {
  let look = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    // Skips the parameters of extended colours.
    if (code === 38 || code === 48) at += codes[at + 1] === 2 ? 4 : 2;
    else look = withCode(look, code);
  }
  return look;
}

function withCode(look: Look, code: number): Look {
  if (code === 0) return plain;
  if (code >= 1 && code <= 4) return { ...look, styles: [...new Set([...look.styles, code])] };
  if (code === 22) return { ...look, styles: look.styles.filter((one) => one > 2) };
  if (code === 23 || code === 24) return { ...look, styles: look.styles.filter((one) => one !== code - 20) };
  if (code === 39) return { ...look, color: null };
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 };
  return code >= 90 && code <= 97 ? { ...look, color: code - 90 } : look;
}

function nameOf({ color, styles }: Look): string {
  return [...(color === null ? [] : [`f${color}`]), ...styles.map((one) => `a${one}`)].join(' ');
}
