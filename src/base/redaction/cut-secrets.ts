// Text may be cut inside a secret before redaction (`not "f49d3f…`): finds a secret's first or last characters and
// extends the match as far as the secret goes.
import { mark } from './patterns.js';
import type { Redact } from './redactor.js';

/** Shorter pieces would match ordinary words. */
const pieceChars = 12;
/** For shorter secrets `redactor`'s check for cut-off ends suffices. */
const leastChars = 2 * pieceChars;

interface Piece {
  readonly spelling: string;
  readonly at: number;
}

export function cutSecretRedactor(spellings: readonly string[]): Redact {
  const pieces = new Map<string, Piece>();
  for (const spelling of spellings.filter(({ length }) => length >= leastChars)) {
    for (const at of [0, spelling.length - pieceChars]) {
      const text = spelling.slice(at, at + pieceChars);
      if (looksDrawn(text) && !pieces.has(text)) pieces.set(text, { spelling, at });
    }
  }
  if (pieces.size === 0) return (text) => text;
  const any = new RegExp(
    [...pieces.keys()].map((text) => text.replaceAll(/[\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
    'g',
  );
  return (text) => withoutPieces(text, any, pieces);
}

/** Paths, addresses and plain words begin like ordinary text. */
function looksDrawn(text: string): boolean {
  return /^[\w+/=.~%-]+$/.test(text) && (text.match(/\d/g)?.length ?? 0) >= 2;
}

function withoutPieces(text: string, any: RegExp, pieces: ReadonlyMap<string, Piece>): string {
  let bare = '';
  let done = 0;
  for (const found of text.matchAll(any)) {
    const piece = pieces.get(found[0]);
    if (piece === undefined || found.index + pieceChars <= done) continue;
    const from = Math.max(done, beginOf(text, found.index, piece));
    bare += (from === done && done > 0 ? '' : text.slice(done, from)) + (from === done && done > 0 ? '' : mark);
    done = endOf(text, found.index, piece);
  }
  return bare + text.slice(done);
}

function beginOf(text: string, index: number, { spelling, at }: Piece): number {
  let back = 0;
  while (back < at && index > back && text[index - back - 1] === spelling[at - back - 1]) back += 1;
  return index - back;
}

function endOf(text: string, index: number, { spelling, at }: Piece): number {
  let length = pieceChars;
  while (at + length < spelling.length && text[index + length] === spelling[at + length]) length += 1;
  return index + length;
}
