// Renders an attempt's log. Terminal colours become styled spans; every other escape sequence is dropped.
import type { JSX } from 'hono/jsx/jsx-runtime';
import { inert } from '../shared/text.js';
import type { LogEnd, LogLine } from './log-file.js';

interface LogViewProps {
  readonly log: LogEnd;
  /** When the attempt began; null: it did not. */
  readonly from: number | null;
  /** Marked where they occur, in lower case; empty: none. */
  readonly words: string;
}

export function LogView({ log, from, words }: LogViewProps) {
  return (
    <div class="log" id="log-lines" data-follow="box" tabindex={0} role="log" aria-label="Output">
      {log.lines.map((line) => {
        const { source, text, at } = line;
        const look = isFailure(line) ? 'err' : source === 'out' ? undefined : source === 'err' ? 'err' : 'sys';
        return (
          <div class={look} id={line === log.firstError ? 'first-error' : undefined}>
            <bdi>
              {piecesOf(text).map((piece) =>
                piece.look === '' ? (
                  marked(piece.text, words)
                ) : (
                  <span class={piece.look}>{marked(piece.text, words)}</span>
                ),
              )}
            </bdi>
            {text === '' ? ' ' : null}
            {at === null || from === null || at < from ? null : <span class="at num">{clockSince(at - from)}</span>}
          </div>
        );
      })}
    </div>
  );
}

const failure = /\b(?:error|fatal|exception|traceback|panic(?:ked)?|failed|unauthori[sz]ed)\b/i;

/** A line that tells of a failure, as programs word it. */
export function isFailure({ source, text }: Pick<LogLine, 'source' | 'text'>): boolean {
  return source === 'err' || (source === 'out' && failure.test(text) && !/\b0 (?:errors?|failed)\b/i.test(text));
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
  /** Class names: `f1` for the first colour, `a1` for bold. They never contain program output. */
  readonly look: string;
}

const maxPieces = 200;
const escapeChar = String.fromCharCode(27);
// Colour and style codes; `inert` strips every other escape sequence.
const paint = new RegExp(`${escapeChar}\\[([0-9;]{0,40})m`, 'g');

interface Look {
  readonly color: number | null;
  readonly styles: readonly number[];
}

const plain: Look = { color: null, styles: [] };

/** Expects one line, already cut to a displayable length. */
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
    // Extended colours: skip their parameters, which are not codes themselves.
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
