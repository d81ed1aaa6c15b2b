// From what a chat shows of a message to what it should show, one call at a time.
import type { Place, Shown } from './place.js';

export interface TextPiece {
  readonly kind: 'text';
  readonly mark: string;
}

export interface FilePiece {
  readonly kind: 'file';
  readonly mark: string;
}

export type Step<T extends TextPiece, F extends FilePiece> =
  | { readonly type: 'send'; readonly piece: T | F }
  | { readonly type: 'edit'; readonly piece: T; readonly at: Shown }
  | { readonly type: 'delete'; readonly at: Shown };

/** What is there is edited, what is too much goes, from its end, and what is missing comes; null: all is as it should be. */
export function nextStep<T extends TextPiece, F extends FilePiece>(
  pieces: readonly (T | F)[],
  place: Place,
): Step<T, F> | null {
  const last = place.at(-1);
  const isStray = place.some((at, index) => !fits(pieces[index], at));
  if (isStray && last !== undefined) return { type: 'delete', at: last };
  for (const [index, piece] of pieces.entries()) {
    const at = place[index];
    if (at === undefined) return { type: 'send', piece };
    if (isText<T, F>(piece) && piece.mark !== at.mark) return { type: 'edit', piece, at };
  }
  return null;
}

function isText<T extends TextPiece, F extends FilePiece>(piece: T | F): piece is T {
  return piece.kind === 'text';
}

/** A file is never edited: another one is sent in its stead. */
function fits(piece: TextPiece | FilePiece | undefined, at: Shown): boolean {
  return piece?.kind === at.kind && (piece.kind === 'text' || piece.mark === at.mark);
}

/** `id`: of what was sent. */
export function afterStep(place: Place, step: Step<TextPiece, FilePiece>, id: string): Place {
  switch (step.type) {
    case 'send':
      return [...place, { id, kind: step.piece.kind, mark: step.piece.mark }];
    case 'edit':
      return place.map((at) => (at.id === step.at.id ? { ...at, mark: step.piece.mark } : at));
    case 'delete':
      return place.filter(({ id: one }) => one !== step.at.id);
  }
}

/** No mark of anything. */
const unknownMark = '-';

/** An edit that is under way may show already, or not. */
export function duringStep(place: Place, step: Step<TextPiece, FilePiece>): Place {
  if (step.type !== 'edit') return place;
  return place.map((at) => (at.id === step.at.id ? { ...at, mark: unknownMark } : at));
}
